#include "opencl/execution/launch_check.hpp"

#include <fmt/format.h>

#include "opencl/objects/report.hpp"

namespace troupe::opencl {

namespace {

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
  return items <= limits.group ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE;
}

}  // namespace

cl_int launch_status(const Kernel& kernel, const RealDevice& device, const NdRange& range) {
  const LaunchLimits* const limits = kernel.limits(device);
  if (limits == nullptr) return CL_INVALID_PROGRAM_EXECUTABLE;
  if (const cl_int status = group_status(*limits, range); status != CL_SUCCESS) return status;
  const cl_ulong local = kernel.local_memory(device);
  return local <= limits->local_memory ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

void report_local_memory(const Kernel& kernel, const RealDevice& device) {
  const std::string name = fmt::format("local memory of {} on {}", kernel.name(), device.number());
  report_once(name,
              fmt::format("a launch of kernel {} needs {} bytes of local memory, and {} has {}: it cannot run there",
                          kernel.name(), kernel.local_memory(device), name_of(device.vendor()),
                          kernel.limits(device)->local_memory));
}

}  // namespace troupe::opencl
