#include "opencl/execution/kernel_launch.hpp"

#include <fmt/format.h>

#include "opencl/objects/report.hpp"
#include "platform/opencl/opencl_error.hpp"
#include "troupe/codelet.hpp"

namespace troupe::opencl {

int reported(Kernel& kernel, const RealDevice& device, int status) {
  if (status == CL_SUCCESS) return status;
  const std::string what = fmt::format("launching kernel {} on {} failed: {}", kernel.name(), name_of(device.vendor()),
                                       platform::opencl_error(status));
  report_once(kernel.codelet().name(), what);
  return status;
}

LaunchedArguments::~LaunchedArguments() {
  for (cl_mem part : parts_) kernel_.api().clReleaseMemObject(part);
}

int LaunchedArguments::set(cl_uint index, const PlacedArgument& buffer) {
  cl_mem memory = launch_.buffer(buffer.address);
  if (buffer.size != 0) {
    const cl_buffer_region region{buffer.offset, buffer.size};
    int status = CL_SUCCESS;
    memory = kernel_.api().clCreateSubBuffer(memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    if (status != CL_SUCCESS) return status;
    parts_.push_back(memory);
  }
  return set(index, sizeof memory, &memory);
}

int LaunchedArguments::set(cl_uint index, std::size_t size, const void* value) {
  return kernel_.api().clSetKernelArg(kernel_.kernel(), index, size, value);
}

int LaunchedArguments::enqueue(const NdRange& range) {
  return kernel_.api().clEnqueueNDRangeKernel(launch_.queue(), kernel_.kernel(), range.dimensions, range.offset.data(),
                                              range.global.data(), range.has_local ? range.local.data() : nullptr, 0,
                                              nullptr, nullptr);
}

}  // namespace troupe::opencl
