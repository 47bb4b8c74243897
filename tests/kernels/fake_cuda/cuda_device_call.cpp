#include "tests/kernels/fake_cuda/cuda_device_call.hpp"

#include <string>
#include <utility>

// The control of the fake CUDA runtime library. The library that contains this file is linked to the fake runtime.
extern "C" troupe::tests::FakeCudaControl* fake_cuda_control();

namespace troupe::tests::fake_cuda {

cudaError_t DeviceCalls::find_kernel() {
  if (kernel_ != nullptr) return cudaSuccess;
  // Each library registers one kernel, with a name that no other library uses.
  const std::string name = "fake_library_call_" + std::to_string(reinterpret_cast<std::uintptr_t>(this));
  register_kernel<std::uint64_t>(*fake_cuda_control(), name,
                                 [this](const FakeLaunch& launch, std::uint64_t number) { run(launch, number); });
  cudaLibrary_t library = nullptr;
  const cudaError_t loaded = cudaLibraryLoadData(&library, "", nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (loaded != cudaSuccess) return loaded;
  const cudaError_t found = cudaLibraryGetKernel(&kernel_, library, name.c_str());
  (void)cudaLibraryUnload(library);
  return found;
}

cudaError_t DeviceCalls::launch(cudaStream_t stream, Call call) {
  std::uint64_t number = 0;
  cudaKernel_t kernel = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (const cudaError_t error = find_kernel(); error != cudaSuccess) return error;
    kernel = kernel_;
    number = ++last_;
    enqueued_[number] = std::move(call);
  }
  void* arguments[] = {&number};
  const cudaError_t error =
      cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0, stream);
  if (error != cudaSuccess) {
    const std::lock_guard lock(mutex_);
    enqueued_.erase(number);
  }
  return error;
}

void DeviceCalls::run(const FakeLaunch& launch, std::uint64_t number) {
  Call call;
  {
    const std::lock_guard lock(mutex_);
    call = std::move(enqueued_.at(number));
    enqueued_.erase(number);
  }
  call(launch);
}

DeviceCalls& device_calls() {
  static DeviceCalls all;
  return all;
}

}  // namespace troupe::tests::fake_cuda
