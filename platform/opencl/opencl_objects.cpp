#include "platform/opencl/opencl_objects.hpp"

namespace troupe::platform {

Result<OpenClQueue> make_opencl_queue(const _cl_icd_dispatch& api, cl_context context, cl_device_id device,
                                      bool profiled) {
  cl_int status = CL_SUCCESS;
  // The newer function `clCreateCommandQueueWithProperties` is missing in drivers of OpenCL 1.2.
  const cl_command_queue queue =
      api.clCreateCommandQueue(context, device, profiled ? CL_QUEUE_PROFILING_ENABLE : 0, &status);
  if (const auto made = opencl_check(status, "making a command queue", ErrorCode::platform); !made) {
    return made.failure();
  }
  return OpenClQueue(api, queue);
}

}  // namespace troupe::platform
