/// The platform "Troupe".
#pragma once

#include <deque>
#include <vector>

#include "opencl/objects/device.hpp"

namespace troupe::opencl {

/// The only platform of this library. The first call that needs the platform makes it; it is never destroyed. The
/// constructor asks the vendors for their devices, and starts no threads.
class Platform : public TypedObject<_cl_platform_id, ObjectType::platform, CL_INVALID_PLATFORM> {
 public:
  [[nodiscard]] static Platform& get();

  /// Returns the devices that programs see; empty if there is no real device. First comes the device that unifies all
  /// real devices. Then come devices that unify all devices of one type, if there are several of that type and also
  /// devices of other types. Then come the real devices.
  [[nodiscard]] const std::vector<Device*>& devices() const { return shown_; }
  /// Returns the real devices in the order of `list_opencl_devices`; `RealDevice::number` is the index.
  [[nodiscard]] const std::deque<RealDevice>& real_devices() const { return real_; }
  /// Returns the visible devices that stand only for devices of these types. For CL_DEVICE_TYPE_DEFAULT, returns the
  /// device that unifies all. Refuses with CL_INVALID_DEVICE_TYPE and CL_DEVICE_NOT_FOUND.
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
