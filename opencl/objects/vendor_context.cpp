#include "opencl/objects/vendor_context.hpp"

#include "opencl/objects/report.hpp"
#include "platform/opencl/opencl_contexts.hpp"

namespace troupe::opencl {

VendorContext::VendorContext(const platform::OpenClDevice& device) : device_(&device) {
  const auto context = platform::opencl_context(device);
  if (!context) {
    report_once(context.failure().message);
    throw Refusal(CL_OUT_OF_RESOURCES);
  }
  context_ = context.value();
}

}  // namespace troupe::opencl
