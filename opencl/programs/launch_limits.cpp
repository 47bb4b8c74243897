#include "opencl/programs/launch_limits.hpp"

namespace troupe::opencl {

LaunchLimits LaunchLimits::of(const VendorKernel& kernel) {
  LaunchLimits limits;
  const auto ask_kernel = [&kernel](cl_kernel_work_group_info what, auto& value) {
    accept(
        kernel.api().clGetKernelWorkGroupInfo(kernel.kernel(), kernel.device(), what, sizeof value, &value, nullptr));
  };
  const auto ask_device = [&kernel](cl_device_info what, auto& value) {
    accept(kernel.api().clGetDeviceInfo(kernel.device(), what, sizeof value, &value, nullptr));
  };
  ask_kernel(CL_KERNEL_WORK_GROUP_SIZE, limits.group);
  ask_kernel(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, limits.required);
  ask_device(CL_DEVICE_MAX_WORK_ITEM_SIZES, limits.items);
  ask_device(CL_DEVICE_LOCAL_MEM_SIZE, limits.local_memory);
  return limits;
}

}  // namespace troupe::opencl
