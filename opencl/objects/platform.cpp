#include "opencl/objects/platform.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "opencl/objects/versions.hpp"

namespace troupe::opencl {
namespace {

/// The extensions that apply to the platform and to all devices.
constexpr std::string_view kPlatformExtensions = "cl_khr_icd";

}  // namespace

Platform& Platform::get() {
  // The platform is never destroyed: programs may use OpenCL handles in the destructors of their own static objects.
  static auto* platform = new Platform();
  return *platform;
}

Platform::Platform() {
  std::vector<RealDevice*> all;
  for (const platform::OpenClDevice& device : platform::list_opencl_devices().devices) {
    all.push_back(&real_.emplace_back(static_cast<int>(real_.size()), device));
  }
  if (all.empty()) return;
  shown_.push_back(&unified_.emplace_back(all));
  add_unified_of_types(all);
  shown_.insert(shown_.end(), all.begin(), all.end());
}

void Platform::add_unified_of_types(const std::vector<RealDevice*>& all) {
  static constexpr std::array<std::pair<cl_device_type, const char*>, 3> kTypes{
      {{CL_DEVICE_TYPE_GPU, "GPUs"}, {CL_DEVICE_TYPE_CPU, "CPUs"}, {CL_DEVICE_TYPE_ACCELERATOR, "accelerators"}}};
  std::vector<std::vector<RealDevice*>> known{all};
  for (const auto& [type, name] : kTypes) {
    std::vector<RealDevice*> some;
    std::ranges::copy_if(all, std::back_inserter(some), [type = type](const RealDevice* d) { return d->is_of(type); });
    // A unified device for a single real device would only duplicate that device.
    if (some.size() < 2 || std::ranges::find(known, some) != known.end()) continue;
    known.push_back(some);
    shown_.push_back(&unified_.emplace_back(std::move(some), name));
  }
}

std::vector<Device*> Platform::devices_of(cl_device_type types) const {
  constexpr cl_device_type kKnown = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                    CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  require(types == CL_DEVICE_TYPE_ALL || (types != 0 && (types & ~kKnown) == 0), CL_INVALID_DEVICE_TYPE);
  std::vector<Device*> found;
  std::ranges::copy_if(shown_, std::back_inserter(found),
                       [types](const Device* device) { return device->is_of(types); });
  require(!found.empty(), CL_DEVICE_NOT_FOUND);
  return found;
}

void Platform::info(cl_platform_info what, const Info& answer) const {
  static constexpr std::array<cl_name_version, 1> kVersions{{{kOneZero, "cl_khr_icd"}}};
  switch (what) {
    case CL_PLATFORM_PROFILE: return answer.text("FULL_PROFILE");
    case CL_PLATFORM_VERSION: return answer.text(kOpenClVersion);
    case CL_PLATFORM_NUMERIC_VERSION: return answer.value(kNumericVersion);
    case CL_PLATFORM_NAME: return answer.text("Troupe");
    case CL_PLATFORM_VENDOR: return answer.text("Troupe");
    case CL_PLATFORM_EXTENSIONS: return answer.text(kPlatformExtensions);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: return answer.list(std::span<const cl_name_version>(kVersions));
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: return answer.value(cl_ulong{0});
    case CL_PLATFORM_ICD_SUFFIX_KHR: return answer.text("TROUPE");
    default: throw Refusal(CL_INVALID_VALUE);
  }
}

}  // namespace troupe::opencl
