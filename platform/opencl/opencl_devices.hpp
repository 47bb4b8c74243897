/// The OpenCL devices of this machine, from every driver that is installed for OpenCL's loaders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

struct _cl_icd_dispatch;
struct _cl_platform_id;
struct _cl_device_id;

namespace troupe::platform {

/// The sort of a device, as its driver reports it.
enum class OpenClDeviceSort : std::uint8_t { cpu, gpu, accelerator, other };

/// Returns the sort's name, such as "cpu".
[[nodiscard]] const char* to_string(OpenClDeviceSort sort);

struct OpenClDevice {
  /// The number of the device, counted from 0 over all platforms, in the order in which Troupe finds them.
  int index = 0;
  /// The driver's own table of functions; all calls to the device go through it. Table and platform stay valid for
  /// ever.
  const _cl_icd_dispatch* api = nullptr;
  _cl_platform_id* platform = nullptr;
  _cl_device_id* id = nullptr;
  std::string name;
  std::string vendor;
  std::string platform_name;
  /// The device's version, such as "OpenCL 3.0 …".
  std::string version;
  std::string driver_version;
  OpenClDeviceSort sort = OpenClDeviceSort::other;
  int compute_units = 0;
  Bytes memory;
  Bytes largest_buffer;
  Bytes local_memory;
  /// True if the device has no memory of its own, but uses the host's.
  bool shares_host_memory = false;
};

/// Returns the name for people, such as "OpenCL device 0 (Arc A770)".
[[nodiscard]] std::string name_of(const OpenClDevice& device);

/// A driver, a platform or a device that is not used.
struct SkippedOpenCl {
  /// The library's file, or the platform's or device's name.
  std::string what;
  std::string why;
  /// True if something is wrong with the driver or its installation; false if Troupe does not use this item on purpose.
  bool faulty = true;
};

struct OpenClDevices {
  std::vector<OpenClDevice> devices;
  std::vector<SkippedOpenCl> skipped;
};

/// Returns the devices that the drivers offer; the drivers are loaded by the first call, and stay loaded. libOpenCL is
/// not used, so a driver that libOpenCL is loading may call this. Never fails: `skipped` lists the drivers, platforms
/// and devices that cannot be used. May be called from any thread.
[[nodiscard]] const OpenClDevices& list_opencl_devices();

}  // namespace troupe::platform
