/// Calls of the fakes of cuBLAS and cuSOLVER. They run later, on the fake's streams, in its devices' memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "tests/support/fake_cuda/control.hpp"

namespace troupe::tests::fake_cuda {

/// A column-major block in a device's memory, as the arguments of a call describe it.
struct DeviceBlock {
  const void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 1;
  std::size_t element = 1;

  /// Returns the bytes from the first element to the last.
  [[nodiscard]] std::size_t bytes() const {
    return rows == 0 || cols == 0 ? 0 : static_cast<std::size_t>((cols - 1) * ld + rows) * element;
  }
};

/// Returns true if the device may touch the whole block. Otherwise the launch is a fault.
[[nodiscard]] inline bool touches(const FakeLaunch& launch, const DeviceBlock& block) {
  return block.bytes() == 0 || launch.touches(block.data, block.bytes());
}

/// The calls that have been enqueued and have not run. The fake drops a launch on a device with a fault; then the call
/// is freed with this object.
class DeviceCalls {
 public:
  using Call = std::function<void(const FakeLaunch&)>;

  /// Enqueues `call` as a kernel.
  cudaError_t launch(cudaStream_t stream, Call call);

 private:
  void run(const FakeLaunch& launch, std::uint64_t number);
  cudaError_t find_kernel();

  std::mutex mutex_;
  cudaKernel_t kernel_ = nullptr;           // guarded by mutex_
  std::uint64_t last_ = 0;                  // guarded by mutex_
  std::map<std::uint64_t, Call> enqueued_;  // guarded by mutex_
};

/// The calls of the library into which this is compiled.
DeviceCalls& device_calls();

}  // namespace troupe::tests::fake_cuda
