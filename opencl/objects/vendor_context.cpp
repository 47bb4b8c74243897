#include "opencl/objects/vendor_context.hpp"

#include "platform/opencl/opencl_contexts.hpp"

namespace troupe::opencl {

VendorContext::VendorContext(const platform::OpenClDevice& device) : device_(&device) {
  const auto context = platform::opencl_context(device);
  require(static_cast<bool>(context), CL_OUT_OF_RESOURCES);
  context_ = context.value();
}

}  // namespace troupe::opencl
