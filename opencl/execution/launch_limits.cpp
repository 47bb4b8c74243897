#include "opencl/execution/launch_limits.hpp"

#include <array>
#include <memory>

namespace troupe::opencl {

namespace {

/// What one kernel needs of one device, and has there.
struct LaunchLimits {
  std::size_t work_group = 0;
  std::array<std::size_t, 3> required{};
  std::array<std::size_t, 3> items{};
  /// Local memory, in bytes: what the kernel declares, and what the device has.
  cl_ulong declared = 0;
  cl_ulong local = 0;
};

template <class T>
T kernel_answer(const VendorKernel& kernel, cl_kernel_work_group_info what) {
  T value{};
  accept(kernel.api().clGetKernelWorkGroupInfo(kernel.kernel(), kernel.device(), what, sizeof value, &value, nullptr));
  return value;
}

template <class T>
T device_answer(const VendorKernel& kernel, cl_device_info what) {
  T value{};
  accept(kernel.api().clGetDeviceInfo(kernel.device(), what, sizeof value, &value, nullptr));
  return value;
}

LaunchLimits ask(const VendorKernel& kernel) {
  LaunchLimits limits;
  limits.work_group = kernel_answer<std::size_t>(kernel, CL_KERNEL_WORK_GROUP_SIZE);
  limits.required = kernel_answer<std::array<std::size_t, 3>>(kernel, CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
  limits.items = device_answer<std::array<std::size_t, 3>>(kernel, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  limits.local = device_answer<cl_ulong>(kernel, CL_DEVICE_LOCAL_MEM_SIZE);
  // Some vendors add what was last set as arguments; too much is refused by the launch itself.
  limits.declared = 0;
  return limits;
}

cl_int group_status(const LaunchLimits& limits, const NdRange& range) {
  const bool required = limits.required[0] != 0;
  if (!range.has_local) return required ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
  std::size_t items = 1;
  for (unsigned d = 0; d < range.dimensions; ++d) {
    if (range.local[d] == 0 || range.global[d] % range.local[d] != 0) return CL_INVALID_WORK_GROUP_SIZE;
    if (required && range.local[d] != limits.required[d]) return CL_INVALID_WORK_GROUP_SIZE;
    if (range.local[d] > limits.items[d]) return CL_INVALID_WORK_ITEM_SIZE;
    if (__builtin_mul_overflow(items, range.local[d], &items)) return CL_INVALID_WORK_GROUP_SIZE;
  }
  return items <= limits.work_group ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE;
}

}  // namespace

cl_int launch_status(const Kernel& kernel, const RealDevice& device, const NdRange& range,
                     const KernelArguments& arguments) {
  const std::shared_ptr<VendorKernel>& vendor = kernel.on(device);
  if (vendor == nullptr) return CL_INVALID_PROGRAM_EXECUTABLE;
  const std::shared_ptr<const void> known =
      vendor->limits([&] { return std::make_shared<const LaunchLimits>(ask(*vendor)); });
  const auto& limits = *static_cast<const LaunchLimits*>(known.get());
  if (const cl_int status = group_status(limits, range); status != CL_SUCCESS) return status;
  cl_ulong local = limits.declared;
  for (const KernelArgument& argument : arguments.list) {
    if (argument.kind == ParameterKind::local) local += argument.size;
  }
  return local <= limits.local ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

}  // namespace troupe::opencl
