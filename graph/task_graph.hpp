/// The task graph: from submissions to ready tasks, from completions to more of them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/codelets/arguments.hpp"
#include "graph/codelets/codelet.hpp"
#include "graph/codelets/handle.hpp"
#include "graph/codelets/restrictions.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/data/dependencies.hpp"
#include "graph/recording/recording.hpp"
#include "graph/submission_observer.hpp"
#include "graph/tasks/block_pool.hpp"
#include "graph/tasks/completion_counter.hpp"
#include "graph/tasks/dependency_trace.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/graph_snapshot.hpp"
#include "graph/tasks/home_process.hpp"
#include "graph/tasks/light_mutex.hpp"
#include "graph/tasks/pending_hold.hpp"
#include "graph/tasks/task.hpp"
#include "graph/tasks/task_endings.hpp"
#include "graph/tasks/task_owner.hpp"
#include "graph/tasks/task_waiter.hpp"
#include "graph/tasks/thread_holds.hpp"
#include "graph/tasks/waiting_threads.hpp"
#include "proto/device_kinds.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

/// Definitions of codelets that somebody keeps.
using CodeletDefinitions = std::unordered_map<const CodeletDefinition*, std::shared_ptr<const CodeletDefinition>>;

struct GraphOptions {
  /// Workers that will complete tasks; their ids are 0 … workers - 1.
  std::size_t workers = 1;
  /// Kinds of device that at least one worker drives.
  KindSet device_kinds = kind_set(DeviceKind::cpu_core);
  /// Tasks that may be in flight before `submit` blocks. Larger: policies see more of the future; about 250 bytes a
  /// task. Submissions from kernels and callbacks are not bounded. At least 1.
  std::size_t window = 65536;
  /// Besides what each task's options say.
  Restrictions restrictions = {};
  /// Pairs of a codelet and devices by number or name that submissions may have between them.
  std::size_t most_named_devices = std::numeric_limits<std::size_t>::max();
  /// The host says what codelet runs in place of each that is submitted (`GraphHost::stand_in`).
  bool stand_ins = false;
  /// Tasks keep the priorities that they are submitted with; else all have the default one.
  bool priorities = true;
  /// Where to record which task waited for which; outlives the graph. Null: nowhere.
  DependencyTrace* dependency_trace = nullptr;
  /// Who sees tasks before they are ready, in this order; they outlive the graph.
  std::vector<SubmissionObserver*> observers = {};
  /// The workers run tasks of other graphs too, and find the graph of each in `Task::graph`.
  bool shares_workers = false;
  /// What the workers' side wants to find again by a task's graph.
  void* owner = nullptr;
  /// Told of the end of every task; outlives the graph. With `shares_workers` only. Null: nobody is.
  TaskEndings* endings = nullptr;
  /// The first task's id.
  std::uint64_t first_id = 1;
  /// Where tasks' and handles' ids come from, so that those of several graphs differ; outlives the graph. Null: they
  /// count from `first_id`, and from 0. Of tasks' ids a graph takes many at a time.
  std::atomic<std::uint64_t>* task_ids = nullptr;
  std::atomic<std::uint64_t>* handle_ids = nullptr;
  /// Bytes of the runtime's memory whose registrations have ended and whose last use has not: where a thread that may
  /// wait would make it more, it waits for the last use instead. Larger: temporaries hold up fewer pipelines; smaller:
  /// a program that makes them faster than tasks use them takes less memory.
  std::uint64_t late_bytes = std::uint64_t{1} << 30U;
};

/// What the graph needs of the runtime around it.
class GraphHost {
 public:
  virtual ~GraphHost() = default;

  /// Takes tasks that have become ready outside a worker's completion: by submission (`worker` is valid where a
  /// kernel submitted) or because a thread gave data back. May be called from any thread.
  virtual void activate(TaskList& ready, WorkerId worker) noexcept = 0;

  enum class Pump {
    /// Other threads do the work: block.
    block,
    /// One event was handled: look again.
    progressed,
    /// Nothing is left to do in a single-threaded run.
    exhausted,
  };
  /// Called by a thread that waits, before it blocks.
  virtual Pump pump() = 0;
  /// The calling thread holds this data and is about to use them in host memory: brings their content there, if the
  /// mode reads it, and makes all other copies outdated if it writes.
  virtual Result<void> bring_home(const DataRecord& /*data*/, AccessMode /*mode*/) { return {}; }
  /// The program is about to use in host memory what the tasks of this graph that have ended have written: brings it
  /// there, except for data that other tasks write meanwhile, and hidden ones. Not under any lock of the graph.
  virtual Result<void> bring_all_home(const TaskOwner& /*graph*/) { return {}; }
  /// A piece of data, which no task uses, is about to be forgotten. Under the submission lock.
  virtual void forget(const DataRecord& /*data*/) noexcept {}
  /// What runs on other threads at this moment. A task that a worker was about to begin may be missing for a moment.
  [[nodiscard]] virtual std::vector<RunningTask> running_elsewhere() { return {}; }
  /// What a set of devices is among the runtime's workers. Fails with `invalid_argument` where it names what is not
  /// there. Any thread.
  virtual Result<DevicesHere> find_devices(const DeviceSet& devices);
  /// With `GraphOptions::stand_ins`: this codelet, or another one in its place, which the host keeps as long as the
  /// graph. Fails where no device here could run it.
  virtual Result<const Codelet*> stand_in(const Codelet& codelet) { return &codelet; }
};

/// What to do with a task that a worker took from a deque.
enum class Begin {
  run,
  /// It has left the worker's hands: it waits for a commute lock.
  parked,
  /// It was cancelled and has been completed.
  ended,
};

/// One submission. The referenced objects are used during the call only.
struct TaskSpecification {
  const Codelet& codelet;
  std::span<const Access> accesses;
  const Arguments& arguments;
  const TaskOptions& options;
  /// What `TaskEndings` are told, and failures call the task; 0: nothing. Kept with `GraphOptions::shares_workers`
  /// only.
  std::uint64_t tag = 0;
  /// `GraphOptions::restrictions` hold for it; not for what stands in for a task that is refused.
  bool restricted = true;
};

struct GraphProgress {
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
};

/// Tasks in the order of sequential task flow: a run's effects are those of running all tasks one after the other as
/// they were submitted (submissions by several threads are ordered by the submission lock).
///
/// Thread-safe. `submit`, `register_data` … may be called by any thread; `begin` and `complete` by the worker named
/// in the call. Completing a task takes no lock. What is done under the submission lock: allocation of tasks,
/// dependency state of records, the registry.
class TaskGraph final : public TaskOwner {
 public:
  TaskGraph(const GraphOptions& options, GraphHost& host);
  ~TaskGraph();
  TaskGraph(const TaskGraph&) = delete;
  TaskGraph& operator=(const TaskGraph&) = delete;

  // Data.
  Handle register_data(DataDescription description);
  /// For memory that may be registered already: `overlapping_handles`, see `DataRegistry::add_apart`.
  Result<Handle> register_apart(DataDescription description);
  /// Makes handles of disjoint blocks of a handle, after waiting for the tasks that use it (or any other part of the
  /// whole that it belongs to). `overlapping_handles`, `invalid_handle`, `wait_in_kernel`.
  Result<std::vector<Handle>> partition(const Handle& parent, std::span<const Block> blocks);
  /// From now on the handle may be used in mode reduce. Waits for the tasks that use it.
  Result<void> set_reduction(const Handle& handle, ReductionMethods methods);
  /// Forgets a handle and its parts after their last use. Waits for that, unless the memory goes with the registration,
  /// so that nobody sees when. In a kernel or callback `wait_in_kernel` where it would have to wait. The content stays
  /// where it is.
  Result<void> release(const Handle& handle);
  /// The same for who cannot be told of a failure. Where release fails, the memory must be taken for gone: tasks that
  /// use the data and have not begun are cancelled, those that run on other threads are waited for where that cannot
  /// deadlock, and the kernel, or else the next wait for everything, fails.
  void let_go(const Handle& handle) noexcept;
  /// The same for all handles. What fails is reported by the next wait.
  void release_all();
  /// For what is known of codelets after their graph has gone: the definitions of all that it has run. Moves them away:
  /// only before destruction, when nothing is in flight.
  CodeletDefinitions take_codelets();

  // Tasks.
  Result<Future> submit(const TaskSpecification& specification);

  // Recordings.
  /// While the returned scope lives, what the calling thread submits is recorded instead of run. `wait_in_kernel`
  /// inside a kernel, `invalid_argument` inside another recording of the same thread.
  Result<std::unique_ptr<RecordingScope>> begin_recording(Recording& recording);
  /// Ends the recording; its scope must be gone.
  void seal_recording(Recording& recording);
  /// Runs a sealed recording, ordered like one task that uses all its data, with other data in place of some of those
  /// recorded. `invalid_handle` where data were released, `invalid_argument` where data cannot be exchanged,
  /// `conflicting_access` where two of them are then the same.
  Result<Future> replay(const std::shared_ptr<Recording>& recording, std::span<const Rebinding> rebindings,
                        std::uint64_t tag = 0);

  /// From now on submissions fail with `stopped`, those of kernels and callbacks too. `wait_in_kernel` in one of
  /// these, as stopping is the first half of waiting for the end.
  Result<void> stop_submissions();
  /// Cancels every task that was submitted before and has not started. `why`: what their failures say; the last call's
  /// where there are several.
  void cancel_all(std::string why = "the program cancelled all tasks");
  void cancel(const Future& future) override;
  [[nodiscard]] TaskStatus status(const Future& future) const override;

  // Waiting, for threads that run no kernel: else `wait_in_kernel`.
  /// Returns when every task has ended, and the program finds in its memory what they have written. Fails with the
  /// summary of all failures since the last call.
  Result<void> wait_all();
  /// Returns when every task has ended: for those who look at no data.
  Result<void> wait_until_ended();
  /// The second half of `wait_all`, when every task has ended; what cannot be brought home is a failure of the summary.
  /// May wait for copies between memories.
  void bring_all_home();
  Result<void> wait(const Future& future) override;
  /// Waits until the program may use the data in this mode, and keeps tasks that conflict waiting until `give_back`.
  /// Fails where the content is invalid because a task failed (unless the mode is write), and with `invalid_argument`
  /// for commute and reduce, which only tasks can do.
  Result<Task*> acquire(const Handle& handle, AccessMode mode);
  void give_back(Task* hold);
  /// Some other thread may give this hold back, so that who acquired it may wait for what it keeps waiting.
  void hand_on(const Task* hold) { thread_holds_.remove(hold); }

  // The same for one thread that serves many, which must not block: each wait has a beginning and an end. `ready` is
  // called once, in any thread, perhaps before `begin_…` returns; it must be short and not use the graph. After it, and
  // not inside of it, comes the call that finishes; that may wait for copies between memories, and for nothing else.
  Result<std::unique_ptr<PendingHold>> begin_acquire(const Handle& handle, AccessMode mode,
                                                     std::function<void()> ready);
  Result<Task*> finish_acquire(PendingHold& pending);
  /// For `release` (`releasing`), `partition` and `set_reduction`.
  Result<std::unique_ptr<PendingHold>> begin_change(const Handle& handle, bool releasing, std::function<void()> ready);
  Result<void> finish_release(PendingHold& pending);
  Result<std::vector<Handle>> finish_partition(PendingHold& pending, std::span<const Block> blocks);
  Result<void> finish_set_reduction(PendingHold& pending, ReductionMethods methods);
  /// For a task that will not run: it takes its place among those that use the data that it would have written, and no
  /// worker. When it is ready, `finish_refusal` ends it as failed or cancelled: its data have no valid content, for
  /// this reason. It is not counted as a task.
  Result<std::unique_ptr<PendingHold>> begin_refusal(std::span<const Handle> written, std::function<void()> ready);
  void finish_refusal(PendingHold& pending, TaskStatus status, const FailureLog::Cause& cause);
  /// Submits the combining tasks of all open reductions. False: there were none, and every task has ended.
  bool combine_open_reductions();

  /// The handle, or its parts where it has any. Fails with `invalid_handle`.
  Result<std::vector<HandleId>> data_of(const Handle& handle);
  /// The data behind a handle that the caller holds.
  [[nodiscard]] static DataView view_of(const Handle& handle);

  // For workers.
  /// Decides whether a ready task may start. Tasks that become ready by this are appended to `ready`.
  Begin begin(Task& task, WorkerId worker, TaskList& ready) {
    if (task.role == TaskRole::recorded) static_cast<RecordedTask&>(task).prepare();
    return is_plain(task) ? Begin::run : begin_special(task, worker, ready);
  }
  /// In place of `begin`, for a task without commute locks that a device has run before its turn came, behind those
  /// that it waits for. It has started, so that no wish of the program counts any more; where those have failed, it is
  /// as if it had not run.
  Begin begin_after_running(Task& task, WorkerId worker, TaskList& ready);
  /// Whether `begin` would let a ready task run, which has no commute locks to take.
  [[nodiscard]] bool would_run(Task& task) { return is_plain(task) || !why_cancelled(task).cause; }
  /// The task's kernel has returned (`cause` empty) or failed. Appends the tasks that have become ready.
  /// The task must not be used afterwards.
  void complete(Task& task, const FailureLog::Cause& cause, WorkerId worker, TaskList& ready);
  /// A worker has run out of work: wakes threads that wait for everything or for room in the window.
  void worker_is_idle(WorkerId worker);

  /// Shows what is in flight; `running` says what the workers run. Both are called under the submission lock, and must
  /// not use the graph; the snapshot is gone afterwards. Any thread, at any time. Nobody can submit meanwhile: about
  /// 0.4 us and 100 bytes for each of the oldest 65,536 tasks in flight, and little for each of the others.
  void inspect(const std::function<std::vector<RunningTask>()>& running,
               const std::function<void(const GraphSnapshot&)>& look);

  /// Calls `look` while nobody can submit: a task that is in flight meanwhile may be followed.
  void while_tasks_stay(const std::function<void()>& look);

  [[nodiscard]] GraphProgress progress() const;
  [[nodiscard]] const GraphOptions& options() const { return options_; }
  [[nodiscard]] FailureLog& failures() { return failures_; }
  /// Where it was left, calls fail with `stopped`, data are released at once, and nothing is waited for.
  [[nodiscard]] const HomeProcess& home() const { return home_; }
  /// Bytes taken for tasks and edges.
  [[nodiscard]] std::size_t footprint() const { return task_pool_.footprint() + edge_pool_.footprint(); }

 private:
  struct alignas(64) WorkerCaches {
    BlockPool<Task>::Cache tasks;
    BlockPool<EdgeBlock>::Cache edges;
  };

  // Submission.
  /// Where `surely_has_room` is false.
  Result<void> wait_for_room();
  /// What holds for every submission of a codelet is checked at the first: false, it is not known to have been.
  [[nodiscard]] bool knows(const CodeletDefinition& definition) {
    return recent(definition).load(std::memory_order_acquire) == &definition;
  }
  [[nodiscard]] std::atomic<const CodeletDefinition*>& recent(const CodeletDefinition& definition) {
    return recent_codelets_[(reinterpret_cast<std::uintptr_t>(&definition) >> 6U) % recent_codelets_.size()];
  }
  Result<void> know_codelet(const Codelet& codelet);
  /// All that can be checked outside of the submission lock.
  Result<void> check(const TaskSpecification& specification);
  /// `codelet`, but on these devices only: the same one every time. `invalid_argument` where they name what is not
  /// there.
  Result<const Codelet*> only_on(const Codelet& codelet, const DeviceSet& devices);
  /// Of this codelet or of what stands in for it, restricted to devices or not.
  Result<Future> submit_adapted(const TaskSpecification& specification);
  /// Of just this codelet.
  Result<Future> submit_restricted(const TaskSpecification& specification);
  /// As if all devices might run it that the codelet has implementations for.
  Result<Future> submit_unrestricted(const TaskSpecification& specification);
  /// The recording that takes what the calling thread submits, or null. A kernel that a single-threaded run executes
  /// while its thread is recording submits as kernels do.
  [[nodiscard]] Recording* recording_here() const;
  Result<Future> record(Recording& recording, const TaskSpecification& specification);
  void close_recorded_reduction(Recording& recording, DataRecord& record) TROUPE_REQUIRES(submission_mutex_);
  RecordedTask& add_recorded(Recording& recording, const CodeletDefinition* codelet, std::size_t access_count)
      TROUPE_REQUIRES(submission_mutex_);
  void infer_recorded(Recording& recording, RecordedTask& task, std::span<const Future> after)
      TROUPE_REQUIRES(submission_mutex_);
  /// Remembers a recording that is run.
  void keep(const std::shared_ptr<Recording>& recording) TROUPE_REQUIRES(submission_mutex_);
  [[nodiscard]] std::vector<const Recording*> running_recordings() const TROUPE_REQUIRES(submission_mutex_);
  void initialize(Task& task, const CodeletDefinition* codelet, std::size_t access_count)
      TROUPE_REQUIRES(submission_mutex_);
  void fill(Task& task, const TaskSpecification& specification);
  /// What `mark_simple_accesses` does not vouch for.
  Result<void> check_data(const TaskSpecification& specification) TROUPE_REQUIRES(submission_mutex_);
  /// And after its explicit predecessors. What throws leaves nothing of the task.
  void fill_and_order(Task& task, const TaskSpecification& specification, DependencyBuilder& builder, TaskList& ready)
      TROUPE_REQUIRES(submission_mutex_);
  Task& allocate_task(const CodeletDefinition* codelet, std::size_t access_count) TROUPE_REQUIRES(submission_mutex_);
  static void set_arguments(Task& task, const Arguments& arguments);
  /// The first of so many ids, one after the other. Those of later calls are higher.
  std::uint64_t take_ids(std::uint64_t count = 1) TROUPE_REQUIRES(submission_mutex_);
  /// What marks the data of one submission. No id: those of tasks one after the other are without gaps, so that the
  /// failure log sees intervals.
  std::uint64_t take_mark() TROUPE_REQUIRES(submission_mutex_) { return ++last_mark_; }
  void count_submission(std::size_t tasks = 1) TROUPE_REQUIRES(submission_mutex_);
  void set_access(Task& task, std::size_t index, DataRecord& record, AccessMode mode);
  void order(Task& task, DependencyBuilder& builder, TaskList& ready) TROUPE_REQUIRES(submission_mutex_);
  /// For a task whose submission ends with an exception: it ends with those that it was ordered after, and does
  /// nothing, as if there had been none. Before it was counted. Activates what is ready.
  void give_up(Task& task, DependencyBuilder& builder, TaskList& ready) noexcept TROUPE_REQUIRES(submission_mutex_);
  /// For an access that reduces where the accesses before did not, or the other way round.
  void begin_or_end_reduction(DataRecord& record, TaskList& ready) TROUPE_REQUIRES(submission_mutex_);
  void close_reduction(DataRecord& record, TaskList& ready) TROUPE_REQUIRES(submission_mutex_);
  void close_reductions(TaskList& ready) TROUPE_REQUIRES(submission_mutex_);
  Result<void> wait_for_tasks() TROUPE_EXCLUDES(submission_mutex_);
  /// `wait_until_ended` in a thread that holds data: fails where tasks wait for these.
  Result<void> wait_until_ended_holding() TROUPE_EXCLUDES(submission_mutex_);
  Result<void> check_wait() const;
  Result<void> check_outside_kernel() const;
  /// Blocks, or pumps events, until `waiter` is signalled; fails where nothing is left that could signal it, which
  /// only a single-threaded run can know.
  Result<void> block(TaskWaiter& waiter);
  /// Takes the edge of a thread that gives up out of the list again; in a single-threaded run only.
  static void unlink(Task& task, const Edge& edge);
  /// The topmost handle of the whole that this one is part of.
  Result<Task*> acquire_record(const Handle& handle, AccessMode mode);
  /// Submits a task that stands for the calling thread, which then waits until it has the data.
  Task& submit_hold(DataRecord& record, AccessMode mode, TaskWaiter& waiter, TaskList& ready, bool& immediately)
      TROUPE_REQUIRES(submission_mutex_);
  Task& allocate_hold(DataRecord& record, AccessMode mode) TROUPE_REQUIRES(submission_mutex_);
  /// True: nothing is left to wait for.
  bool order_hold(Task& hold, TaskList& ready) TROUPE_REQUIRES(submission_mutex_);
  /// `GraphHost::bring_home` for data that are about to be forgotten, which must not fail: what cannot be brought home
  /// is reported by the next wait. The whole is held.
  Result<void> bring_home_to_release(DataRecord& released);
  Result<void> wait_for_hold(Task* hold, TaskWaiter& waiter, TaskList& ready, bool immediately, WaitKind kind);
  /// What the program sees of data that it has waited for: fails where they are not valid.
  Result<Task*> take_hold(Task* hold, AccessMode mode);
  /// Waits until no task uses the whole that the handle is part of, and calls `change(record of the handle, ready)`
  /// under submission_mutex_ before any task that was submitted meanwhile begins: those have been ordered by the tree
  /// as it was, but none has looked at it. `releasing`: the handle and those below it are refused from now on.
  using Change = std::function<Result<void>(DataRecord&, TaskList& ready)>;
  Result<void> change_undisturbed(const Handle& handle, bool releasing, const Change& change);
  /// The two halves of that, around the wait.
  Result<Task*> hold_whole(const Handle& handle, bool releasing, TaskWaiter& waiter, TaskList& ready,
                           bool& immediately);
  Result<void> change_held(Task* hold, const Handle& handle, bool releasing, const Change& change);
  /// Takes back that a handle and those below it are about to be forgotten, or says it.
  void announce_release(const Handle& handle, bool releasing) TROUPE_REQUIRES(submission_mutex_);
  Result<void> add_parts(DataRecord& record, std::span<const Block> blocks, std::vector<Handle>& handles,
                         TaskList& ready) TROUPE_REQUIRES(submission_mutex_);
  void forget(DataRecord& record) TROUPE_REQUIRES(submission_mutex_);

  // The end of registrations that nobody waits for (task_graph_release.cpp).
  /// Nobody but the registration has the memory, or there is none.
  [[nodiscard]] static bool goes_with_registration(const DataRecord& record);
  /// A registration that ends when its last use has: what the thread that began this shares with the one that ends it.
  struct LateRelease {
    /// Under the submission lock.
    Task* hold = nullptr;
    DataRecord* record = nullptr;
    std::uint64_t bytes = 0;
    std::atomic<bool> done{false};
  };
  /// The handle and those below it are refused from now on, and forgotten after their last use, in the thread that ends
  /// it. True: that has been, and `end_late` is for the caller to call, without the lock.
  bool release_late(DataRecord& record, const std::shared_ptr<LateRelease>& late, TaskList& ready)
      TROUPE_REQUIRES(submission_mutex_);
  void end_late(LateRelease& late) noexcept TROUPE_EXCLUDES(submission_mutex_);
  /// `finally`: of a registration that ends whatever this says. In kernels and callbacks it lets memory of the program
  /// go, too, where no task uses it; a call that might succeed or not, depending on who is faster, is always refused.
  Result<void> end_registration(const Handle& handle, bool finally);
  /// Tries that without waiting. False: somebody has to wait.
  Result<bool> release_without_waiting(const Handle& handle, bool finally);
  /// The release failed for this reason, and the memory goes.
  void abandon(const Handle& handle, const Failure& why);
  /// Waits until no task that uses the data runs on another thread. False: for some that would perhaps never end.
  bool wait_for_running(const LateRelease& late) TROUPE_EXCLUDES(submission_mutex_);
  /// Whose kernel or callback this thread is in has done this; else the next wait for everything says it.
  void accuse(ErrorCode code, const std::string& what) TROUPE_EXCLUDES(submission_mutex_);
  /// The task's kernel has returned, and its callback runs.
  [[nodiscard]] bool in_callback(const Task& task) const;
  /// What the task has been accused of, or null; forgets it.
  static FailureLog::Cause take_accusation(Task& task);
  /// Why a task must not begin that uses data whose memory has gone, or null.
  [[nodiscard]] FailureLog::Cause why_abandoned(const Task& task) const;

  // Waits that would never end (task_graph_holds.cpp). All take the lock, and fail with `invalid_argument`.
  /// Tasks that wait, directly or not, for data that the calling thread holds, and for which of its holds.
  using WaitingForThread = std::unordered_map<const Task*, const Task*>;
  [[nodiscard]] WaitingForThread waiting_for_this_thread() const TROUPE_REQUIRES(submission_mutex_);
  [[nodiscard]] Result<void> check_may_wait_for_all() TROUPE_EXCLUDES(submission_mutex_);
  [[nodiscard]] Result<void> check_may_wait(const Future& future) TROUPE_EXCLUDES(submission_mutex_);
  [[nodiscard]] Result<void> check_may_wait(const DataRecord& record, AccessMode mode) const
      TROUPE_REQUIRES(submission_mutex_);
  void begin_pending(PendingHold& pending, TaskList& ready, bool immediately, WaitKind kind);
  /// The data of a part that is about to be released are the parent's own from now on, valid or not.
  void return_to_parent(DataRecord& part) TROUPE_REQUIRES(submission_mutex_);

  // Completion.
  struct Completion {
    TaskStatus status = TaskStatus::succeeded;
    /// Why the task did not succeed, and why what it should have written is not valid.
    FailureLog::Cause cause;
    FailureLog::Cause poison;
    /// The worker's index, or `completed_.outside()`.
    std::size_t slot = 0;
    WorkerId worker;
    /// A run of a recording whose tasks have said what is valid.
    bool settled = false;
  };
  void finish(Task& task, const Completion& completion, TaskList& ready);
  /// The part of `finish` that every task needs. The task must not be used afterwards.
  void end(Task& task, const Completion& completion, TaskList& ready);
  /// The same of one that is not of a recording, but for counting it.
  void free(Task& task, TaskStatus status, std::size_t slot, TaskList& ready);
  /// The same of one that is.
  void end_recorded(RecordedTask& task, const FailureLog::Cause& cause, std::size_t slot, WorkerId worker,
                    TaskList& ready);
  void count_ending(std::size_t slot);
  void settle_data(Task& task, const Completion& completion);
  /// The data have no valid content any more, for this reason.
  void poison(DataRecord& record, const FailureLog::Cause& cause);
  void call_back(Task& task, const Completion& completion);
  /// `newest`: the list of edges that was closed.
  void release_successors(const Task& task, Edge* newest, TaskStatus status, std::size_t slot, TaskList& ready);
  /// What a task has besides its record, some of which stays until the memory is used again, see `allocate_task`.
  void give_back_more(Task& task, WorkerCaches& caches);
  /// Why a task does not run, and what first went wrong: a chain of cancelled tasks passes on the latter, so that the
  /// messages do not grow along it. Both empty: it may run.
  struct Refusal {
    FailureLog::Cause cause;
    FailureLog::Cause origin;
  };
  /// It folds the partial results of a reduction into the data, in a recording too.
  [[nodiscard]] bool combines(const Task& task) const { return task.codelet == &combine_codelet_.definition(); }
  /// Why the program does not want the task to start, or null.
  [[nodiscard]] FailureLog::Cause why_withdrawn(const Task& task) const;
  [[nodiscard]] Refusal why_cancelled(Task& task);
  [[nodiscard]] Refusal why_input_missing(const Task& task);
  [[nodiscard]] Refusal why_invalid(const Task& task) const;
  [[nodiscard]] static FailureLog::Cause follows_a_failure(const Task& task);
  Begin begin_replay(Task& task, WorkerId worker, TaskList& ready);
  /// The run's tasks will not run: whatever some task of it would have written has no valid content any more.
  void poison_written(const RecordingRun& run, const FailureLog::Cause& cause);
  void end_replay(Recording& recording, std::size_t slot, WorkerId worker, TaskList& ready);
  /// Whether nothing stands in the way of a ready task: most tasks of most runs.
  [[nodiscard]] bool is_plain(const Task& task) const {
    const bool runs = task.role != TaskRole::host && task.role != TaskRole::replay;
    return runs && !task.has_commute && task.withdrawn.load(std::memory_order_relaxed) == Withdrawal::none &&
           task.id.load(std::memory_order_relaxed) >= cancel_below_.load(std::memory_order_acquire) &&
           !failures_.any_poison();
  }
  Begin begin_special(Task& task, WorkerId worker, TaskList& ready);
  Begin end_cancelled(Task& task, const Refusal& refusal, WorkerId worker, TaskList& ready);
  void notify_waiters();
  [[nodiscard]] TaskNode node_of(const Task& task) const;
  void collect_tasks(GraphSnapshot& snapshot, std::vector<const Task*>& tasks) const TROUPE_REQUIRES(submission_mutex_);
  [[nodiscard]] std::uint64_t in_flight() const;
  [[nodiscard]] bool has_room();
  /// The same, of the ended tasks that have been seen: cheap, and false where one has to look again.
  [[nodiscard]] bool surely_has_room() const {
    return submitted_.load(std::memory_order_relaxed) - ended_at_least_.load(std::memory_order_relaxed) <
           options_.window;
  }
  /// A full window counts as having room again when no more than this many tasks are in flight: or each further
  /// submission would cost a sleep.
  [[nodiscard]] std::uint64_t low_water() const {
    return options_.window - std::max<std::size_t>(options_.window / 4, 1);
  }

  // Read by every submission and completion, seldom written.
  const GraphOptions options_;
  /// What is submitted may have to be another codelet, or restricted to devices, whatever the task says; or the process
  /// may be another. Points to `HomeProcess::any_left` or to a constant.
  const std::atomic<bool>* const adapts_;
  /// Completions of one worker between two looks at waiting threads (a power of two), so that room in the window is
  /// noticed while all workers are busy; an idle worker looks anyway.
  const std::uint64_t notify_stride_;
  const FailureLog::Cause no_cause_;
  GraphHost& host_;
  std::atomic<std::uint64_t> cancel_below_{0};
  mutable Mutex cancel_mutex_;
  std::string why_cancelled_ TROUPE_GUARDED_BY(cancel_mutex_);
  std::atomic<bool> stopped_{false};
  /// Threads that are recording.
  std::atomic<int> recording_threads_{0};
  /// Threads in `wait_all` and in `wait_for_room`. Sequentially consistent: see `CompletionCounter::publish`.
  std::atomic<int> waiting_for_all_{0};
  std::atomic<int> waiting_for_room_{0};
  /// One per worker, used by it alone; the last is for other threads, under outside_mutex_.
  std::vector<WorkerCaches> worker_caches_;
  CompletionCounter completed_;

  // Written by every submission, so on lines of their own.
  alignas(64) LightMutex submission_mutex_;
  /// Written under submission_mutex_.
  std::atomic<std::uint64_t> next_id_{1};
  /// The first id that the graph may not use without taking more of them.
  std::uint64_t ids_end_ TROUPE_GUARDED_BY(submission_mutex_);
  std::uint64_t last_mark_ TROUPE_GUARDED_BY(submission_mutex_) = 0;
  std::atomic<std::uint64_t> submitted_{0};
  /// A number of ended tasks that has been seen: saves most submissions the look at all workers' counts.
  std::atomic<std::uint64_t> ended_at_least_{0};
  WorkerCaches submission_caches_ TROUPE_GUARDED_BY(submission_mutex_);
  std::vector<DataRecord*> open_reductions_ TROUPE_GUARDED_BY(submission_mutex_);
  DataRegistry registry_ TROUPE_GUARDED_BY(submission_mutex_);
  std::vector<const Recording*> open_recordings_ TROUPE_GUARDED_BY(submission_mutex_);
  /// Those that have been run, for `inspect`.
  std::vector<std::shared_ptr<Recording>> recordings_ TROUPE_GUARDED_BY(submission_mutex_);
  /// Of registrations that have ended and whose last use has not.
  std::uint64_t late_bytes_ TROUPE_GUARDED_BY(submission_mutex_) = 0;
  /// Tasks whose kernel or callback waits in `wait_for_running`.
  std::vector<const Task*> letting_go_ TROUPE_GUARDED_BY(submission_mutex_);

  alignas(64) CodeletDefinitions codelets_ TROUPE_GUARDED_BY(codelet_mutex_);
  std::map<std::pair<const CodeletDefinition*, DeviceSet>, Codelet> restricted_ TROUPE_GUARDED_BY(codelet_mutex_);
  /// Of them, those with devices by number or name.
  std::size_t named_devices_ TROUPE_GUARDED_BY(codelet_mutex_) = 0;
  std::vector<std::pair<Environment, std::shared_ptr<void>>> environments_ TROUPE_GUARDED_BY(codelet_mutex_);
  Mutex codelet_mutex_;
  /// The codelets submitted last, to avoid the lock: an entry is only ever replaced by one that is known too. Released
  /// when all that `know_codelet` does has been done.
  std::array<std::atomic<const CodeletDefinition*>, 16> recent_codelets_{};
  const Codelet combine_codelet_;
  const Codelet replay_codelet_;

  alignas(64) BlockPool<Task> task_pool_;
  alignas(64) BlockPool<EdgeBlock> edge_pool_;
  alignas(64) Mutex outside_mutex_;

  /// One per worker, written by it: the callback that it is in.
  struct alignas(64) CallbackInProgress {
    std::atomic<const Task*> task{nullptr};
    std::atomic<TimeStamp::rep> since{0};
  };
  std::vector<CallbackInProgress> callbacks_;
  const HomeProcess home_;
  WaitingThreads waiting_threads_;
  ThreadHolds thread_holds_;
  FailureLog failures_;
  Mutex wait_mutex_;
  std::condition_variable wait_condition_;
};

}  // namespace troupe::graph
