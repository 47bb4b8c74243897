#include "platform/opencl/opencl_quirks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace troupe::platform {

bool opencl_takes_one_launch(const OpenClDevice& device) {
  return device.platform_name == "Portable Computing Language";
}

std::string opencl_twin_option(const _cl_device_id* device) {
  return opencl_twin_option(device, list_opencl_devices());
}

std::string opencl_twin_option(const _cl_device_id* device, const OpenClDevices& all) {
  const auto here = std::ranges::find(all.devices, device, &OpenClDevice::id);
  if (here == all.devices.end()) return {};
  const auto before = std::count_if(all.devices.begin(), here, [&here](const OpenClDevice& other) {
    return other.platform == here->platform && other.name == here->name;
  });
  return before == 0 ? std::string() : fmt::format(" -DTROUPE_TWIN={}", before);
}

}  // namespace troupe::platform
