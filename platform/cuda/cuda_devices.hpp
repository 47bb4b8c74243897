/// The NVIDIA GPUs of this machine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/accelerators/accelerator.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// The operations per second that a GPU reaches at most, in matrix products at its highest clock rate. A value is 0 if
/// CUDA does not say.
struct CudaPeak {
  double in_float = 0;
  double in_double = 0;
};

struct CudaDeviceInfo {
  /// The number by which CUDA counts the devices that the process may see (CUDA_VISIBLE_DEVICES).
  int index = 0;
  std::string name;
  Bytes memory;
  /// The free memory; given only if it was asked for.
  std::optional<Bytes> free = {};
  /// The compute capability: 9 and 0 for 9.0.
  int major = 0;
  int minor = 0;
  int multiprocessors = 0;
  /// The address on the PCI bus, such as "0000:1b:00.0".
  std::string bus_id;
  /// The NUMA node of the host that the GPU is attached to, by the operating system's index; -1 if not known.
  int numa_node = -1;
};

/// Says whether to ask for free memory, too. Asking takes a good part of a second per GPU, and some of the GPU's memory
/// until the process ends.
enum class AskFreeMemory : bool { no, yes };

/// Returns the GPUs, in CUDA's order; at least one. Fails with `platform` if there is none, and says why: this Troupe
/// was built without CUDA, its runtime library or a driver is missing, the driver is too old, CUDA_VISIBLE_DEVICES
/// hides them, or the machine has none. May be called from any thread.
[[nodiscard]] Result<std::vector<CudaDeviceInfo>> list_cuda_devices(AskFreeMemory free_memory = AskFreeMemory::no);

/// Returns the peak of one GPU, without asking for its other properties; zeros where there is no such GPU. CUDA takes
/// up to some milliseconds to answer. May be called from any thread.
[[nodiscard]] CudaPeak cuda_peak(int index);

/// A GPU's memory and its copy engines.
///
/// After some errors (a fault in a kernel or of the hardware) CUDA does nothing any more on the device. The device is
/// then lost: all copies under way and all later ones end with `device_lost`.
class CudaAccelerator : public Accelerator {
 public:
  /// Returns the index, as in `CudaDeviceInfo`.
  [[nodiscard]] virtual int index() const = 0;
  /// Called by code that has found that the device is lost.
  virtual void lose(const Failure& why) = 0;
  /// Registers `callback`, which is called once, from any thread, when the device is found lost; at once if it is lost
  /// already. It must not destroy the accelerator. At most one callback can be registered.
  virtual void on_lost(std::function<void(const Failure&)> callback) = 0;
};

/// Takes memory on a GPU, in one block, and makes its copy engines. Measures the cost of copies, which takes some
/// milliseconds in addition to CUDA's start.
///
/// `limit` says how much memory to take. Without it, this takes nine tenths of the free memory; but if at least
/// 1 GiB is free, it leaves at least 512 MiB for kernel libraries. Fails with `out_of_memory` if the limit is
/// above what is free, with `platform` if the GPU is not there or not free to be used, and as
/// `list_cuda_devices` does.
[[nodiscard]] Result<std::unique_ptr<CudaAccelerator>> open_cuda_accelerator(int index,
                                                                             std::optional<Bytes> limit = {});

}  // namespace troupe::platform
