// The CUDA device in a build that was made without the CUDA toolkit.
#include "actors/workers/devices/cuda_device.hpp"

namespace troupe::workers {

Result<std::unique_ptr<Device>> make_cuda_device(CudaDeviceOptions /*options*/, DeviceListener& /*listener*/) {
  return Failure{ErrorCode::platform, "no GPUs: this Troupe was built without CUDA"};
}

}  // namespace troupe::workers
