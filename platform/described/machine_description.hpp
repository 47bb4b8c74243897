/// A machine as a file describes it: the data that a simulation of it needs. `docs/platforms.md` has the file's format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/described/kernel_times.hpp"
#include "proto/errors.hpp"
#include "proto/units.hpp"

namespace troupe::platform {

struct DescribedGpu {
  std::string model;
  Bytes memory;
  /// The cores of the nearest socket, rising; empty where the file does not say.
  std::vector<int> near_cores;
  /// The time from the start of a task on the idle GPU to its kernel's begin, and the time from a kernel's end to when
  /// the host knows. Zero where the file does not say.
  Duration launch{0};
  Duration notice{0};
};

/// A link that copies share: its capacity is for all copies that cross it at the same time.
struct DescribedLink {
  std::string name;
  /// The bandwidth in 10^6 bytes per second.
  double bandwidth_mb_per_s = 0;
  /// The latency as recorded. It is part of the routes' latencies already.
  Duration latency{0};
};

/// The way from one memory node to another.
struct DescribedRoute {
  /// The indices of the machine's links, each once, in the order in which a copy crosses them.
  std::vector<std::uint32_t> links;
  /// The rate of one copy alone, in 10^6 bytes per second: as measured, and at most what its narrowest link carries.
  double bandwidth_mb_per_s = 0;
  /// The time from the start of a copy to its first byte.
  Duration latency{0};
};

/// Memory nodes are numbered: 0 is the host's, k + 1 that of GPU k.
struct MachineDescription {
  std::string name;
  std::string description;
  /// The origin of the figures.
  std::string source;
  std::string cpu_model;
  int cores = 0;
  int sockets = 0;
  std::vector<DescribedGpu> gpus;
  std::vector<DescribedLink> links;
  /// The route from node `from` to node `to` is at `from * node_count() + to`; the diagonal is not used.
  std::vector<DescribedRoute> routes;
  /// The kernels in the order of the file.
  std::vector<KernelTimes> kernels;

  [[nodiscard]] std::size_t node_count() const { return gpus.size() + 1; }

  /// Returns the route; `from` and `to` are different nodes of this machine.
  [[nodiscard]] const DescribedRoute& route(std::size_t from, std::size_t to) const;

  /// Returns null where the machine has no such kernel. Looks at all kernels: look once, and keep the pointer.
  [[nodiscard]] const KernelTimes* find_kernel(std::string_view application, std::string_view kernel,
                                               std::string_view precision) const;
};

/// Reads a description. `origin` is what messages call the text: a file's path, or a machine's name. Fails with
/// `bad_input`; the message names origin, field and what is expected there.
Result<MachineDescription> parse_machine(std::string_view json, const std::string& origin);

/// Loads a machine that comes with Troupe, by its name, or one from a file: a text with a '/' or that ends in ".json"
/// is a path. Fails as `parse_machine`; with `invalid_argument` where no machine has this name, with `io` where the
/// file cannot be opened or read.
Result<MachineDescription> load_machine(const std::string& name_or_path);

/// The names of the machines that come with Troupe, sorted.
[[nodiscard]] std::vector<std::string> known_machines();

}  // namespace troupe::platform
