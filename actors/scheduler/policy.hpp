/// What decides where tasks run.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/access.hpp"
#include "proto/errors.hpp"
#include "proto/ids.hpp"
#include "proto/random.hpp"
#include "proto/steal_plan.hpp"

namespace troupe {
struct CodeletDefinition;
}

namespace troupe::scheduler {

/// One worker as a placing policy sees it.
struct WorkerState {
  WorkerId id;
  DeviceKind kind = DeviceKind::cpu_core;
  /// Ready tasks in its deque.
  std::size_t queued = 0;
};

/// One ready task as a placing policy sees it.
struct ReadyTask {
  TaskId id;
  const CodeletDefinition* codelet = nullptr;
  int priority = 0;
};

/// The workers, by id.
struct Snapshot {
  std::span<const WorkerState> workers;
};

/// Decides on which worker each ready task runs. A function of its arguments, its options and its own state: no
/// clock, no input or output, no globals; ties are broken by the smallest id or by `random`. Called by the scheduler
/// actor only.
class PlacingPolicy {
 public:
  virtual ~PlacingPolicy() = default;

  /// Decide for every completion on its own (false), or for all that became ready until the decision (true).
  [[nodiscard]] virtual bool in_rounds() const { return false; }
  /// Sets `placement[i]` to the worker of `tasks[i]`, one that has a device the codelet runs on. Tasks of a worker
  /// are queued in the order of `tasks`.
  virtual void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random& random,
                     std::span<WorkerId> placement) = 0;
};

/// A policy with its name: local if `placing` is null.
struct Policy {
  std::string name;
  StealPlan stealing;
  std::unique_ptr<PlacingPolicy> placing;
};

/// How near workers are: for each, the others in rings, nearest first (`platform::Topology::victim_order`).
using Nearness = std::vector<std::vector<std::vector<int>>>;

/// The policies that are built in, with a line on each.
struct PolicyDescription {
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::span<const PolicyDescription> known_policies();

/// Makes a policy by its name. An unknown name is an `invalid_argument` that lists the known ones.
///
/// - `eager`: one queue of all ready tasks; a free worker takes the oldest of the highest priority.
/// - `ws`: a deque per worker, newest of the highest priority first; a worker without work asks others at random and
///   gets half of their tasks, oldest of the highest priority first.
/// - `lws`: as `ws`, but it asks those first that share a cache, then a NUMA node, then a package with it; at random
///   within each ring.
[[nodiscard]] Result<Policy> make_policy(std::string_view name, const Nearness& nearness);

}  // namespace troupe::scheduler
