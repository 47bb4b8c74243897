/// The machine descriptions that come with Troupe. Each is read once, because under a sanitizer reading takes longer
/// than simulating.
#pragma once

#include <map>
#include <string>

#include "troupe/machine.hpp"

namespace troupe::tests {

/// Returns the description of this name; throws if there is none. Not thread-safe.
inline const platform::MachineDescription& known_machine(const std::string& name) {
  static std::map<std::string, platform::MachineDescription> machines;
  const auto found = machines.find(name);
  if (found != machines.end()) return found->second;
  return machines.emplace(name, platform::load_machine(name).value_or_throw()).first->second;
}

}  // namespace troupe::tests
