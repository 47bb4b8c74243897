#include "actors/scheduler/policies/multigrain.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/devices.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace troupe::scheduler {

namespace {

struct KeptTask {
  ReadyTask task;
  /// The task's reuse; 0 if the order ignores it.
  std::int64_t reuse = 0;
  /// The number of tasks that became ready before this task.
  std::uint64_t arrival = 0;
};

/// Orders tasks: returns true if `a` is lower than `b`.
struct Lower {
  bool operator()(const KeptTask& a, const KeptTask& b) const {
    return std::tuple(a.task.priority, a.reuse, b.arrival) < std::tuple(b.task.priority, b.reuse, a.arrival);
  }
};

/// The order in which cores take tasks that accelerators do not take.
struct BetterForCores {
  bool operator()(const KeptTask& a, const KeptTask& b) const {
    return std::tuple(b.task.priority, a.reuse, a.arrival) < std::tuple(a.task.priority, b.reuse, b.arrival);
  }
};

class Multigrain final : public PlacingPolicy {
 public:
  explicit Multigrain(const MultigrainOptions& options) : options_(options) {}

  [[nodiscard]] PolicyTraits policy_traits() const override {
    return {.keeps = true, .takes_back = options_.take_back, .uses_times = false, .asks_reuse = true};
  }

  void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random&, std::span<WorkerId>) override {
    for (const ReadyTask& task : tasks) {
      const std::int64_t reuse = options_.order == MultigrainOptions::Order::affinity ? task.reuse : 0;
      KeptTask waiting{task, reuse, arrivals_++};
      // The span may be invalid when the task is examined later.
      waiting.task.data = {};
      Kept& kept = kept_[is_super_task(task) ? 1 : 0];
      if (for_accelerators(task, snapshot)) {
        kept.shared.insert(waiting);
      } else {
        kept.for_cores.insert(waiting);
      }
    }
  }

  void place_kept(const Snapshot& snapshot, Random&, std::vector<Placed>& placed) override {
    serve_accelerators(snapshot, placed);
    serve_cores(snapshot, placed);
  }

  [[nodiscard]] WorkerId taker(const Snapshot& snapshot) const override {
    if (open_tasks(snapshot) > 0) return {};
    const auto found = std::ranges::find_if(snapshot.workers, is_free_core);
    return found != snapshot.workers.end() ? found->id : WorkerId{};
  }

 private:
  /// The kept tasks of one sort: plain tasks, or super-tasks.
  struct Kept {
    /// The tasks that accelerators may take.
    std::set<KeptTask, Lower> shared;
    std::set<KeptTask, BetterForCores> for_cores;
  };

  static bool is_free_core(const WorkerState& worker) {
    return !is_accelerator(worker.kind) && !worker.helps && !worker.busy && worker.queued == 0;
  }
  /// Returns the number of tasks that have pieces left.
  static std::size_t open_tasks(const Snapshot& snapshot) {
    std::size_t open = 0;
    for (const WorkerState& worker : snapshot.workers) open += worker.open;
    return open;
  }

  static bool is_super_task(const ReadyTask& task) { return task.codelet->pieces != nullptr; }

  [[nodiscard]] bool for_accelerators(const ReadyTask& task, const Snapshot& snapshot) const {
    bool accelerators = false;
    bool cores = false;
    for (const WorkerState& worker : snapshot.workers) {
      if (accelerators && cores) break;
      bool& any = is_accelerator(worker.kind) ? accelerators : cores;
      any = any || runs_on(task, worker, *snapshot.predictions);
    }
    const bool small = is_super_task(task) && task.flops < options_.least_flops;
    return accelerators && !(small && cores);
  }

  void serve_accelerators(const Snapshot& snapshot, std::vector<Placed>& placed) {
    std::vector<std::pair<std::size_t, const WorkerState*>> free;
    for (const WorkerState& worker : snapshot.workers) {
      if (is_accelerator(worker.kind)) free.emplace_back(worker.queued + (worker.busy ? 1 : 0), &worker);
    }
    while (!free.empty()) {
      const auto next = std::ranges::min_element(free, {}, &std::pair<std::size_t, const WorkerState*>::first);
      if (next->first > options_.ahead) return;
      const KeptTask* const task = highest(*next->second, snapshot);
      if (task == nullptr) {
        free.erase(next);
        continue;
      }
      ++next->first;
      placed.push_back({task->task.id, next->second->id});
      kept_[is_super_task(task->task) ? 1 : 0].shared.erase(*task);
    }
  }

  /// Returns the highest of all tasks that the accelerator can run; null if there is none.
  const KeptTask* highest(const WorkerState& worker, const Snapshot& snapshot) const {
    const KeptTask* best = nullptr;
    for (const Kept& kept : kept_) {
      const auto found = std::find_if(kept.shared.rbegin(), kept.shared.rend(), [&](const KeptTask& waiting) {
        return runs_on(waiting.task, worker, *snapshot.predictions);
      });
      if (found != kept.shared.rend() && (best == nullptr || Lower()(*best, *found))) best = &*found;
    }
    return best;
  }

  void serve_cores(const Snapshot& snapshot, std::vector<Placed>& placed) {
    std::size_t open = open_tasks(snapshot);
    for (const WorkerState& worker : snapshot.workers) {
      if (!is_free_core(worker)) continue;
      // The order of these calls is the order that the comment on `MultigrainOptions` describes. A core gets a
      // super-task only while no other core has a super-task with pieces left.
      if (take(kept_[0].for_cores, worker, snapshot, placed)) continue;
      if (open == 0 && take(kept_[1].for_cores, worker, snapshot, placed, &open)) continue;
      if (take(kept_[0].shared, worker, snapshot, placed)) continue;
      if (open == 0) take(kept_[1].shared, worker, snapshot, placed, &open);
    }
  }

  /// Places the first of these tasks that the worker can run; returns false if there is none. If `open` is not null,
  /// the placed task is counted there.
  template <class Tasks>
  static bool take(Tasks& tasks, const WorkerState& worker, const Snapshot& snapshot, std::vector<Placed>& placed,
                   std::size_t* open = nullptr) {
    const auto found = std::ranges::find_if(
        tasks, [&](const KeptTask& waiting) { return runs_on(waiting.task, worker, *snapshot.predictions); });
    if (found == tasks.end()) return false;
    placed.push_back({found->task.id, worker.id});
    if (open != nullptr) ++*open;
    tasks.erase(found);
    return true;
  }

  const MultigrainOptions options_;
  std::array<Kept, 2> kept_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace

std::unique_ptr<PlacingPolicy> multigrain(const MultigrainOptions& options) {
  return std::make_unique<Multigrain>(options);
}

}  // namespace troupe::scheduler
