/// Where ready tasks go under a placing policy: the scheduler without its actor.
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

/// | event     | policy per completion      | policy in rounds                                         |
/// |-----------|----------------------------|----------------------------------------------------------|
/// | activated | decide about these tasks   | keep them; ask for `decide` unless that has been asked   |
/// | decide    | cannot happen              | decide about all that were kept                          |
/// | ended     | where the policy keeps tasks: it may place some of them; else nothing                 |
/// | abandon   | place without the policy   | forget what was kept; place without the policy           |
///
/// Events of tasks, workers and replicas (`happened`) correct what policies are told.
///
/// Under a policy that decides by times, what is not known well is found out first (`scheduler_core_held.cpp`). Classes
/// of one kernel (`ExecutionModel::kernel`) are found out about together, on each type of device (kind, cores, model)
/// that can run them:
///
/// - Where measurements are missing, tasks are *tried*, the smallest of those that wait: on the least loaded worker of
///   the type, as many as are missing, those under way counted.
/// - Policies are told longer times where these are in doubt (`ExecutionModel::doubt`).
/// - Where the kernel is unknown on some type, its other tasks are *held* here: until a worker of a type where it is
///   known has room, and there each goes where it ends first; or, if only one type can run it, until a worker is idle,
///   as there is nothing to choose. So nothing floods a type that may be slow.
/// - Where it is known and not surely (`ExecutionModel::is_sure`), a policy that keeps tasks decides about it. For
///   others tasks are held until the worker that the policy names has room: a first guess must not place all of them.
///   Meanwhile tasks of kernels that are known surely are held with them, so that the policy sees what competes for
///   the same workers, and no queue is filled before it is known what else has to run there.
/// - What a worker has to do is counted with what is predicted now (`WorkerLoads::predicted`), not with the guess by
///   which its tasks were placed.
/// - Where it is known surely, the policy decides.
///
/// Plain code; tasks are named by their ids, so that it is tested without a graph.
class SchedulerCore {
 public:
  struct Worker {
    DeviceType device;
    NodeId node = NodeId(0);
  };

  /// The policy's knowledge of the machine.
  struct Machine {
    std::vector<Worker> workers;
    TransferModel links;
    /// Room of each memory node, zero for no limit; empty: unlimited.
    std::vector<Bytes> capacities = {};
    /// Null: nothing is known of kernel times.
    std::unique_ptr<ExecutionModel> model = nullptr;
    /// Null: nothing is known of tasks before they are ready.
    std::shared_ptr<SubmittedTasks> submitted = nullptr;
  };

  SchedulerCore(std::unique_ptr<PlacingPolicy> policy, Machine machine, std::uint64_t seed);
  /// Workers with host memory alone, of whose speed nothing is known.
  SchedulerCore(std::unique_ptr<PlacingPolicy> policy, const std::vector<DeviceKind>& workers, std::uint64_t seed);

  /// The work that a decision leaves to the shell.
  struct Decision {
    /// Tasks that go before all that is queued: other tasks wait for their times, and must not wait for the whole
    /// queue.
    std::vector<Placed> tried;
    /// In the order in which the tasks are to be queued.
    std::vector<Placed> placed;
    /// Tasks to be taken from their workers, if they have not begun there; they come again as activated. Only policies
    /// that take back ask for this.
    std::vector<Placed> taken_back;
    /// Send `Decide` to itself.
    bool ask_to_decide = false;
    /// The policy's mistake; empty if it made none: it threw, or named a worker that cannot run the task. The tasks
    /// that it has not placed are on the least loaded workers that can run them.
    std::string failure;
  };

  /// The data that the tasks refer to must live until the tasks are placed.
  Decision activated(std::span<const ReadyTask> tasks, TimeStamp now);
  Decision decide(TimeStamp now);
  /// Tasks have ended.
  Decision ended(TimeStamp now);
  /// A task is *issuable* that waits for tasks on one worker's device alone. True: the policy would place it there,
  /// too, told that nobody can begin it before those have ended as predicted; it counts as placed. Where times have to
  /// be found out first, it is decided when the task is ready.
  [[nodiscard]] bool may_issue(WorkerId worker, const ReadyTask& task, TimeStamp now);
  /// Places all tasks that there are on the least loaded workers, as the actor around this has died. Another one may go
  /// on with this. `failure` says so.
  Decision abandon(std::span<const ReadyTask> tasks, const std::string& failure, TimeStamp now);

  /// Something happened to a task, a worker or a replica. What a task took on a worker that was grouped otherwise since
  /// its placement teaches nothing.
  void happened(const graph::TaskEvent& event);

  [[nodiscard]] NodeId node_of(WorkerId worker) const { return workers_[worker.index()].node; }
  [[nodiscard]] const Predictions& predictions() const { return predictions_; }
  /// Returns the errors of the predictions by which tasks were placed, by size class, then kind of device.
  [[nodiscard]] const std::vector<std::array<PredictionErrors, kDeviceKinds>>& prediction_errors() const {
    return errors_;
  }
  [[nodiscard]] bool keeps() const { return traits_.keeps; }
  /// Tasks that are on workers or kept, and have not ended.
  [[nodiscard]] std::size_t under_way() const {
    return placed_.size() + kept_.size() + round_.tasks.size() + held_.count;
  }
  /// Tasks wait here until more is known of their times: the core has to hear of every end (`ended`).
  [[nodiscard]] bool holds() const { return held_.count > 0; }
  /// Null: nothing is known of kernel times; of tasks before they are ready.
  [[nodiscard]] const ExecutionModel* model() const { return model_.get(); }
  [[nodiscard]] const SubmittedTasks* submitted() const { return submitted_.get(); }
  [[nodiscard]] std::span<const WorkerState> workers() const { return workers_; }
  [[nodiscard]] const DeviceType& type(WorkerId worker) const { return types_[workers_[worker.index()].type]; }
  [[nodiscard]] bool is_lost(WorkerId worker) const { return !lost_.empty() && lost_[worker.index()]; }
  /// Tasks that are ready, on workers or kept by the policy, and have not ended, as far as their times are learned;
  /// and these. O(tasks).
  [[nodiscard]] TaskLevel ready_with(std::span<const ReadyTask> tasks) const;
  /// The task was placed without the policy, which may not know yet and look at it: what its `ReadyTask` refers to must
  /// stay.
  [[nodiscard]] bool taken_away(TaskId task) const { return taken_away_.contains(task); }

 private:
  /// The state of a placed task, which becomes known when it starts and ends.
  struct Running {
    SizeClassId size_class;
    bool tried = false;
    /// 0: none.
    Duration predicted{};
    /// The worker's, when it was placed.
    std::uint32_t type = 0;
    WorkerId worker = {};
    /// Others can run some of its pieces.
    bool open = false;
    /// The codelet of a task of pieces on an accelerator; null for all others.
    const CodeletDefinition* of_pieces = nullptr;
  };
  struct Copy {
    NodeId from;
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] std::uint64_t copy_key(HandleId handle, NodeId node) const {
    return handle.value() * predictions_.replicas.nodes() + node.value();
  }
  // These are the parts of `happened` (scheduler_core_events.cpp).
  void task_started(const graph::TaskEvent& event);
  void all_taken(TaskId task);
  void stopped(const graph::TaskEvent& event);
  void task_ended(const graph::TaskEvent& event);
  /// The task has failed on this worker, or will not run there, whenever that became known.
  void task_left(const graph::TaskEvent& event);
  void worker_lost(WorkerId worker);
  void regrouped(WorkerId worker, int cores);
  void replica_changed(const graph::TaskEvent& event);

  Decision place(std::span<const ReadyTask> tasks, TimeStamp now);
  void place_kept(Decision& decision);
  /// Where the policy takes back, and nothing else is on its way.
  void take_back(Decision& decision);
  /// Asks the policy; what it throws, as text.
  template <class Ask>
  static std::string ask(Ask&& ask);
  /// Corrects a placement where a worker cannot run its task.
  void settle(std::span<const ReadyTask> tasks, std::span<WorkerId> placement, std::string failure, Decision& decision);
  void commit(const ReadyTask& task, WorkerId worker, Decision& decision, bool tried = false);
  void look_at(TimeStamp now);
  void look_at(WorkerId worker);
  void learn(SizeClassId size_class);
  /// Enters the class among those of its kernel.
  void enter(SizeClassId size_class, const graph::SizeClass& known);
  /// Predicts again the times of tasks that were placed by a guess, from all that is known by now.
  void predict_guessed();
  /// All classes of its kernel of which tasks are left; the others when there are some again.
  void learn_kernel(SizeClassId size_class);
  /// All classes that have been looked at.
  void learn_again();
  /// Once for all workers that were grouped otherwise.
  void refresh();
  /// The number of a type of device, which is noted where it is new.
  std::uint32_t type_of(const DeviceType& device);
  void learn_if_new(SizeClassId size_class);
  [[nodiscard]] bool fits(const graph::SizeClass& size_class, NodeId node) const;
  struct HeldTask : ReadyTask {
    /// Counts all that were held before it, of any kernel.
    std::uint64_t number = 0;
  };
  /// Tasks of one kernel: what is measured of one says something of the others.
  struct KernelState {
    /// For each type of device, the tasks under way that are run to measure it.
    std::vector<std::uint32_t> trials;
    /// All that have been looked at.
    std::vector<SizeClassId> classes;
    /// In the order in which they became ready.
    std::deque<HeldTask> held;
  };
  [[nodiscard]] KernelState& kernel_of(SizeClassId size_class) { return kernels_[classes_[size_class.index()].kernel]; }
  /// Where to try the task; an invalid id where no measurements are missing, or as many are under way.
  [[nodiscard]] WorkerId trial(const ReadyTask& task);
  /// The task waits until more is known; false: the policy is to be asked.
  bool hold(const ReadyTask& task);
  /// The policy has to be asked about it as soon as its worker has room, and not before.
  [[nodiscard]] bool waits_for_room(const ReadyTask& task) const;
  /// Places what need not wait any longer. `shown`: appended are those that the policy is to be shown.
  void place_held(Decision& decision, std::vector<ReadyTask>& shown);
  /// Places the held tasks of one kernel, except those that wait for room.
  void place_held(KernelState& kernel, Decision& decision, std::vector<ReadyTask>& shown);
  /// Some of the tasks that are held are not known surely, as far as the first of each kernel show.
  [[nodiscard]] bool holds_unsure();
  /// Where measurements of the kernel are missing: the smallest of its tasks, so that what is tried on a slow device
  /// costs little.
  void try_smallest(KernelState& kernel, Decision& decision);
  /// A task that waits; false: it goes on waiting.
  bool release(const ReadyTask& task, Decision& decision, std::vector<ReadyTask>& shown);
  /// Where measurements of its kernel are missing; false: enough are under way.
  bool try_out(const ReadyTask& task, Decision& decision);
  /// Places it without the policy; false: it has to wait.
  bool find_out(const ReadyTask& task, Decision& decision);
  /// Returns the worker where the task ends first, of those that have room and whose type has been measured.
  [[nodiscard]] WorkerId earliest_with_room(const ReadyTask& task) const;
  /// An idle worker that can run it.
  [[nodiscard]] WorkerId idle_for(const ReadyTask& task) const;
  /// The first tasks of all kernels, as far as the workers that the policy names have room.
  void place_with_room(Decision& decision);
  /// Returns as many of the tasks that wait for room as the policy is shown at once.
  [[nodiscard]] std::vector<HeldTask> waiting_for_room();
  /// The order in which these are to begin on the workers that the policy has named: by priority, then by rank where
  /// the policy asks for that, then the longest, so that short ones are left to even out what was predicted wrongly.
  [[nodiscard]] std::vector<std::size_t> first_to_begin(std::span<const ReadyTask> tasks,
                                                        std::span<const WorkerId> placement) const;
  [[nodiscard]] bool has_room(const WorkerState& worker) const;
  /// It has a task of which hardly anything is known: those behind it might wait for long.
  [[nodiscard]] bool has_doubtful(WorkerId worker) const;
  /// Where the policy wants them; what it throws, as text.
  std::string ask_where(std::span<const ReadyTask> tasks, std::span<WorkerId> placement);
  /// Asks the policy, and places them so.
  void show(std::span<const ReadyTask> tasks, Decision& decision);
  [[nodiscard]] bool is_measured(SizeClassId size_class, WorkerId worker) const;
  /// Returns the number of trials of the class that are under way on the type of device.
  [[nodiscard]] std::uint32_t& trials(SizeClassId size_class, std::uint32_t type) {
    std::vector<std::uint32_t>& trials = kernel_of(size_class).trials;
    if (trials.size() <= type) trials.resize(types_.size());
    return trials[type];
  }
  /// Nobody can join any more.
  void close(Running& running);
  /// The task that was placed, forgotten; nothing where it was not.
  std::optional<Running> forget(TaskId task);
  void compare(const Running& running, WorkerId worker, Duration took);
  [[nodiscard]] bool can_run(WorkerId worker, const ReadyTask& task) const;
  [[nodiscard]] bool anybody_runs(const ReadyTask& task) const;
  [[nodiscard]] bool anybody_works() const;
  /// Kept tasks that nobody can run since a worker was lost go to that, which reports why.
  void give_up_kept(Decision& decision);
  /// The worker with the fewest tasks of those that can run it; the smallest id where several have. Where none can, of
  /// those that have its device: they will report why not.
  [[nodiscard]] WorkerId least_loaded(const ReadyTask& task) const;
  void expect(const ReadyTask& task, NodeId node);
  void fill_rank(ReadyTask& task);
  void fill_grain(ReadyTask& task);

  std::unique_ptr<PlacingPolicy> policy_;
  /// The policy's answers about itself, see `PlacingPolicy`.
  struct Traits : PolicyTraits {
    /// The exception that it threw instead; it is told once.
    std::string failure;
  };
  Traits traits_;
  std::unique_ptr<ExecutionModel> model_;
  std::shared_ptr<SubmittedTasks> submitted_;
  std::vector<WorkerState> workers_;
  /// Types of device that there are, or were.
  std::vector<DeviceType> types_;
  /// For each worker, true if it is lost; empty while none is.
  std::vector<bool> lost_;
  WorkerLoads loads_;
  Predictions predictions_;
  TimeStamp now_{};
  Random random_;
  /// The next round's tasks; `asked`: the shell has been asked to decide about them.
  struct Round {
    std::vector<ReadyTask> tasks;
    bool asked = false;
  };
  Round round_;
  /// Times are those of workers as they were grouped before.
  bool stale_ = false;
  // The maps are looked up only.
  /// Kept by the policy.
  std::unordered_map<TaskId, ReadyTask> kept_;
  /// Were given to a policy that keeps tasks and then placed without it, which it may not have heard.
  std::unordered_set<TaskId> taken_away_;
  std::unordered_map<TaskId, Running> placed_;
  /// Placed tasks whose times were not known surely at that time; some of them may have ended.
  std::vector<TaskId> guessed_;
  /// Is to come back, for this worker; or has come. Invalid ids: none.
  Placed taken_back_;
  /// For each worker, true if it helps another with pieces.
  std::vector<bool> joined_;
  /// Copies that were asked for, by handle and node.
  std::unordered_map<std::uint64_t, Copy> copies_;
  /// The state of a size class: whether its time is known on every type of device that can run it, or on any; whether
  /// no measurements are missing there, and all predictions are sure; how many types can run it; and for each type,
  /// whether it is known (empty: not looked at).
  struct ClassState {
    bool known = false;
    bool known_somewhere = false;
    bool complete = false;
    bool sure = false;
    /// Policies are told longer times than are predicted.
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
  /// The kernels, at `ExecutionModel::kernel`. This is a deque because more may come while one is looked at.
  std::deque<KernelState> kernels_;
  /// The tasks that are held, of all kernels.
  struct Held {
    std::size_t count = 0;
    /// All that ever were.
    std::uint64_t ever = 0;
    /// The answer of `holds_unsure` when held tasks were last looked at; true if an unsure one was held since.
    bool any_unsure = false;
  };
  Held held_;
  /// The costs from which ranks are computed.
  struct Costs {
    std::vector<double> by_class_s;
    /// Classes whose costs have been asked for: all before this one.
    std::size_t asked_for = 0;
  };
  Costs costs_;
  std::vector<std::array<PredictionErrors, kDeviceKinds>> errors_;
};

}  // namespace troupe::scheduler
