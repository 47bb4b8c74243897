#include "opencl/objects/context_properties.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "actors/scheduler/policy.hpp"
#include "opencl/objects/platform.hpp"
#include "opencl/objects/report.hpp"

namespace troupe::opencl {
namespace {

/// Returns the text at the address. Refuses values that cannot be an address; other mistakes cannot be detected.
std::string text_at(cl_context_properties address) {
  constexpr std::uintptr_t kFirstPage = 4096;
  require(static_cast<std::uintptr_t>(address) >= kFirstPage, CL_INVALID_PROPERTY);
  return reinterpret_cast<const char*>(address);
}

std::string known_policy(const std::string& name) {
  const std::string_view specification = policy_of_starpu(name);
  if (const auto policy = scheduler::make_policy(specification, {}, true); !policy) {
    report("clCreateContext: policy \"" + name + "\": " + policy.failure().message);
    throw Refusal(CL_INVALID_PROPERTY);
  }
  return std::string(specification);
}

void set_property(ContextProperties& properties, cl_context_properties name, cl_context_properties value) {
  switch (name) {
    case CL_CONTEXT_PLATFORM: (void)need<Platform>(reinterpret_cast<cl_platform_id>(value)); break;
    case CL_CONTEXT_INTEROP_USER_SYNC:
      require(value == CL_TRUE || value == CL_FALSE, CL_INVALID_PROPERTY);
      properties.interop_user_sync = value == CL_TRUE;
      break;
    case kContextPolicy: properties.policy = known_policy(text_at(value)); break;
    case kContextName: properties.name = text_at(value); break;
    default: throw Refusal(CL_INVALID_PROPERTY);
  }
}

}  // namespace

std::string_view policy_of_starpu(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames{{{"dm", "mct"},
                                                                                        {"dmda", "mct:dmda"},
                                                                                        {"dmdar", "mct:dmda"},
                                                                                        {"dmdas", "heft:dmda"},
                                                                                        {"pheft", "heft"},
                                                                                        {"prio", "eager"},
                                                                                        {"peager", "eager"}}};
  const auto* found = std::ranges::find(kNames, name, [](const auto& entry) { return entry.first; });
  return found == kNames.end() ? name : found->second;
}

ContextProperties ContextProperties::parse(const cl_context_properties* list) {
  ContextProperties properties;
  if (list == nullptr) return properties;
  std::vector<cl_context_properties> seen;
  const auto* entry = list;
  for (; *entry != 0; entry += 2) {
    require(std::ranges::find(seen, entry[0]) == seen.end(), CL_INVALID_PROPERTY);
    seen.push_back(entry[0]);
    set_property(properties, entry[0], entry[1]);
  }
  properties.list.assign(list, entry + 1);
  return properties;
}

}  // namespace troupe::opencl
