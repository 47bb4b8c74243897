#include "platform/machine_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "platform/embedded_machines.hpp"

namespace troupe::platform {
namespace {

/// Far more than a machine of a hundred GPUs takes; keeps an endless file, /dev/zero say, from filling the memory.
constexpr std::size_t kLargestFile = std::size_t{256} << 20U;

bool is_path(const std::string& name) { return name.find('/') != std::string::npos || name.ends_with(".json"); }

Failure io_failure(std::string_view action, const std::string& path, int error_number) {
  return {ErrorCode::io, fmt::format("cannot {} the machine description '{}': {}", action, path,
                                     std::generic_category().message(error_number))};
}

Result<std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return io_failure("open", path, errno);
  std::string text;
  constexpr std::size_t kChunk = std::size_t{1} << 16U;
  for (std::size_t got = kChunk; got == kChunk;) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    got = std::fread(text.data() + before, 1, kChunk, file.get());
    if (std::ferror(file.get()) != 0) return io_failure("read", path, errno);
    text.resize(before + got);
    if (text.size() > kLargestFile) {
      return Failure{ErrorCode::bad_input, fmt::format("'{}' is larger than {} MiB, too large to describe a machine",
                                                       path, kLargestFile >> 20U)};
    }
  }
  return text;
}

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
    const Result<std::string> text = read_file(name_or_path);
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
