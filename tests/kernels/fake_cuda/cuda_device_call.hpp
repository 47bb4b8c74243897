/// Calls of the fake cuBLAS and cuSOLVER. The calls run later, on streams of the fake CUDA runtime, and use the memory
/// of the fake devices.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "tests/support/fake_cuda/control.hpp"

namespace troupe::tests::fake_cuda {

/// A column-major block in a device's memory, as a call's arguments describe it.
struct DeviceBlock {
  const void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 1;
  std::size_t element = 1;

  /// Returns the number of bytes from the first element to the last.
  [[nodiscard]] std::size_t bytes() const {
    return rows == 0 || cols == 0 ? 0 : static_cast<std::size_t>((cols - 1) * ld + rows) * element;
  }
};

/// Returns true if the device may access the whole block. Otherwise the launch becomes a fault.
[[nodiscard]] inline bool touches(const FakeLaunch& launch, const DeviceBlock& block) {
  return block.bytes() == 0 || launch.touches(block.data, block.bytes());
}

/// The calls that have been enqueued but have not run. If a device has a fault, the fake drops the launches on this
/// device. The calls of dropped launches stay here until this object is destroyed.
class DeviceCalls {
 public:
  using Call = std::function<void(const FakeLaunch&)>;

  /// Enqueues `call` as a kernel on the stream.
  cudaError_t launch(cudaStream_t stream, Call call);

 private:
  void run(const FakeLaunch& launch, std::uint64_t number);
  cudaError_t find_kernel();

  std::mutex mutex_;
  cudaKernel_t kernel_ = nullptr;           // guarded by mutex_
  std::uint64_t last_ = 0;                  // guarded by mutex_
  std::map<std::uint64_t, Call> enqueued_;  // guarded by mutex_
};

/// Returns the calls of the fake library that contains this function. Each fake library compiles its own copy.
DeviceCalls& device_calls();

}  // namespace troupe::tests::fake_cuda
