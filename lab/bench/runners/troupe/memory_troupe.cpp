#include <array>
#include <thread>

#include "graph/task_graph.hpp"
#include "lab/bench/memory_use.hpp"
#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

using Slots = std::array<double, kMemorySlots>;

std::vector<Data> register_slots(Runtime& runtime, Slots& slots) {
  std::vector<Data> data;
  for (double& slot : slots) data.push_back(runtime.scalar(slot));
  return data;
}

Codelet two_accesses() {
  return Codelet("follow", {AccessMode::read, AccessMode::read_write}).cpu([](const double&, double&) {});
}

}  // namespace

Json memory(Parameters& parameters) {
  const MemoryOptions options = memory_options(parameters);
  RuntimeOptions runtime_options;
  runtime_options.cores = options.cores;
  // The window has room for all tasks. With one task more than the window, the submission would block for ever.
  runtime_options.window = static_cast<std::size_t>(options.in_flight) + 2;
  double gate = 0;
  Slots slots{};
  std::atomic<bool> open{false};
  const Codelet hold = Codelet("hold", {AccessMode::write}).cpu([&open](double&) {
    while (!open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  const Codelet follow = two_accesses();
  Runtime runtime(runtime_options);
  const Data gate_data = runtime.scalar(gate);
  const std::vector<Data> slot_data = register_slots(runtime, slots);
  Future last = runtime.submit(hold, {gate_data});
  Json figures = measure_in_flight(options, [&] {
    for (std::int64_t i = 0; i < options.in_flight; ++i) {
      last = runtime.submit(follow, {gate_data, slot_data[static_cast<std::size_t>(i % kMemorySlots)]});
    }
  });
  // In an embedded runtime, the futures are owned by the task graph.
  const auto& graph = dynamic_cast<const graph::TaskGraph&>(*last.owner());
  figures["pool_bytes_per_task"] = static_cast<double>(graph.footprint()) / static_cast<double>(options.in_flight);
  open = true;
  runtime.wait();
  return figures;
}

Json stream(Parameters& parameters) {
  const std::int64_t tasks = parameters.integer("tasks", 10'000'000, 1);
  RuntimeOptions runtime_options;
  runtime_options.cores = cores_of(parameters);
  parameters.require_all_used();
  double gate = 0;
  Slots slots{};
  const Codelet follow = two_accesses();
  Runtime runtime(runtime_options);
  const Data gate_data = runtime.scalar(gate);
  const std::vector<Data> slot_data = register_slots(runtime, slots);
  for (std::int64_t i = 0; i < tasks; ++i) {
    runtime.submit(follow, {gate_data, slot_data[static_cast<std::size_t>(i % kMemorySlots)]});
  }
  runtime.wait();
  return {{"tasks", tasks}, {"peak_mib", static_cast<double>(peak_resident_bytes()) / (1 << 20)}};
}

}  // namespace troupe::bench
