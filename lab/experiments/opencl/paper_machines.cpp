#include "lab/experiments/opencl/paper_machines.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace troupe::apps {

namespace {

using platform::KernelTime;

/// The fraction of a GPU's memory bandwidth that a kernel reaches if it mainly reads and writes.
constexpr double kReached = 0.7;
/// Bandwidths between the host's memory and a device, for memory that is not pinned, in 10^6 bytes per second.
constexpr double kHannibalLink = 3000;
constexpr double kHannibalProcessorsLink = 12000;
constexpr double kAverellLink = 5000;
constexpr double kAverellProcessorsLink = 16000;
/// The bandwidth of a device that works in place. It is so high that copies take almost no time.
constexpr double kNoCopy = 1e9;
constexpr auto kCopyLatency = std::chrono::microseconds(10);
constexpr auto kLaunch = std::chrono::microseconds(15);
/// Memory bandwidths in GB/s, from data sheets.
constexpr double kQuadroMemory = 102;
constexpr double kTeslaMemory = 150;
/// Peak speeds in single precision, in GFlop/s: cores x GHz x operations per cycle (4 x 2 and 8 x 2).
constexpr double kHannibalPeak = 8 * 2.67 * 8;
constexpr double kAverellPeak = 16 * 2.0 * 16;
/// The factor for the paper's statement "CPU is slow on this example": tone mapping on the processors takes this many
/// times as long as on one GPU.
constexpr double kSlowProcessors = 10;
constexpr double kDeviation = 0.05;
constexpr std::uint64_t kGigabyte = 1ULL << 30U;

struct PaperMachine {
  std::string name;
  int gpus = 0;
  const char* gpu_model = "";
  Bytes gpu_memory;
  const char* cpu_model = "";
  double link = 0;
  double processors_link = 0;
  /// True if the device can copy in both directions at the same time.
  bool two_ways = false;
  /// The nanoseconds per option, and per pixel, on a GPU and on the processors.
  std::pair<double, double> option_ns{};
  std::pair<double, double> pixel_ns{};
};

KernelTime time_of(double ns, double items) {
  const double us = ns * items / 1000;
  return {us, kDeviation * us};
}

/// Returns a kernel whose time is proportional to its number of items.
platform::KernelTimes kernel_of(const char* name, std::pair<double, double> ns, std::size_t gpus) {
  constexpr double kEdge = 100;
  const double items = kEdge * kEdge * kEdge;
  platform::TileTimes times{kEdge, items, {}, std::vector<KernelTime>(gpus, time_of(ns.first, items)), {}};
  times.gpus.push_back(time_of(ns.second, items));
  return {"opencl", name, "single", {times}, gpus + 1};
}

void add_route(platform::MachineDescription& machine, std::vector<std::uint32_t> links, double bandwidth) {
  machine.routes.push_back({std::move(links), bandwidth, kCopyLatency});
}

/// Adds the links: first the host's link, then for each device a link to it and a link from it. If the device copies in
/// only one direction at a time, these two are the same link.
void add_links(platform::MachineDescription& machine, const PaperMachine& paper, double shared) {
  const auto gpus = static_cast<std::size_t>(paper.gpus);
  machine.links.push_back({"host", shared * paper.link, Duration{0}});
  std::vector<std::pair<std::uint32_t, std::uint32_t>> of_device;
  for (std::size_t i = 0; i <= gpus; ++i) {
    const double bandwidth = i < gpus ? paper.link : paper.processors_link;
    const auto down = static_cast<std::uint32_t>(machine.links.size());
    machine.links.push_back({fmt::format("device {}", i), bandwidth, Duration{0}});
    if (paper.two_ways) machine.links.push_back({fmt::format("device {} back", i), bandwidth, Duration{0}});
    of_device.emplace_back(down, paper.two_ways ? down + 1 : down);
  }
  for (std::size_t from = 0; from <= gpus + 1; ++from) {
    for (std::size_t to = 0; to <= gpus + 1; ++to) {
      std::vector<std::uint32_t> links;
      double bandwidth = kNoCopy;
      const auto cross = [&](std::size_t device, bool down) {
        if (device < gpus) links.push_back(0);
        links.push_back(down ? of_device[device].first : of_device[device].second);
        bandwidth = std::min(bandwidth, machine.links[links.back()].bandwidth_mb_per_s);
      };
      if (from != to && from > 0) cross(from - 1, false);
      if (from != to && to > 0) cross(to - 1, true);
      // On a route between two GPUs, the host's link occurs twice; the second occurrence is removed.
      if (links.size() > 2 && links[0] == links[2]) links.erase(links.begin() + 2);
      add_route(machine, std::move(links), bandwidth);
    }
  }
}

platform::MachineDescription described(const PaperMachine& paper, double shared) {
  platform::MachineDescription machine;
  machine.name = paper.name;
  machine.cpu_model = paper.cpu_model;
  // The cores only run the tasks that read results.
  machine.cores = paper.gpus + 2;
  machine.sockets = 1;
  for (int i = 0; i < paper.gpus; ++i) machine.gpus.push_back({paper.gpu_model, paper.gpu_memory, {}, kLaunch, {}});
  machine.gpus.push_back({paper.cpu_model, Bytes{16 * kGigabyte}, {}, kLaunch, {}});
  add_links(machine, paper, shared);
  const auto gpus = static_cast<std::size_t>(paper.gpus);
  machine.kernels.push_back(kernel_of("black-scholes", paper.option_ns, gpus));
  machine.kernels.push_back(kernel_of("tone-mapping", paper.pixel_ns, gpus));
  constexpr double kAnyEdge = 1;
  const platform::TileTimes read{kAnyEdge, 0, KernelTime{1, 0}, {}, {}};
  machine.kernels.emplace_back("opencl", "read", "single", std::vector{read}, gpus + 1);
  return machine;
}

/// Returns the time per option if three GPUs work at the same time, and each copies options in and out while it
/// computes others.
double hannibal_gpus_ns(const OpenClAssumptions& assumptions) {
  return (kOptionInputBytes + kOptionOutputBytes) * 1000 / (kHannibalLink * std::min(3.0, assumptions.links));
}

double memory_bound_ns(double bytes, double memory_gb_per_s) { return bytes / (kReached * memory_gb_per_s); }

}  // namespace

std::string OpenClAssumptions::name() const {
  return fmt::format("processors {:g}, links {:g}, tone mapping {:g}", processors, links, tone_mapping);
}

platform::MachineDescription hannibal(const OpenClAssumptions& assumptions) {
  const double option_bytes = kOptionInputBytes + kOptionOutputBytes;
  const double pixel_ns = assumptions.tone_mapping * kPixelOutputBytes * 1000 / kHannibalLink;
  PaperMachine paper{"hannibal", 3, "Quadro FX 5800", Bytes{4 * kGigabyte}, "2 x Xeon X5550", kHannibalLink};
  paper.processors_link = kHannibalProcessorsLink;
  paper.option_ns = {memory_bound_ns(option_bytes, kQuadroMemory),
                     hannibal_gpus_ns(assumptions) / assumptions.processors};
  paper.pixel_ns = {pixel_ns, kSlowProcessors * pixel_ns};
  return described(paper, assumptions.links);
}

platform::MachineDescription averell(const OpenClAssumptions& assumptions) {
  const double option_bytes = kOptionInputBytes + kOptionOutputBytes;
  const double on_hannibal_ns = hannibal_gpus_ns(assumptions) / assumptions.processors;
  PaperMachine paper{"averell", 2, "Tesla M2075", Bytes{6 * kGigabyte}, "2 x Xeon E5-2650", kAverellLink};
  paper.processors_link = kAverellProcessorsLink;
  paper.two_ways = true;
  paper.option_ns = {memory_bound_ns(option_bytes, kTeslaMemory), on_hannibal_ns * kHannibalPeak / kAverellPeak};
  const double pixel_ns = memory_bound_ns(kPixelInputBytes + kPixelOutputBytes, kTeslaMemory);
  paper.pixel_ns = {pixel_ns, kSlowProcessors * pixel_ns};
  return described(paper, assumptions.links);
}

platform::MachineDescription without_copies_to_processors(platform::MachineDescription machine) {
  const std::size_t processors = machine.node_count() - 1;
  for (const std::size_t route : {processors, processors * machine.node_count()}) {
    for (const std::uint32_t link : machine.routes[route].links) machine.links[link].bandwidth_mb_per_s = kNoCopy;
    machine.routes[route].bandwidth_mb_per_s = kNoCopy;
    machine.routes[route].latency = Duration{0};
  }
  return machine;
}

std::string machines_text() {
  return fmt::format(
      "The machines are described, not measured. `hannibal` has two Xeon X5550 (the paper says one kind and 24 GB, not "
      "how many) and three Quadro FX 5800, `averell` two Xeon E5-2650 and two Tesla M2075. From data sheets: memory of "
      "a "
      "GPU 4 and 6 GiB at {:g} and {:g} GB/s; peak of the processors {:.0f} and {:.0f} GFlop/s in single precision. "
      "Assumed: kernels of Black-Scholes reach {:g} of a GPU's memory bandwidth; copies of memory that is not pinned "
      "go "
      "at {:g} and {:g} MB/s to a GPU (hannibal's copy in one direction at a time) and at {:g} and {:g} MB/s to the "
      "processors as an OpenCL device; {} us for a copy's start and {} us for a launch; averell's processors are as "
      "much faster "
      "than hannibal's as their peaks are; tone mapping takes {:g} times as long on the processors as on one GPU; "
      "deviations of {:.0f} %. Assumed in several ways, one column each: how fast hannibal's processors are in "
      "Black-Scholes beside its three GPUs with their copies; of how many GPUs copies go at full speed at the same "
      "time; how long tone mapping takes on a GPU beside the copy of its result.",
      kQuadroMemory, kTeslaMemory, kHannibalPeak, kAverellPeak, kReached, kHannibalLink, kAverellLink,
      kHannibalProcessorsLink, kAverellProcessorsLink, kCopyLatency.count(), kLaunch.count(), kSlowProcessors,
      100 * kDeviation);
}

}  // namespace troupe::apps
