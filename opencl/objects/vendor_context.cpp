#include "opencl/objects/vendor_context.hpp"

#include "opencl/objects/report.hpp"

namespace troupe::opencl {

platform::OpenClContext VendorContext::hold() const {
  auto context = platform::opencl_context(*device_);
  if (context) return std::move(context).value();
  report_once(context.failure().message);
  throw Refusal(CL_OUT_OF_RESOURCES);
}

}  // namespace troupe::opencl
