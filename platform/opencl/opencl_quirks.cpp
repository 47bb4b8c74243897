#include "platform/opencl/opencl_quirks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "proto/mutex.hpp"

namespace troupe::platform {

std::binary_semaphore* opencl_launch_turn(const OpenClDevice& device) {
  if (device.platform_name != "Portable Computing Language") return nullptr;
  struct Turns {
    Mutex mutex;
    /// One semaphore per device. A map holds them, because semaphores cannot move.
    std::map<const _cl_device_id*, std::binary_semaphore> of TROUPE_GUARDED_BY(mutex);
  };
  // The object is never destroyed: a program's own static objects may use OpenCL until the very end.
  static auto* const turns = new Turns;
  const LockGuard lock(turns->mutex);
  return &turns->of.try_emplace(device.id, 1).first->second;
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
