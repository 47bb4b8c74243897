/// The platform "Troupe".
#pragma once

#include <deque>
#include <vector>

#include "opencl/objects/device.hpp"

namespace troupe::opencl {

/// There is one, made at the first call that needs it and never destroyed. Making it asks the vendors for their
/// devices, and starts nothing.
class Platform : public HandleOf<_cl_platform_id, ObjectType::platform, CL_INVALID_PLATFORM> {
 public:
  [[nodiscard]] static Platform& get();

  /// The unified one first, then those that unite devices of one type where there are several and others, too; then
  /// the real ones. Empty where there is no real one.
  [[nodiscard]] const std::vector<Device*>& devices() const { return shown_; }
  /// In the order of `list_opencl_devices`; `RealDevice::number` is the index.
  [[nodiscard]] const std::deque<RealDevice>& real_devices() const { return real_; }
  /// Of all devices shown, those that stand for devices of these types alone; CL_DEVICE_TYPE_DEFAULT is the unified
  /// one. Refuses with
  /// CL_INVALID_DEVICE_TYPE and CL_DEVICE_NOT_FOUND.
  [[nodiscard]] std::vector<Device*> devices_of(cl_device_type types) const;

  void info(cl_platform_info what, const Info& answer) const;

 private:
  Platform();
  void add_unified_of_types(const std::vector<RealDevice*>& all);

  std::deque<RealDevice> real_;
  std::deque<Device> unified_;
  std::vector<Device*> shown_;
};

}  // namespace troupe::opencl
