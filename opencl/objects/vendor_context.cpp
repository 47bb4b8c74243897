#include "opencl/objects/vendor_context.hpp"

#include <array>
#include <optional>

#include "platform/machine/binding.hpp"

namespace troupe::opencl {
namespace {

/// Where the process might run before anybody bound its threads.
const Result<platform::CpuSet> kPusOfProcess = platform::this_thread_binding();

}  // namespace

VendorContext::VendorContext(const platform::OpenClDevice& device) : device_(&device) {
  std::optional<platform::BindingGuard> unbound;
  if (kPusOfProcess) {
    if (auto guard = platform::BindingGuard::bind(kPusOfProcess.value())) unbound.emplace(std::move(guard).value());
  }
  const std::array<cl_context_properties, 3> properties{CL_CONTEXT_PLATFORM,
                                                        reinterpret_cast<cl_context_properties>(device.platform), 0};
  cl_int status = CL_SUCCESS;
  const cl_device_id id = device.id;
  context_ = device.api->clCreateContext(properties.data(), 1, &id, nullptr, nullptr, &status);
  accept(status);
}

}  // namespace troupe::opencl
