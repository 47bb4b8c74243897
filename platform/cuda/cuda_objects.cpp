#include "platform/cuda/cuda_objects.hpp"

namespace troupe::platform {

Result<CudaStream> make_cuda_stream(const CudaApi& api, bool urgent) {
  int least = 0;
  int greatest = 0;
  cudaError_t status = api.cudaDeviceGetStreamPriorityRange(&least, &greatest);
  if (Result<void> found = cuda_check(api, status, "asking for the priorities of streams"); !found) {
    return found.failure();
  }
  cudaStream_t stream = nullptr;
  status = api.cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, urgent ? greatest : least);
  if (Result<void> made = cuda_check(api, status, "making a stream"); !made) return made.failure();
  return CudaStream(api, stream);
}

Result<CudaEvent> make_cuda_event(const CudaApi& api, bool timing) {
  cudaEvent_t event = nullptr;
  const unsigned flags = timing ? cudaEventDefault : cudaEventBlockingSync | cudaEventDisableTiming;
  const cudaError_t status = api.cudaEventCreateWithFlags(&event, flags);
  if (Result<void> made = cuda_check(api, status, "making an event"); !made) return made.failure();
  return CudaEvent(api, event);
}

Result<CudaMemory> make_cuda_memory(const CudaApi& api, Bytes size) {
  void* memory = nullptr;
  const cudaError_t status = api.cudaMalloc(&memory, size.count);
  if (Result<void> made = cuda_check(api, status, "taking " + std::to_string(size.count) + " bytes of a GPU's memory",
                                     ErrorCode::out_of_memory);
      !made) {
    return made.failure();
  }
  return CudaMemory(api, memory);
}

Result<CudaPinnedMemory> make_cuda_pinned_memory(const CudaApi& api, Bytes size) {
  void* memory = nullptr;
  const cudaError_t status = api.cudaHostAlloc(&memory, size.count, cudaHostAllocPortable);
  if (Result<void> made =
          cuda_check(api, status, "taking " + std::to_string(size.count) + " bytes of pinned host memory",
                     ErrorCode::out_of_memory);
      !made) {
    return made.failure();
  }
  return CudaPinnedMemory(api, memory);
}

}  // namespace troupe::platform
