/// The vendor's context of a real device, in which programs are built and kernels exist: one per device and process.
#pragma once

#include <CL/cl_icd.h>

#include "opencl/objects/refusal.hpp"
#include "platform/opencl/opencl_contexts.hpp"
#include "platform/opencl/opencl_devices.hpp"

namespace troupe::opencl {

/// The vendor's context. The runtime keeps data on the device in the same context
/// (platform/opencl/opencl_contexts.hpp), so that kernels can use the data.
class VendorContext {
 public:
  explicit VendorContext(const platform::OpenClDevice& device) : device_(&device) {}
  VendorContext(const VendorContext&) = delete;
  VendorContext& operator=(const VendorContext&) = delete;

  [[nodiscard]] const cl_icd_dispatch& api() const { return *device_->api; }
  /// `hold` and `device` return OpenCL handles of the vendor, not of Troupe. The context lives as long as a result of
  /// `hold` exists. `hold` refuses with CL_OUT_OF_RESOURCES, after a line on standard error, if the vendor cannot make
  /// a context.
  [[nodiscard]] platform::OpenClContext hold() const;
  [[nodiscard]] cl_device_id device() const { return device_->id; }

 private:
  const platform::OpenClDevice* device_;
};

}  // namespace troupe::opencl
