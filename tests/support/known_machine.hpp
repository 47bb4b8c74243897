/// The machine descriptions that come with Troupe. Each is read only once, because reading takes longer than a
/// simulation if a sanitizer is used.
#pragma once

#include <map>
#include <string>

#include "troupe/machine.hpp"

namespace troupe::tests {

/// Returns the description with this name. Throws if there is none. Not thread-safe.
inline const platform::MachineDescription& known_machine(const std::string& name) {
  static std::map<std::string, platform::MachineDescription> machines;
  const auto found = machines.find(name);
  if (found != machines.end()) return found->second;
  return machines.emplace(name, platform::load_machine(name).value_or_throw()).first->second;
}

}  // namespace troupe::tests
