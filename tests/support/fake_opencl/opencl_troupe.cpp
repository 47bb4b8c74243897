// Imitates Troupe as an OpenCL driver: a library with both the fake driver's functions and the code that loads drivers.
#include <string>

#include "platform/opencl/opencl_loading.hpp"

/// Lets the code in this library load the driver `driver`. Writes to `why` why the driver was skipped, or "used".
/// Returns the number of devices found.
extern "C" __attribute__((visibility("default"))) int load_from_inside(const char* driver, std::string* why) {
  const troupe::platform::OpenClDevices all = troupe::platform::load_opencl_devices({.vendors = driver});
  *why = all.skipped.empty() ? "used" : all.skipped[0].why;
  return static_cast<int>(all.devices.size());
}
