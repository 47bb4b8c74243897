/// The task graph: turns submissions into ready tasks, and completions into more ready tasks.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/cancellation.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/completion.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/data/domain.hpp"
#include "graph/graph_host.hpp"
#include "graph/graph_options.hpp"
#include "graph/recording/recording.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/submission.hpp"
#include "graph/tasks/call_place.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/graph_snapshot.hpp"
#include "graph/tasks/pending_hold.hpp"
#include "graph/tasks/task.hpp"
#include "graph/tasks/task_owner.hpp"
#include "graph/tasks/task_specification.hpp"
#include "proto/mutex.hpp"
#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"
#include "troupe/handle.hpp"
#include "troupe/report.hpp"

namespace troupe::graph {

/// Runs tasks in the order of sequential task flow: the effects of a run are as if all tasks ran one after the other in
/// the order of their submission. If several threads submit, the submission lock gives the order.
///
/// Thread-safe. `submit`, `register_data` … may be called by any thread; `begin` and `complete` by the worker named in
/// the call. Completing a task takes no lock. The submission lock protects the allocation of tasks, the dependency
/// states of records, and the registry.
///
/// This class is the face of the graph. Its state is a `GraphState`, and what it does with it are functions in headers
/// of their own (graph/README.md).
class TaskGraph final : public TaskOwner {
 public:
  TaskGraph(const GraphOptions& options, GraphHost& host);
  ~TaskGraph();
  TaskGraph(const TaskGraph&) = delete;
  TaskGraph& operator=(const TaskGraph&) = delete;

  // The next functions are for data.
  Handle register_data(DataDescription description);
  /// Registers memory, and fails with `overlapping_handles` if it overlaps registered memory
  /// (`DataRegistry::add_apart`).
  Result<Handle> register_apart(DataDescription description);
  /// Makes handles of disjoint blocks of `parent`. First waits for the tasks that use `parent`, or anything else of the
  /// whole that `parent` is part of. Fails with `overlapping_handles`, `invalid_handle` or `wait_in_kernel`.
  Result<std::vector<Handle>> partition(const Handle& parent, std::span<const Block> blocks);
  /// Replaces all parts of a handle by new parts. Tasks on the former parts are not affected; no further task may use
  /// them. A task on a new part waits for the tasks on the former parts that it overlaps. Waits as `partition` does if
  /// tasks use the whole, if the former or the new parts do not cover it or have parts themselves, if halo parts
  /// overlap it, if there are no cores, or if very many replaced parts are in use (`GraphOptions::late_divisions`).
  /// Fails as `partition` does.
  Result<std::vector<Handle>> repartition(const Handle& parent, std::span<const Block> blocks);
  /// Makes handles of halo parts of `parent`. Does not wait. Fails as `DataRegistry::add_halos` does, and with
  /// `invalid_handle`.
  Result<std::vector<Handle>> halos(const Handle& parent, std::span<const Block> blocks, const Rim& rim);
  /// Allows the mode reduce for the handle from now on. Waits for the tasks that use it.
  Result<void> set_reduction(const Handle& handle, ReductionMethods methods);
  /// Forgets a handle and its parts after their last use. Waits for that use, except if the registration alone owns the
  /// memory, because then the program cannot notice when the memory is freed. If the call would have to wait in a
  /// kernel or callback, it fails with `wait_in_kernel`. The content stays in host memory.
  Result<void> release(const Handle& handle);
  /// Releases a handle like `release`, for callers that cannot react to a failure. If the release fails, the program
  /// may free the memory all the same. Therefore tasks that use the data and have not begun are cancelled. The call
  /// waits for tasks that run on other threads, if this wait cannot deadlock. The calling kernel then fails; outside of
  /// kernels, the next wait for everything fails.
  void let_go(const Handle& handle) noexcept;
  /// Declares that the content of the data is not needed any more. Does not wait: the call has the effect of a task,
  /// submitted now, that writes the data and leaves them without content. Later accesses that read before the next
  /// write are refused, and no copy is made to preserve the content. Allowed in kernels and callbacks. Fails with
  /// `invalid_handle`; with `invalid_argument` for data that were registered as const, and inside a recording.
  Result<void> discard(const Handle& handle);
  /// Calls `release` for all handles. The next wait for everything reports failures.
  void release_all();
  /// Returns the definitions of all codelets that the graph has run, for use after the graph's destruction. The graph
  /// loses the definitions, so call this function only before the destruction, when no task is in flight.
  CodeletDefinitions take_codelets() { return state_.codelets.take(); }

  // The next function submits tasks.
  Result<Future> submit(const TaskSpecification& specification) { return graph::submit(state_, specification); }

  /// Returns the learned times of tasks, which include the tasks inside them; null if times are not learned.
  [[nodiscard]] SubtreeTimes* subtree_times() const { return state_.subtree_times.get(); }
  /// Returns true if a kernel on a core may call kernels instead of submitting them as tasks (`GraphOptions::cutoff`).
  [[nodiscard]] bool calls_at_once() const { return (state_.options.device_kinds & ~kOnCores) == 0; }

  /// Returns the task whose kernel this thread runs, and whether a submitted kernel is to be called at once instead of
  /// becoming a task.
  [[nodiscard]] CallPlace call_place() const;
  /// Called when a kernel that was called instead of becoming a task has returned. `got` is the number of children,
  /// submitted during the call, that have been waited for. If the kernel has submitted more children, waits for all of
  /// them. Fails with the first failure of a child, except if a child had failed before the call (`place.failed`). Sets
  /// `place.children` to the present number of children.
  Result<void> end_call(CallPlace& place, std::uint64_t got);

  // The next functions make and run recordings.
  /// While the returned scope lives, tasks that the calling thread submits are recorded instead of run. Fails with
  /// `wait_in_kernel` inside a kernel, `invalid_argument` inside another recording of the same thread.
  Result<std::unique_ptr<RecordingScope>> begin_recording(Recording& recording);
  /// Ends the recording; its scope must have been destroyed.
  void seal_recording(Recording& recording);
  /// Runs a sealed recording, ordered like one task that uses all its data. `rebindings` replace some of the recorded
  /// data by other data. Fails with `invalid_handle` if data were released, with `invalid_argument` if data cannot be
  /// exchanged, and with `conflicting_access` if two pieces of data are the same after the exchange and one of them is
  /// written.
  Result<Future> replay(const std::shared_ptr<Recording>& recording, std::span<const Rebinding> rebindings,
                        std::uint64_t tag = 0);

  /// Makes submissions fail with `stopped` from now on, also submissions by kernels and callbacks. Fails with
  /// `wait_in_kernel` in a kernel or callback, because the caller then waits for the end of all tasks.
  Result<void> stop_submissions();
  /// Cancels every task that was submitted before this call and has not started. `why` is the text of the failures of
  /// the cancelled tasks; after several calls, the last text counts.
  void cancel_all(std::string why = "the program cancelled all tasks");
  void cancel(const Future& future) override;
  /// Returns true if the running task is not wanted any more; the task's kernel asks through
  /// `KernelContext::cancelled`. After the answer true, the task ends as cancelled when the kernel returns. May be
  /// called by every thread that runs the kernel. Takes no lock.
  [[nodiscard]] bool tell_if_cancelled(const Task& task) const noexcept;
  [[nodiscard]] TaskStatus status(const Future& future) const override;

  // The next functions wait, and are for threads that run no kernel. Inside a kernel they fail with `wait_in_kernel`.
  // There is one exception: in the kernel of a nested task, `wait_all`, `wait` and `acquire` wait for its children.
  /// Waits until every task has ended and its results are in the program's memory. Fails with the summary of all
  /// failures since the last call (`FailureLog::take_summary`). In the kernel of a nested task the function waits for
  /// the task's children instead, see `wait_for_children_here`.
  Result<void> wait_all(FailureLog::Summary what = FailureLog::Summary::all);
  /// Waits until every task has ended; copies no data back to host memory.
  Result<void> wait_until_ended();
  /// The second half of `wait_all`, called when every task has ended: copies results to the program's memory. Data that
  /// cannot be copied count as a failure in the summary. May wait for copies between memories.
  void bring_all_home();
  Result<void> wait(const Future& future) override;
  Result<void> outcome(const Future& future) override;
  Result<void> resume_after(const Future& future, std::coroutine_handle<> waiting) override;
  Result<Future> begin_coroutine() override;
  void end_coroutine(const Future& end, std::optional<Failure> failure) override;
  void block_in_kernel(WorkerId worker, const Task& task, BlockingWait& wait) const override;
  /// Waits until the program may use the data in this mode, and makes conflicting tasks wait until `give_back`. The
  /// returned task, a *hold*, stands for the program's use of the data. Fails if the mode reads and the content is
  /// invalid because a task failed. Fails with `invalid_argument` for the modes commute and reduce, which are for tasks
  /// only.
  Result<Task*> acquire(const Handle& handle, AccessMode mode);
  void give_back(Task* hold);
  /// Allows another thread to give this hold back. The thread that acquired the data may then wait for tasks that wait
  /// for the hold.
  void hand_on(const Task* hold) { state_.threads.holds.remove(hold); }
  /// Fails with `invalid_argument` if the task waits, directly or not, for data that the calling thread holds. `wait`
  /// calls this function itself.
  [[nodiscard]] Result<void> check_may_wait(const Future& future) TROUPE_EXCLUDES(state_.submission_mutex);

  // The next functions are for a thread that serves many clients and must not block: each wait consists of two calls.
  // `ready` is called once, in any thread, perhaps before `begin_…` returns; `ready` must be short and not use the
  // graph. The `finish_…` call comes after `ready` has returned; the call may wait for copies between memories, and for
  // nothing else.
  Result<std::unique_ptr<PendingHold>> begin_acquire(const Handle& handle, AccessMode mode,
                                                     std::function<void()> ready);
  Result<Task*> finish_acquire(PendingHold& pending);
  /// Begins a `release` if `releasing` is true; otherwise a `partition` or a `set_reduction`.
  Result<std::unique_ptr<PendingHold>> begin_change(const Handle& handle, bool releasing, std::function<void()> ready);
  Result<void> finish_release(PendingHold& pending);
  Result<std::vector<Handle>> finish_partition(PendingHold& pending, std::span<const Block> blocks);
  /// Begins a `repartition`. If it has to wait and `may_wait` is false, it fails with `wait_in_kernel`, and all stays
  /// as it is.
  Result<BegunRepartition> begin_repartition(const Handle& parent, std::span<const Block> blocks, bool may_wait,
                                             std::function<void()> ready);
  Result<std::vector<Handle>> finish_repartition(PendingHold& pending, std::span<const Block> blocks);
  Result<void> finish_set_reduction(PendingHold& pending, ReductionMethods methods);
  /// Takes back a begun acquire, release, partition, repartition or set_reduction, so that the data are as if it had
  /// not begun. `finish_withdrawn` is called after `ready` has returned, in place of the other `finish_…` functions.
  void withdraw(PendingHold& pending) TROUPE_EXCLUDES(state_.submission_mutex);
  void finish_withdrawn(PendingHold& pending);
  /// Begins the refusal of a task that will not run: it is ordered like a writer of the data that it would have
  /// written, and takes no worker. After `ready`, `finish_refusal` ends the refusal with `status` (failed or
  /// cancelled); the data then have no valid content, because of `cause`. A refusal is not counted as a task.
  Result<std::unique_ptr<PendingHold>> begin_refusal(std::span<const Handle> written, std::function<void()> ready);
  void finish_refusal(PendingHold& pending, TaskStatus status, const FailureLog::Cause& cause);
  /// Submits the combining tasks of all open reductions. Returns false only if no reduction was open and no task is
  /// left.
  bool combine_open_reductions();

  /// Returns the number of registered handles, parts included.
  [[nodiscard]] std::size_t handles();
  /// Returns what `GraphOptions::late_divisions` bounds.
  [[nodiscard]] std::uint64_t late_divisions();
  /// Fails with `invalid_argument` except in the kernel of a nested task, or of a child of a nested task.
  [[nodiscard]] Result<void> check_inside_nested() const;
  /// Returns the id of the handle, or the ids of its parts if it has any. Fails with `invalid_handle`.
  Result<std::vector<HandleId>> data_of(const Handle& handle);
  Result<Layout> layout_of(const Handle& handle);
  /// Returns the view of the data behind a handle that the caller has acquired.
  [[nodiscard]] static DataView view_of(const Handle& handle);

  // The next functions are called by workers.
  /// Decides whether a ready task may start. Appends the tasks that become ready to `ready`.
  Begin begin(Task& task, WorkerId worker, TaskList& ready) { return begin_task(state_, task, worker, ready); }
  /// Called in place of `begin` for a task without commute locks that has already run, because its device had queued
  /// the task behind its predecessors before these ended. The program can no longer cancel the task. If a predecessor
  /// has failed, the task ends as if it had not run.
  Begin begin_after_running(Task& task, WorkerId worker, TaskList& ready) {
    return graph::begin_after_running(state_, task, worker, ready);
  }
  /// Returns true if `begin` would let the ready task run. The task must not use data in mode commute, whose locks
  /// `begin` would take.
  [[nodiscard]] bool would_run(Task& task) { return is_plain(state_, task) || !why_cancelled(state_, task).cause; }
  /// Ends a task whose kernel has returned (then `cause` is null) or failed. Appends the tasks that become ready to
  /// `ready`. `task` must not be used afterwards.
  void complete(Task& task, const FailureLog::Cause& cause, WorkerId worker, TaskList& ready) {
    complete_task(state_, task, cause, worker, ready);
  }
  /// Called when a worker has run out of work. Wakes the threads that wait for the end of all tasks, or until they may
  /// submit again (`GraphOptions::window`).
  void worker_is_idle(WorkerId worker);

  /// Takes a snapshot of the tasks in flight and passes it to `look`. `running` returns the tasks that the workers run.
  /// `running` and `look` are called under the submission lock, so nobody can submit meanwhile; they must not use the
  /// graph. The snapshot is valid only while `look` runs. May be called from any thread at any time. The call takes
  /// about 0.4 us and 100 bytes for each of the oldest 65,536 tasks in flight, and little for each other task.
  void inspect(const std::function<std::vector<RunningTask>()>& running,
               const std::function<void(const GraphSnapshot&)>& look);

  /// Calls `look` under the submission lock: `look` may follow pointers to tasks in flight, because their memory is not
  /// used for new tasks meanwhile.
  void while_tasks_stay(const std::function<void()>& look);

  [[nodiscard]] Progress progress() const;
  [[nodiscard]] const GraphOptions& options() const { return state_.options; }
  [[nodiscard]] FailureLog& failures() { return state_.failures; }
  /// Returns the process in which the graph was made. In any other process calls fail with `stopped`, data are released
  /// at once, and no call waits.
  [[nodiscard]] const HomeProcess& home() const { return state_.threads.home; }
  /// Returns the bytes taken for tasks and edges.
  [[nodiscard]] std::size_t footprint() const { return state_.memory.footprint(); }

 private:
  GraphState state_;
};

}  // namespace troupe::graph
