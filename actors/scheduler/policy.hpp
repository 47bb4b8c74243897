/// The interface of policies, which decide where tasks run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/scheduler/models/predictions.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "proto/random.hpp"
#include "proto/steal_plan.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::scheduler {

/// One worker as a placing policy sees it.
struct WorkerState {
  WorkerId id;
  DeviceKind kind = DeviceKind::cpu_core;
  /// The number of tasks that were placed on the worker and have not started.
  std::size_t queued = 0;
  /// The memory node that the worker's device uses.
  NodeId node = NodeId(0);
  /// The predicted time at which the worker will have ended all tasks placed on it, corrected when tasks start and end.
  /// `Snapshot::now` if the worker has nothing to do.
  TimeStamp available{};
  /// True if a task runs on the worker's device or waits there for its data, or if pieces of another worker's task run
  /// there.
  bool busy = false;
  /// The number of tasks that were placed on the worker and have pieces left that other workers can run.
  std::size_t open = 0;
  /// The number of the type of the worker's device. Devices of one type count as equally fast, so times are measured
  /// once for each type.
  std::uint32_t type = 0;
  /// True if the worker lends its thread to another worker, and runs no task of its own for now.
  bool helps = false;
  /// True if the worker's device is lost: it runs no task any more.
  bool lost = false;
};

/// Returns true if the worker's device can, and may, run the task now.
[[nodiscard]] inline bool runs_on(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions) {
  return !worker.helps && task.codelet->runs_on(worker.kind, worker.id) &&
         predictions.execution(task, worker.id) != ExecutionTimes::kNever;
}

/// The workers, in the order of their ids, and what is known of tasks and data.
struct Snapshot {
  std::span<const WorkerState> workers;
  TimeStamp now{};
  /// Never null in a run.
  const Predictions* predictions = nullptr;
};

struct Placed {
  TaskId task;
  WorkerId worker;
};

/// Says which times `ReadyTask::upward_rank_s` adds up.
enum class Ranks : std::uint8_t {
  /// No ranks are computed.
  none,
  /// The mean over all workers that can run a task, as in the HEFT algorithm.
  mean,
  /// The shortest time over all workers that can run a task.
  fastest,
};

/// The properties of a policy. The scheduler asks for the properties once, before all other calls.
struct PolicyTraits {
  /// True if the policy decides once about all tasks that became ready since its last decision; false if it decides
  /// after every completion.
  bool in_rounds = false;
  /// True if the policy may keep tasks: if it leaves an entry of `placement` invalid, a later `place_kept` places that
  /// task. The data to which its `ReadyTask` refers stay valid until then.
  bool keeps = false;
  /// For a policy with `keeps`: true if cores without work may take back tasks that are queued on accelerators
  /// (`taker`).
  bool takes_back = false;
  /// True if the policy decides by predicted times. Then tasks of a kernel that has not been measured on every kind of
  /// device first run where measurements are missing, without asking the policy. While times are not sure, a policy
  /// without `keeps` may be asked about a task several times.
  bool uses_times = true;
  /// True if the policy asks how much the data of tasks will be used, and how many operations tasks take (`ReadyTask`).
  bool asks_reuse = false;
  /// The times from which the upward ranks of tasks are computed.
  Ranks ranks = Ranks::none;
};

/// Decides on which worker each ready task runs. A policy depends only on its arguments, its options and its own state:
/// no clock, no input or output, no globals; ties are broken by the smallest id or by `random`. It is called by the
/// scheduler's actor and by workers, by one thread at a time.
class PlacingPolicy {
 public:
  virtual ~PlacingPolicy() = default;

  [[nodiscard]] virtual PolicyTraits policy_traits() const { return {}; }
  /// Sets `placement[i]` to the worker of `tasks[i]`: the codelet must run on the worker's device, and the worker must
  /// not help another. Tasks of a worker are queued in the order of `tasks`.
  virtual void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random& random,
                     std::span<WorkerId> placement) = 0;

  /// For a policy with `keeps`: called, while it keeps tasks, after `place` and whenever a task has ended. Appends to
  /// `placed` the kept tasks that should be queued now.
  virtual void place_kept(const Snapshot& /*snapshot*/, Random& /*random*/, std::vector<Placed>& /*placed*/) {}
  /// For a policy with `keeps`: `task` is not ready and waits only for tasks on `worker`. Returns true if `task` should
  /// be queued there already. In `snapshot`, every worker becomes available only after these tasks have ended. For
  /// policies without `keeps`, the scheduler calls `place` instead.
  [[nodiscard]] virtual bool places_ahead(const ReadyTask& /*task*/, WorkerId /*worker*/,
                                          const Snapshot& /*snapshot*/) {
    return false;
  }

  /// For a policy with `takes_back`, called after `place_kept`: returns a core that should get the last task of pieces
  /// that waits on an accelerator behind another task. Returns an invalid id if there is no such core.
  [[nodiscard]] virtual WorkerId taker(const Snapshot& /*snapshot*/) const { return {}; }
};

/// A policy with its name. If `placing` is null, the policy is local: workers take tasks from queues by `stealing`.
struct Policy {
  std::string name;
  StealPlan stealing;
  std::unique_ptr<PlacingPolicy> placing;
};

/// The distances between workers: for each worker, the other workers in rings, nearest first
/// (`platform::Topology::victim_order`).
using Nearness = std::vector<std::vector<std::vector<int>>>;

/// The name and a one-line summary of a policy that is built in.
struct PolicyDescription {
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::span<const PolicyDescription> known_policies();

/// Returns the name of the policy that `default` stands for.
[[nodiscard]] constexpr std::string_view default_policy(bool accelerators) { return accelerators ? "homeward" : "lws"; }

/// Makes a policy from a user's text: its name, and its options behind a colon (`dada:alpha=0.5,cp`). An unknown name,
/// an unknown option or an unusable value is an `invalid_argument` error that lists the known names.
///
/// - `eager`: one queue of all ready tasks; a free worker takes the oldest of the highest priority.
/// - `ws`: each worker has a deque and takes its newest task of the highest priority first; a worker without work asks
///   random other workers and gets half of a victim's tasks, the oldest of the highest priority first.
/// - `lws`: like `ws`, but a worker first asks workers with the same cache, then those with the same NUMA node, then
///   those with the same package; the order within each of these groups is random.
/// - placing policies: see their headers.
/// - `default`: the policy that `default_policy(accelerators)` names; the result has that name.
[[nodiscard]] Result<Policy> make_policy(std::string_view specification, const Nearness& nearness,
                                         bool accelerators = false);

}  // namespace troupe::scheduler
