/// Simulates a whole run with snapshots: a policy places tasks that are all ready at the beginning.
#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <vector>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::tests {

struct HandMadeRun {
  /// The number of tasks of each worker.
  std::vector<int> tasks;
  int makespan_us = 0;
};

/// Runs `count` independent tasks without data, which take `us_on[i]` microseconds on worker i. Each worker runs its
/// tasks in the order in which they were placed on it. No task is moved. Tasks that the policy never places do not run.
inline HandMadeRun run_alike(scheduler::PlacingPolicy& policy, int cores, int gpus, const std::vector<int>& us_on,
                             int count) {
  HandMadeMachine machine(cores, gpus);
  const SizeClassId size_class = machine.size_class_on(us_on);
  std::vector<scheduler::ReadyTask> ready;
  for (int i = 0; i < count; ++i) {
    ready.push_back(machine.of_class(size_class));
    ready.back().upward_rank_s = *std::ranges::min_element(us_on) * 1e-6;
  }
  machine.predictions.left = {static_cast<std::uint32_t>(count)};
  HandMadeRun run;
  run.tasks.resize(us_on.size());
  // For each worker, the times at which its tasks end, in the order in which they run.
  std::vector<std::deque<int>> ends(us_on.size());
  int now = 0;
  const auto give = [&](std::size_t worker) {
    ends[worker].push_back((ends[worker].empty() ? now : ends[worker].back()) + us_on[worker]);
    ++run.tasks[worker];
  };
  const auto show = [&] {
    for (std::size_t w = 0; w < ends.size(); ++w) {
      const bool busy = !ends[w].empty();
      machine.load(static_cast<std::uint32_t>(w), busy ? ends[w].back() - now : 0, busy ? ends[w].size() - 1 : 0);
    }
  };
  for (const int worker : machine.place(policy, ready)) {
    if (worker >= 0) give(static_cast<std::size_t>(worker));
  }
  while (true) {
    show();
    for (const auto& [task, worker] : machine.place_kept(policy)) give(worker);
    int next = std::numeric_limits<int>::max();
    for (const std::deque<int>& on : ends) next = on.empty() ? next : std::min(next, on.front());
    if (next == std::numeric_limits<int>::max()) return run;
    now = run.makespan_us = next;
    for (std::deque<int>& on : ends) {
      while (!on.empty() && on.front() == now) {
        on.pop_front();
        --machine.predictions.left[0];
      }
    }
  }
}

}  // namespace troupe::tests
