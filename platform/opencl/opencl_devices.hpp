/// The OpenCL devices of this machine: of every driver that is installed for OpenCL's loaders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/errors.hpp"
#include "proto/units.hpp"

struct _cl_icd_dispatch;
struct _cl_platform_id;
struct _cl_device_id;

namespace troupe::platform {

/// As its driver says it is one.
enum class OpenClDeviceSort : std::uint8_t { cpu, gpu, accelerator, other };

/// "cpu".
[[nodiscard]] const char* to_string(OpenClDeviceSort sort);

struct OpenClDevice {
  /// From 0, over all platforms, in the order in which they were found.
  int index = 0;
  /// What it is called by: the driver's own table. Both stay as long as the process.
  const _cl_icd_dispatch* api = nullptr;
  _cl_platform_id* platform = nullptr;
  _cl_device_id* id = nullptr;
  std::string name;
  std::string vendor;
  std::string platform_name;
  /// "OpenCL 3.0 …", of the device.
  std::string version;
  std::string driver_version;
  OpenClDeviceSort sort = OpenClDeviceSort::other;
  int compute_units = 0;
  Bytes memory;
  Bytes largest_buffer;
  Bytes local_memory;
  /// Its memory is the host's.
  bool shares_host_memory = false;
};

/// For people: "OpenCL device 0 (Arc A770)".
[[nodiscard]] std::string name_of(const OpenClDevice& device);

/// A driver, a platform or a device that is not used.
struct SkippedOpenCl {
  /// The library's file, or the platform's or device's name.
  std::string what;
  std::string why;
  /// Something is wrong, with the driver or how it is installed; else it is as it is meant to be.
  bool faulty = true;
};

struct OpenClDevices {
  std::vector<OpenClDevice> devices;
  std::vector<SkippedOpenCl> skipped;
};

/// What the drivers offer; they are loaded by the first call, and stay loaded. libOpenCL takes no part, so this may be
/// called from a driver that it is loading. Never fails: what cannot be used is in `skipped`. Any thread.
[[nodiscard]] const OpenClDevices& list_opencl_devices();

}  // namespace troupe::platform
