#include "troupe/machine.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "proto/human_count.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

namespace {

void check(const PlainMachine& machine) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::invalid_argument, "a plain machine: " + what);
  };
  if (machine.cores < 1) refuse(fmt::format("{} cores: it needs at least one", machine.cores));
  if (machine.gpus < 0) refuse(fmt::format("{} GPUs: let it be 0 or more", machine.gpus));
  if (machine.gpus > 0 && machine.gpu_memory.count == 0) refuse("GPUs without memory");
  if (!std::isfinite(machine.bandwidth_mb_per_s) || machine.bandwidth_mb_per_s <= 0) {
    refuse(fmt::format("a bandwidth of {} MB/s: let it be above 0", machine.bandwidth_mb_per_s));
  }
  if (machine.latency < Duration::zero()) refuse("a latency below 0");
}

}  // namespace

MachineDescription plain_machine(const PlainMachine& machine) {
  check(machine);
  MachineDescription made;
  made.name = counted(static_cast<std::uint64_t>(machine.cores), "core");
  if (machine.gpus > 0) made.name += " and " + counted(static_cast<std::uint64_t>(machine.gpus), "GPU");
  made.source = "made up by the program";
  made.cores = machine.cores;
  made.sockets = 1;
  const auto nodes = static_cast<std::size_t>(machine.gpus) + 1;
  made.routes.resize(nodes * nodes);
  // Link 2k goes from the host to GPU k, and link 2k + 1 goes from GPU k to the host.
  for (int gpu = 0; gpu < machine.gpus; ++gpu) {
    made.gpus.push_back({.model = "GPU", .memory = machine.gpu_memory, .near_cores = {}});
    made.links.push_back({fmt::format("host to GPU {}", gpu), machine.bandwidth_mb_per_s});
    made.links.push_back({fmt::format("GPU {} to host", gpu), machine.bandwidth_mb_per_s});
  }
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      DescribedRoute& route = made.routes[from * nodes + to];
      if (from != 0) route.links.push_back(static_cast<std::uint32_t>(2 * from - 1));
      if (to != 0) route.links.push_back(static_cast<std::uint32_t>(2 * to - 2));
      route.bandwidth_mb_per_s = machine.bandwidth_mb_per_s;
      route.latency = machine.latency;
    }
  }
  return made;
}

}  // namespace troupe::platform
