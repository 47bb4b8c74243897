#include "troupe/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <memory>

#include "platform/described/embedded_machines.hpp"
#include "platform/files/file_text.hpp"

namespace troupe::platform {
namespace {

/// The size of the largest file that is read. A description of a machine with a hundred GPUs is far smaller. The bound
/// keeps an endless file, such as /dev/zero, from filling the memory.
constexpr Bytes kLargestDescription{std::uint64_t{256} << 20U};

bool is_path(const std::string& name) { return name.find('/') != std::string::npos || name.ends_with(".json"); }

}  // namespace

const DescribedRoute& MachineDescription::route(std::size_t from, std::size_t to) const {
  assert(from < node_count() && to < node_count() && from != to && "a route joins two different nodes");
  return routes[from * node_count() + to];
}

const KernelTimes* MachineDescription::find_kernel(std::string_view application, std::string_view kernel,
                                                   std::string_view precision) const {
  const auto found = std::ranges::find_if(kernels, [&](const KernelTimes& times) {
    return times.kernel() == kernel && times.application() == application && times.precision() == precision;
  });
  return found == kernels.end() ? nullptr : &*found;
}

Result<MachineDescription> load_machine(const std::string& name_or_path) {
  if (is_path(name_or_path)) {
    const Result<std::string> text = read_text(name_or_path, kLargestDescription, "machine description");
    if (!text) return text.failure();
    return parse_machine(text.value(), name_or_path);
  }
  const auto machines = embedded_machines();
  const auto found = std::ranges::find(machines, std::string_view(name_or_path), &EmbeddedMachine::name);
  if (found != machines.end()) return parse_machine(found->json, name_or_path);
  return Failure{ErrorCode::invalid_argument,
                 fmt::format("no machine '{}' comes with Troupe; known are {}, and a path to a file (with a '/' or the "
                             "ending .json) describes any other",
                             name_or_path, fmt::join(known_machines(), ", "))};
}

std::vector<std::string> known_machines() {
  std::vector<std::string> names;
  for (const EmbeddedMachine& machine : embedded_machines()) names.emplace_back(machine.name);
  return names;
}

}  // namespace troupe::platform
