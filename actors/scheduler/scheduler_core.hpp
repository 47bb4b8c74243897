/// Decides where ready tasks go under a placing policy. This is the scheduler without its actor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actors/scheduler/kernel_times.hpp"
#include "actors/scheduler/models/execution_model.hpp"
#include "actors/scheduler/policy.hpp"
#include "actors/scheduler/submitted_tasks.hpp"
#include "actors/scheduler/trials.hpp"
#include "actors/scheduler/worker_loads.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/tasks/task_event.hpp"
#include "troupe/devices.hpp"
#include "troupe/report.hpp"

namespace troupe::scheduler {

/// The decisions after each event:
///
/// | event     | policy per completion      | policy in rounds                                         |
/// |-----------|----------------------------|----------------------------------------------------------|
/// | activated | decide about these tasks   | keep them; ask for `decide` unless that has been asked   |
/// | decide    | cannot happen              | decide about all that were kept                          |
/// | ended     | if the policy keeps tasks, or tasks are held: some of them may be placed; else nothing |
/// | abandon   | place without the policy   | forget what was kept; place without the policy           |
///
/// The events of tasks, workers and replicas (`happened`) update the information that policies get.
///
/// Under a policy that decides by times, tasks of kernels whose times are uncertain are tried, or held, before the
/// policy sees them (`Trials`). The load of a worker is computed from the present predictions
/// (`WorkerLoads::predicted`), not from the guesses by which its tasks were placed.
///
/// Tasks are identified by their ids, so that this class can be tested without a graph and without threads.
class SchedulerCore {
 public:
  struct Worker {
    DeviceType device;
    NodeId node = NodeId(0);
  };

  /// The description of the machine that the policy gets.
  struct Machine {
    std::vector<Worker> workers;
    TransferModel links;
    /// The capacity of each memory node, zero for no limit; an empty vector means no limits.
    std::vector<Bytes> capacities = {};
    /// If null, kernel times are unknown.
    std::unique_ptr<ExecutionModel> model = nullptr;
    /// If null, tasks are unknown before they are ready.
    std::shared_ptr<SubmittedTasks> submitted = nullptr;
  };

  SchedulerCore(std::unique_ptr<PlacingPolicy> policy, Machine machine, std::uint64_t seed);
  /// Makes a core for workers that have host memory only and whose speeds are unknown.
  SchedulerCore(std::unique_ptr<PlacingPolicy> policy, const std::vector<DeviceKind>& workers, std::uint64_t seed);

  /// The work that a decision leaves to the actor.
  struct Decision {
    /// Tasks that are run to measure times. They go before all queued tasks, because other tasks wait for these times.
    std::vector<Placed> tried;
    /// All other placed tasks (not in `tried`), in the order in which they are to be queued.
    std::vector<Placed> placed;
    /// Tasks that should be taken from their workers, if they have not begun there, and activated again. Only policies
    /// with `takes_back` ask for this.
    std::vector<Placed> taken_back;
    /// True if the actor has to send `Decide` to itself.
    bool ask_to_decide = false;
    /// The policy's mistake if it threw or named a worker that cannot run the task; else empty. Tasks that the policy
    /// has not placed went to the least loaded workers that can run them.
    std::string failure;
  };

  /// Decides about tasks that became ready. The data to which the tasks refer must live until the tasks are placed.
  Decision activated(std::span<const ReadyTask> tasks, TimeStamp now);
  Decision decide(TimeStamp now);
  /// Called after tasks have ended.
  Decision ended(TimeStamp now);
  /// A task is *issuable* if it waits only for tasks on one worker's device. Returns true if the policy would place the
  /// task on this worker, too; the task then counts as placed. The policy sees no worker as available before those
  /// tasks have ended. Returns false if times have to be measured first: the policy is then asked when the task is
  /// ready.
  [[nodiscard]] bool may_issue(WorkerId worker, const ReadyTask& task, TimeStamp now);
  /// Places these tasks on the least loaded workers, because the actor around this core has died. A new actor may
  /// continue with this core. `failure` is the text to report.
  Decision abandon(std::span<const ReadyTask> tasks, const std::string& failure, TimeStamp now);

  /// Records an event of a task, a worker or a replica. If a worker was regrouped after a task was placed on it, the
  /// task's duration is not learned.
  void happened(const graph::TaskEvent& event);

  [[nodiscard]] NodeId node_of(WorkerId worker) const { return workers_[worker.index()].node; }
  [[nodiscard]] const Predictions& predictions() const { return predictions_; }
  /// Returns the errors of the predictions by which tasks were placed, by size class, then kind of device.
  [[nodiscard]] const std::vector<std::array<PredictionErrors, kDeviceKinds>>& prediction_errors() const {
    return times_.errors();
  }
  [[nodiscard]] bool keeps() const { return traits_.keeps; }
  /// Returns the number of tasks that have not ended and are on workers, kept by the policy or held.
  [[nodiscard]] std::size_t under_way() const {
    return placed_.size() + kept_.size() + round_.tasks.size() + trials_.held();
  }
  /// Returns true if tasks are held until more is known of their times: then `ended` has to be called after every end
  /// of a task.
  [[nodiscard]] bool holds() const { return trials_.held() > 0; }
  /// `model` returns null if kernel times are unknown; `submitted` returns null if tasks are unknown before they are
  /// ready.
  [[nodiscard]] const ExecutionModel* model() const { return times_.model(); }
  [[nodiscard]] const SubmittedTasks* submitted() const { return times_.submitted(); }
  [[nodiscard]] std::span<const WorkerState> workers() const { return workers_; }
  [[nodiscard]] const DeviceType& type(WorkerId worker) const { return times_.type(workers_[worker.index()].type); }
  [[nodiscard]] bool is_lost(WorkerId worker) const { return workers_[worker.index()].lost; }
  /// Counts, by class, the tasks in `tasks` and all other tasks that are ready, on workers or kept by the policy, and
  /// have not ended. Tasks without a size class are left out. O(tasks).
  [[nodiscard]] TaskLevel ready_with(std::span<const ReadyTask> tasks) const;
  /// Returns true if the task was placed without the policy. The policy may not know that yet and may still use the
  /// task, so the data of its `ReadyTask` must stay.
  [[nodiscard]] bool taken_away(TaskId task) const { return taken_away_.contains(task); }

 private:
  /// A placed task that has not ended.
  struct Running {
    SizeClassId size_class;
    bool tried = false;
    /// The predicted duration; 0 if there is none.
    Duration predicted{};
    /// The number of the type of the worker's device when the task was placed.
    std::uint32_t type = 0;
    WorkerId worker = {};
    /// True if other workers can run some pieces of the task.
    bool open = false;
    /// The codelet of a task of pieces on an accelerator; null for all other tasks.
    const CodeletDefinition* of_pieces = nullptr;
  };
  struct Copy {
    NodeId from;
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] std::uint64_t copy_key(HandleId handle, NodeId node) const {
    return handle.value() * predictions_.replicas.nodes() + node.value();
  }
  // These functions do the work of `happened` (scheduler_core_events.cpp).
  void task_started(const graph::TaskEvent& event);
  void all_taken(TaskId task);
  void stopped(const graph::TaskEvent& event);
  void task_ended(const graph::TaskEvent& event);
  /// Handles a task that has failed on a worker, or will not run there. The event may come late, when another worker
  /// has the task.
  void task_left(const graph::TaskEvent& event);
  void worker_lost(WorkerId worker);
  void regrouped(WorkerId worker, int cores);
  void replica_changed(const graph::TaskEvent& event);

  Decision place(std::span<const ReadyTask> tasks, TimeStamp now);
  void place_kept(Decision& decision);
  /// Takes a task back if the policy asks for that, unless another task is being taken back.
  void take_back(Decision& decision);
  /// Calls `ask`, which asks the policy; returns the text of an exception that the policy throws, else an empty text.
  template <class Ask>
  static std::string ask(Ask&& ask);
  /// Carries out a placement; a task whose worker cannot run it goes to the least loaded worker that can run it.
  void settle(std::span<const ReadyTask> tasks, std::span<WorkerId> placement, std::string failure, Decision& decision);
  void commit(const ReadyTask& task, WorkerId worker, Decision& decision, bool tried = false);
  void look_at(TimeStamp now);
  void look_at(WorkerId worker);
  /// Returns the workers and the predictions, in which `times_` enters what it learns.
  [[nodiscard]] KernelTimes::Machine machine() { return {workers_, predictions_}; }
  /// Predicts again, from the present measurements, the times of tasks that were placed by a guess.
  void predict_guessed();
  /// Places the held tasks that need not wait any longer. Appends to `shown` the tasks that the policy should decide
  /// about.
  void place_held(Decision& decision, std::vector<ReadyTask>& shown);
  /// Places held tasks that wait for room on the workers that the policy names, if these workers have room.
  void place_with_room(const Trials::Scheduler& scheduler, Decision& decision);
  /// Returns the order in which the tasks should begin on the workers that the policy has named: by priority, then by
  /// rank if the policy asks for ranks, then the longest first. Short tasks at the end even out the effects of wrong
  /// predictions.
  [[nodiscard]] std::vector<std::size_t> first_to_begin(std::span<const ReadyTask> tasks,
                                                        std::span<const WorkerId> placement) const;
  [[nodiscard]] bool has_room(const WorkerState& worker) const;
  /// Returns true if the worker has a task whose time is very uncertain: the tasks behind it might wait for long.
  [[nodiscard]] bool has_doubtful(WorkerId worker) const;
  /// Asks the policy where the tasks should run, and sets `placement`; returns the text of the policy's exception, if
  /// any.
  std::string ask_where(std::span<const ReadyTask> tasks, std::span<WorkerId> placement);
  /// Asks the policy about the tasks, and places them as the policy decides.
  void show(std::span<const ReadyTask> tasks, Decision& decision);
  /// Records that no other worker can take pieces of the task any more.
  void close(Running& running);
  /// Removes a task from the placed tasks and returns its record; returns nothing if the task was not placed.
  std::optional<Running> forget(TaskId task);
  [[nodiscard]] bool can_run(WorkerId worker, const ReadyTask& task) const;
  [[nodiscard]] bool anybody_runs(const ReadyTask& task) const;
  [[nodiscard]] bool anybody_works() const;
  /// Gives up kept tasks that no worker can run since a worker was lost: each goes to a worker that reports the reason.
  void give_up_kept(Decision& decision);
  /// Returns the worker with the fewest queued tasks among those that can run the task; of equals, the worker with the
  /// smallest id. If no worker can run it, returns a worker whose kind of device the codelet runs on, and which will
  /// report the reason.
  [[nodiscard]] WorkerId least_loaded(const ReadyTask& task) const;
  void expect(const ReadyTask& task, NodeId node);

  std::unique_ptr<PlacingPolicy> policy_;
  /// The policy's answers about itself (`PlacingPolicy::policy_traits`).
  struct Traits : PolicyTraits {
    /// The text of an exception that the policy threw instead of answering; it is reported once.
    std::string failure;
  };
  static Traits traits_of(const PlacingPolicy& policy);
  Traits traits_;
  KernelTimes times_;
  Trials trials_;
  std::vector<WorkerState> workers_;
  WorkerLoads loads_;
  Predictions predictions_;
  TimeStamp now_{};
  Random random_;
  /// The next round's tasks. `asked` is true if the actor has been asked to decide about them.
  struct Round {
    std::vector<ReadyTask> tasks;
    bool asked = false;
  };
  Round round_;
  // The order of entries in these maps never matters.
  /// Tasks that the policy keeps.
  std::unordered_map<TaskId, ReadyTask> kept_;
  /// Tasks that a policy with `keeps` has seen, and that were then placed without it. The policy may not know that yet.
  std::unordered_set<TaskId> taken_away_;
  std::unordered_map<TaskId, Running> placed_;
  /// Placed tasks whose times were not known surely at that time; some of them may have ended.
  std::vector<TaskId> guessed_;
  /// The task that is being taken back, and the core that is to get it. Invalid ids if there is none.
  Placed taken_back_;
  /// For each worker, true if it runs pieces of another worker's task.
  std::vector<bool> joined_;
  /// Copies that placed tasks need, by handle and node (`copy_key`).
  std::unordered_map<std::uint64_t, Copy> copies_;
};

}  // namespace troupe::scheduler
