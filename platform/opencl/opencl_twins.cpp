#include "platform/opencl/opencl_twins.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "platform/opencl/opencl_devices.hpp"

namespace troupe::platform {

std::string opencl_twin_option(const _cl_device_id* device) {
  const auto& all = list_opencl_devices().devices;
  const auto here = std::ranges::find(all, device, &OpenClDevice::id);
  const auto before = std::count_if(all.begin(), here, [&](const OpenClDevice& other) {
    return here != all.end() && other.platform == here->platform && other.name == here->name;
  });
  return here == all.end() || before == 0 ? "" : fmt::format(" -DTROUPE_TWIN={}", before);
}

}  // namespace troupe::platform
