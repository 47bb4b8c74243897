#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "lab/bench/memory_use.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/runners/starpu/session_starpu.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

struct MemoryCodelets {
  MemoryCodelets() {
    initialize(hold, "hold", [](void** /*buffers*/, void* argument) {
      const auto& open = *static_cast<std::atomic<bool>*>(argument);
      while (!open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    hold.nbuffers = 1;
    hold.modes[0] = STARPU_W;
    initialize(follow, "follow", [](void** /*buffers*/, void* /*argument*/) {});
    follow.nbuffers = 2;
    follow.modes[0] = STARPU_R;
    follow.modes[1] = STARPU_RW;
  }
  starpu_codelet hold{};
  starpu_codelet follow{};
};

/// The value that all tasks read (`gate`), and the values that they modify.
struct Values {
  double gate = 0;
  std::array<double, kMemorySlots> slots{};
};

void submit_followers(std::int64_t tasks, MemoryCodelets& codelets, const StarpuVariables& gate,
                      const StarpuVariables& slots) {
  for (std::int64_t i = 0; i < tasks; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelets.follow;
    task->handles[0] = gate[0];
    task->handles[1] = slots[static_cast<std::size_t>(i % kMemorySlots)];
    submit(task);
  }
}

}  // namespace

Json memory(Parameters& parameters) {
  const MemoryOptions options = memory_options(parameters);
  MemoryCodelets codelets;
  Values values;
  std::atomic<bool> open{false};
  const StarpuSession session(options.cores);
  StarpuVariables gate;
  StarpuVariables slots;
  gate.add(values.gate);
  for (double& slot : values.slots) slots.add(slot);
  starpu_task* first = starpu_task_create();
  first->cl = &codelets.hold;
  first->cl_arg = &open;
  first->handles[0] = gate[0];
  submit(first);
  Json figures = measure_in_flight(options, [&] { submit_followers(options.in_flight, codelets, gate, slots); });
  open = true;
  starpu_task_wait_for_all();
  return figures;
}

Json stream(Parameters& parameters) {
  const std::int64_t tasks = parameters.integer("tasks", 10'000'000, 1);
  const int cores = cores_of(parameters);
  parameters.require_all_used();
  // Troupe uses the same limit. Without a limit, StarPU keeps every task that has not run yet in memory.
  constexpr std::int64_t kInFlight = 65'536;
  MemoryCodelets codelets;
  Values values;
  const StarpuSession session(cores, kInFlight);
  StarpuVariables gate;
  StarpuVariables slots;
  gate.add(values.gate);
  for (double& slot : values.slots) slots.add(slot);
  submit_followers(tasks, codelets, gate, slots);
  starpu_task_wait_for_all();
  return {{"tasks", tasks}, {"peak_mib", static_cast<double>(peak_resident_bytes()) / (1 << 20)}};
}

}  // namespace troupe::bench
