// The functions of this folder in a build without the CUDA toolkit. They fail and say so, or do nothing.
#include "platform/cuda/cuda_devices.hpp"
#include "platform/memory/pinned_memory.hpp"

namespace troupe::platform {

namespace {

Failure built_without() {
  return {ErrorCode::platform,
          "no GPUs: this Troupe was built without CUDA (configure it where the CUDA toolkit is found, or with "
          "-DTROUPE_CUDA=ON to hear what is missing)"};
}

}  // namespace

Result<std::vector<CudaDeviceInfo>> list_cuda_devices(AskFreeMemory /*free_memory*/) { return built_without(); }

CudaPeak cuda_peak(int /*index*/) { return {}; }

Result<std::unique_ptr<CudaAccelerator>> open_cuda_accelerator(int /*index*/, std::optional<Bytes> /*limit*/) {
  return built_without();
}

Result<PinnedMemory> PinnedMemory::pin(const std::byte* /*data*/, Bytes /*size*/) { return PinnedMemory(); }

void PinnedMemory::unpin() noexcept {}

}  // namespace troupe::platform
