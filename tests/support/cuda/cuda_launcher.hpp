/// Launches kernels of the fake CUDA library by their names.
#pragma once

#include <array>

#include "platform/cuda/cuda_api.hpp"

namespace troupe::tests {

class CudaLauncher {
 public:
  CudaLauncher() : api_(*platform::cuda_api().value_or_throw()) {
    const int code = 0;
    check(api_.cudaLibraryLoadData(&library_, &code, nullptr, nullptr, 0, nullptr, nullptr, 0));
  }
  ~CudaLauncher() { (void)api_.cudaLibraryUnload(library_); }
  CudaLauncher(const CudaLauncher&) = delete;
  CudaLauncher& operator=(const CudaLauncher&) = delete;

  template <class... A>
  void operator()(void* stream, const char* name, A... arguments) const {
    cudaKernel_t kernel = nullptr;
    check(api_.cudaLibraryGetKernel(&kernel, library_, name));
    std::array<void*, sizeof...(A)> places{&arguments...};
    check(api_.cudaLaunchKernel(kernel, {1, 1, 1}, {32, 1, 1}, places.data(), 0, static_cast<cudaStream_t>(stream)));
  }
  const platform::CudaApi& api() const { return api_; }

 private:
  void check(cudaError_t status) const { platform::cuda_check(api_, status, "in the kernel").value_or_throw(); }

  const platform::CudaApi& api_;
  cudaLibrary_t library_ = nullptr;
};

}  // namespace troupe::tests
