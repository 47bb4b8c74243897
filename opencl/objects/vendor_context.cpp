#include "opencl/objects/vendor_context.hpp"

#include <sched.h>

#include <array>
#include <cstring>
#include <thread>

namespace troupe::opencl {
namespace {

/// Lets this thread run on every core that the process may use.
void unpin_this_thread() {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  ::sched_setaffinity(0, sizeof all, &all);  // the system takes away what is not allowed; a failure changes nothing
}

cl_int make_context(const platform::OpenClDevice& device, cl_context& made) {
  const std::array<cl_context_properties, 3> properties{
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device.platform), 0};
  cl_int status = CL_SUCCESS;
  const cl_device_id id = device.id;
  made = device.api->clCreateContext(properties.data(), 1, &id, nullptr, nullptr, &status);
  return status;
}

}  // namespace

VendorContext::VendorContext(const platform::OpenClDevice& device) : device_(&device) {
  cl_int status = CL_OUT_OF_RESOURCES;
  std::thread starter([&] {
    unpin_this_thread();
    status = make_context(device, context_);
  });
  starter.join();
  accept(status);
}

}  // namespace troupe::opencl
