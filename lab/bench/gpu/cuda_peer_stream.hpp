/// A stream of the first GPU, for measurements that use no runtime.
#pragma once

#include <string>

#include "platform/cuda/cuda_api.hpp"

namespace troupe::bench::peers {

inline const platform::CudaApi& cuda() { return *platform::cuda_api().value_or_throw(); }

inline void check(cudaError_t status, const std::string& what) {
  platform::cuda_check(cuda(), status, what).value_or_throw();
}

class Stream {
 public:
  Stream() {
    check(cuda().cudaSetDevice(0), "cudaSetDevice");
    check(cuda().cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, 0), "cudaStreamCreateWithPriority");
  }
  ~Stream() { (void)cuda().cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait(const char* what) const { check(cuda().cudaStreamSynchronize(stream_), what); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace troupe::bench::peers
