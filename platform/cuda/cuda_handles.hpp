/// Streams, events and memory of CUDA that are released when their owner is destroyed.
#pragma once

#include <utility>

#include "platform/cuda/cuda_api.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// Owns an object of CUDA, and releases it with the function `Destroy`. Errors of this function are ignored: they mean
/// that the device is lost, and nothing can be done about that.
template <class Handle, auto CudaApi::*Destroy>
class CudaHandle {
 public:
  CudaHandle() = default;
  CudaHandle(const CudaApi& api, Handle handle) : api_(&api), handle_(handle) {}
  CudaHandle(CudaHandle&& other) noexcept : api_(other.api_), handle_(std::exchange(other.handle_, Handle{})) {}
  CudaHandle& operator=(CudaHandle&& other) noexcept {
    if (this != &other) {
      reset();
      api_ = other.api_;
      handle_ = std::exchange(other.handle_, Handle{});
    }
    return *this;
  }
  CudaHandle(const CudaHandle&) = delete;
  CudaHandle& operator=(const CudaHandle&) = delete;
  ~CudaHandle() { reset(); }

  void reset() noexcept {
    if (handle_ != Handle{}) (void)(api_->*Destroy)(std::exchange(handle_, Handle{}));
  }
  [[nodiscard]] Handle get() const { return handle_; }

 private:
  const CudaApi* api_ = nullptr;
  Handle handle_{};
};

using CudaStream = CudaHandle<cudaStream_t, &CudaApi::cudaStreamDestroy>;
using CudaEvent = CudaHandle<cudaEvent_t, &CudaApi::cudaEventDestroy>;
using CudaMemory = CudaHandle<void*, &CudaApi::cudaFree>;
using CudaPinnedMemory = CudaHandle<void*, &CudaApi::cudaFreeHost>;

/// Makes a stream of the calling thread's device. The stream does not wait for any other stream, and no other stream
/// waits for it. If `urgent`, it has the highest priority that exists; otherwise the lowest.
[[nodiscard]] Result<CudaStream> make_cuda_stream(const CudaApi& api, bool urgent = false);
/// Makes an event. With `timing`, `cudaEventElapsedTime` can use the event, and a thread that waits for the event
/// polls. Without `timing`, a waiting thread sleeps, which costs the device an interrupt.
[[nodiscard]] Result<CudaEvent> make_cuda_event(const CudaApi& api, bool timing);
[[nodiscard]] Result<CudaMemory> make_cuda_memory(const CudaApi& api, Bytes size);
[[nodiscard]] Result<CudaPinnedMemory> make_cuda_pinned_memory(const CudaApi& api, Bytes size);

}  // namespace troupe::platform
