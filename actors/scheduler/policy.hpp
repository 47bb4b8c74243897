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
  /// Tasks that were placed on it and have not started.
  std::size_t queued = 0;
  /// The memory node that its device works on.
  NodeId node = NodeId(0);
  /// When it will have ended what was placed on it, as predicted and corrected by what really happened; `Snapshot::now`
  /// where it has nothing to do.
  TimeStamp available{};
  /// A task runs on its device, or waits there for its data; or pieces of a task that another has begun run there.
  bool busy = false;
  /// Tasks that were placed on it whose pieces others can run, as some are left.
  std::size_t open = 0;
  /// Workers of the same number have devices of one type, which count as equally fast: times are found out for each.
  std::uint32_t type = 0;
  /// It lends its thread to another worker, and runs nothing for now.
  bool helps = false;
};

/// Returns true if the worker's device can, and may, run the task now.
[[nodiscard]] inline bool runs_on(const ReadyTask& task, const WorkerState& worker, const Predictions& predictions) {
  return !worker.helps && task.codelet->runs_on(worker.kind, worker.id) &&
         predictions.execution(task, worker.id) != ExecutionTimes::kNever;
}

/// The workers by id, and what is known of tasks and data.
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

/// The times that `ReadyTask::upward_rank_s` adds up.
enum class Ranks : std::uint8_t {
  /// Nobody asks.
  none,
  /// The mean over all workers that can run a task, as HEFT has it.
  mean,
  /// The shortest over all workers.
  fastest,
};

/// The properties of a policy. The scheduler asks for them once, before anything else.
struct PolicyTraits {
  /// It decides about all that became ready until a decision together; otherwise for every completion on its own.
  bool in_rounds = false;
  /// It may keep tasks: an entry of `placement` that stays invalid is placed by a later `place_kept`. What a
  /// `ReadyTask` refers to lives until then.
  bool keeps = false;
  /// Where it keeps tasks: cores without work may get back what lies on accelerators (`taker`).
  bool takes_back = false;
  /// It decides by predicted times. Then tasks of a kernel that has not been measured on every kind of device go there
  /// first, without the policy being asked; and while times are not sure, one that does not keep tasks may be asked
  /// about a task several times.
  bool uses_times = true;
  /// Tasks are to say how much their data will be used, and how large these are.
  bool asks_reuse = false;
  /// The times from which the upward ranks of tasks are computed.
  Ranks ranks = Ranks::none;
};

/// Decides on which worker each ready task runs. A function of its arguments, its options and its own state: no
/// clock, no input or output, no globals; ties are broken by the smallest id or by `random`. Called by the scheduler's
/// actor and by workers, by one thread at a time.
class PlacingPolicy {
 public:
  virtual ~PlacingPolicy() = default;

  [[nodiscard]] virtual PolicyTraits policy_traits() const { return {}; }
  /// Sets `placement[i]` to the worker of `tasks[i]`, one that has a device the codelet runs on and does not help
  /// another. Tasks of a worker are queued in the order of `tasks`.
  virtual void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random& random,
                     std::span<WorkerId> placement) = 0;

  /// Where it keeps tasks: called after `place` and whenever a task has ended. Appends those that are to be queued now.
  virtual void place_kept(const Snapshot& /*snapshot*/, Random& /*random*/, std::vector<Placed>& /*placed*/) {}
  /// Where it keeps tasks: whether `task`, which is not ready and waits for tasks on `worker` alone, is to be queued
  /// there already; no worker is available before they have ended. Others are asked to `place` it. Never, unless a
  /// policy knows better.
  [[nodiscard]] virtual bool places_ahead(const ReadyTask& /*task*/, WorkerId /*worker*/,
                                          const Snapshot& /*snapshot*/) {
    return false;
  }

  /// Where it takes back, after `place_kept`, and one at a time: a core that is to get the last task of pieces that was
  /// placed on an accelerator and has not begun there, behind another. An invalid id: none.
  [[nodiscard]] virtual WorkerId taker(const Snapshot& /*snapshot*/) const { return {}; }
};

/// A policy with its name: local if `placing` is null.
struct Policy {
  std::string name;
  StealPlan stealing;
  std::unique_ptr<PlacingPolicy> placing;
};

/// The distances between workers: for each worker, the others in rings, nearest first
/// (`platform::Topology::victim_order`).
using Nearness = std::vector<std::vector<std::vector<int>>>;

/// The policies that are built in, with a line on each.
struct PolicyDescription {
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::span<const PolicyDescription> known_policies();

/// Returns the policy that `default` stands for.
[[nodiscard]] constexpr std::string_view default_policy(bool accelerators) { return accelerators ? "homeward" : "lws"; }

/// Makes a policy from what a user wrote: its name, and its options behind a colon (`dada:alpha=0.5,cp`). An unknown
/// name, an unknown option or a value that cannot be used is an `invalid_argument` that lists what is known.
///
/// - `eager`: one queue of all ready tasks; a free worker takes the oldest of the highest priority.
/// - `ws`: a deque per worker, newest of the highest priority first; a worker without work asks others at random and
///   gets half of their tasks, oldest of the highest priority first.
/// - `lws`: as `ws`, but it asks those first that share a cache, then a NUMA node, then a package with it; at random
///   within each ring.
/// - placing policies: see their headers.
/// - `default`: `default_policy(accelerators)`, whose name the policy then has.
[[nodiscard]] Result<Policy> make_policy(std::string_view specification, const Nearness& nearness,
                                         bool accelerators = false);

}  // namespace troupe::scheduler
