/// Streams, events and memory of CUDA that are released when their owner is destroyed.
#pragma once

#include <utility>

#include "platform/cuda/cuda_api.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// Owns an object of CUDA, and releases it with the function `Destroy`. Errors of this function are ignored: they mean
/// that the device is lost, and nothing can be done about that.
template <class Object, auto CudaApi::*Destroy>
class CudaObject {
 public:
  CudaObject() = default;
  CudaObject(const CudaApi& api, Object object) : api_(&api), object_(object) {}
  CudaObject(CudaObject&& other) noexcept : api_(other.api_), object_(std::exchange(other.object_, Object{})) {}
  CudaObject& operator=(CudaObject&& other) noexcept {
    if (this != &other) {
      reset();
      api_ = other.api_;
      object_ = std::exchange(other.object_, Object{});
    }
    return *this;
  }
  CudaObject(const CudaObject&) = delete;
  CudaObject& operator=(const CudaObject&) = delete;
  ~CudaObject() { reset(); }

  void reset() noexcept {
    if (object_ != Object{}) (void)(api_->*Destroy)(std::exchange(object_, Object{}));
  }
  [[nodiscard]] Object get() const { return object_; }

 private:
  const CudaApi* api_ = nullptr;
  Object object_{};
};

using CudaStream = CudaObject<cudaStream_t, &CudaApi::cudaStreamDestroy>;
using CudaEvent = CudaObject<cudaEvent_t, &CudaApi::cudaEventDestroy>;
using CudaMemory = CudaObject<void*, &CudaApi::cudaFree>;
using CudaPinnedMemory = CudaObject<void*, &CudaApi::cudaFreeHost>;

/// Makes a stream of the calling thread's device. The stream does not wait for any other stream, and no other stream
/// waits for it. If `urgent`, the stream has the highest priority that exists; otherwise it has the lowest.
[[nodiscard]] Result<CudaStream> make_cuda_stream(const CudaApi& api, bool urgent = false);
/// Makes an event. With `timing`, `cudaEventElapsedTime` can use the event, and a thread that waits for the event
/// polls. Without `timing`, a waiting thread sleeps, which costs the device an interrupt.
[[nodiscard]] Result<CudaEvent> make_cuda_event(const CudaApi& api, bool timing);
[[nodiscard]] Result<CudaMemory> make_cuda_memory(const CudaApi& api, Bytes size);
[[nodiscard]] Result<CudaPinnedMemory> make_cuda_pinned_memory(const CudaApi& api, Bytes size);

}  // namespace troupe::platform
