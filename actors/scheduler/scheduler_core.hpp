/// Decides where ready tasks go under a placing policy. This is the scheduler without its actor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actors/scheduler/models/execution_model.hpp"
#include "actors/scheduler/policy.hpp"
#include "actors/scheduler/submitted_tasks.hpp"
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
/// Under a policy that decides by times, uncertain times are measured first (`scheduler_core_held.cpp`). This is done
/// for all classes of one kernel together (`ExecutionModel::kernel`), on each type of device (kind, cores, model) that
/// can run them:
///
/// - If measurements are missing, tasks are *tried*, the smallest waiting tasks first. They go to the least loaded
///   worker of the type, as many as measurements are missing, minus the trials under way.
/// - Policies get longer times if the predictions are in doubt (`ExecutionModel::doubt`).
/// - If the kernel's times are unknown on some type, its other tasks are *held* here until a worker of a known type has
///   room. Each goes to the worker where it ends first. If only one type can run the kernel, there is nothing to
///   choose, and the tasks are held until a worker is idle. So a type that may be slow is not flooded.
/// - If the times are known but not sure (`ExecutionModel::is_sure`), a policy that keeps tasks decides about them.
///   Under other policies, tasks are held until the worker that the policy names has room: a first guess must not place
///   all of them. Meanwhile, tasks of kernels with sure times are held, too. So the policy sees all tasks that compete
///   for the same workers, and no queue is filled before it is known what else has to run there.
/// - The load of a worker is computed from the present predictions (`WorkerLoads::predicted`), not from the guesses by
///   which its tasks were placed.
/// - If the times are known surely, the policy decides.
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
    return errors_;
  }
  [[nodiscard]] bool keeps() const { return traits_.keeps; }
  /// Returns the number of tasks that have not ended and are on workers, kept by the policy or held.
  [[nodiscard]] std::size_t under_way() const {
    return placed_.size() + kept_.size() + round_.tasks.size() + held_.count;
  }
  /// Returns true if tasks are held until more is known of their times: then `ended` has to be called after every end
  /// of a task.
  [[nodiscard]] bool holds() const { return held_.count > 0; }
  /// `model` returns null if kernel times are unknown; `submitted` returns null if tasks are unknown before they are
  /// ready.
  [[nodiscard]] const ExecutionModel* model() const { return model_.get(); }
  [[nodiscard]] const SubmittedTasks* submitted() const { return submitted_.get(); }
  [[nodiscard]] std::span<const WorkerState> workers() const { return workers_; }
  [[nodiscard]] const DeviceType& type(WorkerId worker) const { return types_[workers_[worker.index()].type]; }
  [[nodiscard]] bool is_lost(WorkerId worker) const { return !lost_.empty() && lost_[worker.index()]; }
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
  void learn(SizeClassId size_class);
  /// Adds the class to the classes of its kernel.
  void enter(SizeClassId size_class, const graph::SizeClass& known);
  /// Predicts again, from the present measurements, the times of tasks that were placed by a guess.
  void predict_guessed();
  /// Updates the predictions of this class's kernel, for all classes of the kernel that have tasks left. The other
  /// classes of the kernel are updated when they have tasks again.
  void learn_kernel(SizeClassId size_class);
  /// Updates the predictions of all classes that have predictions.
  void learn_again();
  /// Updates all predictions if any workers were regrouped: once for all of these workers.
  void refresh();
  /// Returns the number of a type of device in `types_`; adds the type if it is new.
  std::uint32_t type_of(const DeviceType& device);
  void learn_if_new(SizeClassId size_class);
  [[nodiscard]] bool fits(const graph::SizeClass& size_class, NodeId node) const;
  struct HeldTask : ReadyTask {
    /// The number of tasks, of any kernel, that were held before this task.
    std::uint64_t number = 0;
  };
  /// The tasks of one kernel: a measurement of one task also tells something about the other tasks.
  struct KernelState {
    /// For each type of device, the tasks under way that are run to measure it.
    std::vector<std::uint32_t> trials;
    /// All size classes of the kernel that have predictions.
    std::vector<SizeClassId> classes;
    /// The held tasks, in the order in which they became ready.
    std::deque<HeldTask> held;
  };
  [[nodiscard]] KernelState& kernel_of(SizeClassId size_class) { return kernels_[classes_[size_class.index()].kernel]; }
  /// Returns the worker on which to try the task; an invalid id if no measurements are missing, or if enough trials are
  /// under way.
  [[nodiscard]] WorkerId trial(const ReadyTask& task);
  /// Holds the task back and returns true if too little is known of its kernel's times, or if it has to wait for room.
  /// Returns false if the policy should be asked now, or if no worker can run the task.
  bool hold(const ReadyTask& task);
  /// Returns true if the policy must not be asked about the task before its worker has room.
  [[nodiscard]] bool waits_for_room(const ReadyTask& task) const;
  /// Places the tasks that need not wait any longer. Appends to `shown` the tasks that the policy should decide about.
  void place_held(Decision& decision, std::vector<ReadyTask>& shown);
  /// Places the held tasks of one kernel, except those that wait for room.
  void place_held(KernelState& kernel, Decision& decision, std::vector<ReadyTask>& shown);
  /// Returns true if the time of any held task is not known surely. Examines only the first tasks of each kernel.
  [[nodiscard]] bool holds_unsure();
  /// If measurements of the kernel are missing, tries its smallest tasks, so that trials on a slow device cost little.
  void try_smallest(KernelState& kernel, Decision& decision);
  /// Places a held task, or adds it to `shown`; returns false if the task has to wait longer.
  bool release(const ReadyTask& task, Decision& decision, std::vector<ReadyTask>& shown);
  /// Places the task as a trial if measurements of its kernel are missing; returns false if enough trials are under
  /// way.
  bool try_out(const ReadyTask& task, Decision& decision);
  /// Places the task without the policy, which does not know its times; returns false if the task has to wait.
  bool find_out(const ReadyTask& task, Decision& decision);
  /// Returns the worker where the task ends first, among those that have room and whose type has been measured.
  [[nodiscard]] WorkerId earliest_with_room(const ReadyTask& task) const;
  /// Returns an idle worker that can run the task; an invalid id if there is none.
  [[nodiscard]] WorkerId idle_for(const ReadyTask& task) const;
  /// Places the first held tasks of all kernels on the workers that the policy names, if these workers have room.
  void place_with_room(Decision& decision);
  /// Returns the tasks that wait for room, but not more than the policy may see at once.
  [[nodiscard]] std::vector<HeldTask> waiting_for_room();
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
  [[nodiscard]] bool is_measured(SizeClassId size_class, WorkerId worker) const;
  /// Returns the number of trials of the class's kernel that are under way on the type of device.
  [[nodiscard]] std::uint32_t& trials(SizeClassId size_class, std::uint32_t type) {
    std::vector<std::uint32_t>& trials = kernel_of(size_class).trials;
    if (trials.size() <= type) trials.resize(types_.size());
    return trials[type];
  }
  /// Records that no other worker can take pieces of the task any more.
  void close(Running& running);
  /// Removes a task from the placed tasks and returns its record; returns nothing if the task was not placed.
  std::optional<Running> forget(TaskId task);
  void compare(const Running& running, WorkerId worker, Duration took);
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
  void fill_rank(ReadyTask& task);
  void fill_grain(ReadyTask& task);

  std::unique_ptr<PlacingPolicy> policy_;
  /// The policy's answers about itself (`PlacingPolicy::policy_traits`).
  struct Traits : PolicyTraits {
    /// The text of an exception that the policy threw instead of answering; it is reported once.
    std::string failure;
  };
  Traits traits_;
  std::unique_ptr<ExecutionModel> model_;
  std::shared_ptr<SubmittedTasks> submitted_;
  std::vector<WorkerState> workers_;
  /// All types of device that there are, or were before a regrouping.
  std::vector<DeviceType> types_;
  /// For each worker, true if it is lost; empty while none is.
  std::vector<bool> lost_;
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
  /// True if workers have been regrouped since their times were learned.
  bool stale_ = false;
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
  /// The state of a size class. `known`, `complete` and `sure` say that on every type of device that can run the class
  /// its time is known, no measurements are missing, and the prediction is sure. `types` counts these types; `measured`
  /// says for each type whether the time is known (empty if there are no predictions for the class).
  struct ClassState {
    bool known = false;
    bool known_somewhere = false;
    bool complete = false;
    bool sure = false;
    /// True if policies get longer times than the predicted times.
    bool in_doubt = false;
    std::uint32_t types = 0;
    std::vector<bool> measured;
    std::size_t kernel = 0;
    bool in_kernel = false;
  };
  [[nodiscard]] static bool is_unsure(const ClassState& state) {
    return !state.known || !state.complete || !state.sure;
  }
  std::vector<ClassState> classes_;
  /// The kernels, by the number that `ExecutionModel::kernel` returns. A deque, because kernels may be added while a
  /// reference to one of them is in use.
  std::deque<KernelState> kernels_;
  /// The tasks that are held, of all kernels.
  struct Held {
    std::size_t count = 0;
    /// The number of tasks that were ever held.
    std::uint64_t ever = 0;
    /// The last answer of `holds_unsure`, or true if an unsure task has been held since.
    bool any_unsure = false;
  };
  Held held_;
  /// The costs from which ranks are computed.
  struct Costs {
    std::vector<double> by_class_s;
    /// The costs of all classes with smaller numbers have been computed.
    std::size_t asked_for = 0;
  };
  Costs costs_;
  std::vector<std::array<PredictionErrors, kDeviceKinds>> errors_;
};

}  // namespace troupe::scheduler
