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

/// The highest number of operations per second that a GPU can reach in matrix products, at its highest clock rate. A
/// value is 0 if CUDA does not report it.
struct CudaPeak {
  double in_float = 0;
  double in_double = 0;
};

struct CudaDeviceInfo {
  /// The number of the device in CUDA, which counts only the devices that the process may see (CUDA_VISIBLE_DEVICES).
  int index = 0;
  std::string name;
  Bytes memory;
  /// The free memory; set only if the caller asked for it.
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

/// Says whether to query the free memory as well. The query takes a large fraction of a second per GPU, and some of the
/// GPU's memory until the process ends.
enum class AskFreeMemory : bool { no, yes };

/// Returns the GPUs, in CUDA's order; at least one. Fails with `platform` if there is none, and gives the reason: this
/// Troupe was built without CUDA, CUDA's runtime library or a driver is missing, the driver is too old,
/// CUDA_VISIBLE_DEVICES hides the GPUs, or the machine has none. May be called from any thread.
[[nodiscard]] Result<std::vector<CudaDeviceInfo>> list_cuda_devices(AskFreeMemory free_memory = AskFreeMemory::no);

/// Returns the peak of one GPU without querying its other properties; zeros if there is no such GPU. CUDA takes up to a
/// few milliseconds to answer. May be called from any thread.
[[nodiscard]] CudaPeak cuda_peak(int index);

/// A GPU's memory and its copy engines.
///
/// After some errors (a fault in a kernel or of the hardware) no CUDA call on the device succeeds. The device is then
/// lost: all copies under way and all later copies end with `device_lost`.
class CudaAccelerator : public Accelerator {
 public:
  /// Returns the index, as in `CudaDeviceInfo`.
  [[nodiscard]] virtual int index() const = 0;
  /// Called by code that has found out that the device is lost.
  virtual void lose(const Failure& why) = 0;
  /// Registers `callback`, which is called once, from any thread, when the device is found to be lost. If the device is
  /// lost before the registration, the callback is called inside this call. The callback must not destroy the
  /// accelerator. At most one callback can be registered.
  virtual void on_lost(std::function<void(const Failure&)> callback) = 0;
};

/// Allocates one block of memory on a GPU, and makes its copy engines. Measures the cost of copies, which takes some
/// milliseconds in addition to the start of CUDA.
///
/// `limit` is the size of the block. Without a limit, the block takes nine tenths of the free memory; but if at least 1
/// GiB is free, at least 512 MiB stay free for kernel libraries. Fails with `out_of_memory` if the limit is larger than
/// the free memory, with `platform` if the GPU does not exist or another process uses it exclusively, and as
/// `list_cuda_devices` does.
[[nodiscard]] Result<std::unique_ptr<CudaAccelerator>> open_cuda_accelerator(int index,
                                                                             std::optional<Bytes> limit = {});

}  // namespace troupe::platform
