/// The machines that come with Troupe, each read once: under a sanitizer that takes longer than to simulate on it.
#pragma once

#include <map>
#include <string>

#include "platform/described/machine_description.hpp"

namespace troupe::tests {

/// For one thread at a time. Throws where there is none of that name.
inline const platform::MachineDescription& known_machine(const std::string& name) {
  static std::map<std::string, platform::MachineDescription> machines;
  const auto found = machines.find(name);
  if (found != machines.end()) return found->second;
  return machines.emplace(name, platform::load_machine(name).value_or_throw()).first->second;
}

}  // namespace troupe::tests
