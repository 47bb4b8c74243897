#include "tests/support/random/random_machine.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "tests/support/drawing.hpp"
#include "tests/support/random/random_program.hpp"

namespace troupe::tests {

namespace {

using platform::DescribedRoute;
using platform::KernelTime;
using platform::MachineDescription;

std::uint32_t add_link(MachineDescription& machine, Random& random, const std::string& name) {
  machine.links.push_back({name, between(random, 1, chance(random, 30) ? 20 : 2000), {}});
  return static_cast<std::uint32_t>(machine.links.size() - 1);
}

DescribedRoute route_over(const MachineDescription& machine, Random& random, std::vector<std::uint32_t> links) {
  double narrowest = std::numeric_limits<double>::infinity();
  for (const std::uint32_t link : links) narrowest = std::min(narrowest, machine.links[link].bandwidth_mb_per_s);
  DescribedRoute route;
  route.links = std::move(links);
  route.bandwidth_mb_per_s = narrowest * (chance(random, 50) ? 1 : between(random, 0.2, 1));
  route.latency = std::chrono::microseconds(chance(random, 30) ? 0 : random.below(60));
  return route;
}

/// Gives every GPU a route from the host and a route to the host. The routes of several GPUs may share a switch. Some
/// pairs of GPUs have a direct link.
void connect(MachineDescription& machine, Random& random) {
  const std::size_t nodes = machine.node_count();
  machine.routes.resize(nodes * nodes);
  if (nodes == 1) return;
  const bool switched = chance(random, 50);
  const std::uint32_t host_in = add_link(machine, random, "to host");
  const std::uint32_t host_out = chance(random, 30) ? host_in : add_link(machine, random, "from host");
  std::vector<std::uint32_t> in(nodes);
  std::vector<std::uint32_t> out(nodes);
  for (std::size_t node = 1; node < nodes; ++node) {
    in[node] = add_link(machine, random, "to GPU " + std::to_string(node - 1));
    out[node] = chance(random, 20) ? in[node] : add_link(machine, random, "from GPU " + std::to_string(node - 1));
  }
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) {
      if (from == to) continue;
      std::vector<std::uint32_t> links;
      if (from != 0 && to != 0 && chance(random, 30)) {
        links.push_back(add_link(machine, random, "between GPUs"));
      } else {
        if (from != 0) links.push_back(out[from]);
        if (from == 0 || (to != 0 && switched)) links.push_back(host_out);
        if (to == 0) links.push_back(host_in);
        if (to != 0 && (from == 0 || in[to] != out[from])) links.push_back(in[to]);
      }
      machine.routes[from * nodes + to] = route_over(machine, random, std::move(links));
    }
  }
}

KernelTime random_time(Random& random) {
  const double mean = between(random, 0.5, chance(random, 20) ? 2000 : 100);
  return {mean, chance(random, 50) ? 0 : mean * between(random, 0, 0.5)};
}

void add_kernels(MachineDescription& machine, Random& random) {
  for (int kernel = 0; kernel < kTimedKernels; ++kernel) {
    std::vector<platform::TileTimes> tiles;
    const auto count = static_cast<int>(1 + random.below(3));
    for (int i = 0; i < count; ++i) {
      platform::TileTimes tile;
      tile.edge = 10 * (i + 1);
      tile.flops = kernel % 2 == 0 ? 2 * tile.edge * tile.edge * tile.edge : 0;
      tile.cpu = random_time(random);
      tile.clusters = random_clusters(*tile.cpu);
      for (std::size_t gpu = 0; gpu < machine.gpus.size(); ++gpu) tile.gpus.push_back(random_time(random));
      tiles.push_back(std::move(tile));
    }
    machine.kernels.emplace_back("test", timed_kernel_name(kernel), "long", tiles, machine.gpus.size());
  }
}

}  // namespace

std::vector<platform::ClusterTime> random_clusters(const KernelTime& one) {
  Random random(static_cast<std::uint64_t>(one.mean_us * 1e6));
  std::vector<platform::ClusterTime> clusters;
  for (const int cores : {3, 5}) {
    const double mean = one.mean_us * between(random, 1.0 / cores, chance(random, 20) ? 2 : 0.8);
    clusters.push_back({cores, {mean, one.deviation_us > 0 ? mean * between(random, 0, 0.5) : 0}});
  }
  return clusters;
}

MachineDescription random_machine(Random& random, int gpus) {
  MachineDescription machine;
  machine.name = "random";
  machine.cores = 1 + static_cast<int>(random.below(5));
  machine.sockets = 1;
  for (int i = 0; i < gpus; ++i) machine.gpus.push_back({"random GPU", Bytes{std::uint64_t{1} << 20U}, {}});
  connect(machine, random);
  add_kernels(machine, random);
  return machine;
}

}  // namespace troupe::tests
