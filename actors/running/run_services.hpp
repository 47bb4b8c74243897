/// Run services: connect workers, memory manager and scheduler when a task needs data, begins or ends.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actors/host_views.hpp"
#include "actors/memory/eviction/eviction_policies.hpp"
#include "actors/memory/eviction/reuse_profile.hpp"
#include "actors/memory/eviction/upcoming_tasks.hpp"
#include "actors/memory/memory_actor.hpp"
#include "actors/memory_nodes.hpp"
#include "actors/running/granted_places.hpp"
#include "actors/scheduler/scheduler_event.hpp"
#include "actors/scheduler/submitted_tasks.hpp"
#include "actors/workers/crew.hpp"
#include "actors/workers/peers_actor.hpp"
#include "proto/mutex.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::actors {

class RunServices final : public workers::TaskServices, public memory::MemoryHost {
 public:
  /// The objects behind raw pointers outlive the services.
  struct Setup {
    const RuntimeOptions* options = nullptr;
    workers::Crew* crew = nullptr;
    workers::Peers* peers = nullptr;
    /// The memory node of each worker.
    std::vector<NodeId> nodes;
    /// Null: there is only host memory.
    MemoryNodes* memories = nullptr;
    HostViews* views = nullptr;
    /// All actors share the thread that waits: memory is managed only in its actor's handlers.
    bool cooperative = false;
    /// Null: nobody looks ahead.
    std::shared_ptr<scheduler::SubmittedTasks> submitted;
    /// The submitted tasks, for eviction that looks ahead; null: it knows none.
    std::shared_ptr<memory::UpcomingTasks> upcoming;
    /// The queue of tasks that wait for the scheduler, which is also told of tasks and replicas; null under a local
    /// policy.
    workers::TaskDeque* activation = nullptr;
    /// Asks the scheduler's policy, see `TaskServices::may_issue`. Empty under a local policy, which leaves a task with
    /// the worker that runs the tasks it waits for.
    std::function<std::optional<bool>(WorkerId worker, const graph::Task& task)> may_issue = nullptr;
    /// True while the scheduler also has to decide when a task ends that makes no other task ready. Null: never.
    const std::atomic<bool>* ends_count = nullptr;
    /// Called in the worker's thread whenever a task has ended; may be empty.
    std::function<void()> task_ended = nullptr;
  };

  explicit RunServices(Setup setup);

  // TaskServices, called in workers' threads.
  bool acquire(WorkerId worker, graph::Task& task) override;
  void withdraw(WorkerId worker, graph::Task& task) override;
  std::optional<bool> may_issue(WorkerId worker, const graph::Task& task) override;
  void started(WorkerId worker, const graph::Task& task, TimeStamp at) override;
  void joined(WorkerId worker) override;
  void stopped(WorkerId worker, TaskId task, TimeStamp at) override;
  void left(WorkerId worker, TaskId task, bool ended) override;
  void ended(WorkerId worker, graph::Task& task, TimeStamp at, Duration took, bool failed) override;
  void send_on(graph::Task& task, KindSet kinds) override;

  // MemoryHost, called by the thread that handles the memory manager's inbox.
  void copy(const memory::Command& transfer) override;
  void hurry(memory::TransferId transfer) override;
  void acquired(memory::RequestId request) override;
  void refused(const memory::Command& command) override;
  void replica_changed(HandleId handle, NodeId node, memory::ReplicaState state) override;

  /// All pieces of the task are taken: nobody can join any more. The caller has the scheduler decide. Any thread may
  /// call it.
  void all_taken(TaskId task);

  // Called by the scheduler.
  void take_events(std::vector<scheduler::SchedulerEvent>& events) { news_.take(events); }
  void prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses);

  // Called by the program, see `GraphHost`. `pump`: lets the run go on until something has happened; returns false if
  // nothing can happen.
  Result<void> bring_home(const graph::DataRecord& data, AccessMode mode, const std::function<bool()>& pump);
  Result<void> bring_all_home(const graph::TaskOwner& graph, const std::function<bool()>& pump);
  void forget(const graph::DataRecord& data);
  /// The run is over: ends of copies are ignored from now on.
  void close() { closed_.store(true, std::memory_order_release); }
  /// A device has stopped working: its worker, and its memory if it has its own, take no part any more. Any thread may
  /// call it, any number of times.
  void worker_lost(WorkerId worker);
  /// Does `worker_lost` for the device with that memory.
  void node_lost(NodeId node);
  /// The worker will have so many cores; 0: it helps another. Never throws.
  void regrouped(WorkerId worker, int cores) noexcept;
  /// Posts `event`, a hint for eviction, for each of the handles.
  void hint(std::span<const HandleId> handles, memory::MemoryEvent event);
  /// Called when no task runs any more.
  void save_reuse_profile() noexcept { reuse_.save(); }

  /// Returns where a kernel of this worker finds the data of a task whose data the worker has acquired. Only with real
  /// buffers.
  [[nodiscard]] DataView replica(const graph::DataRecord& data, WorkerId worker) const;
  /// Null if there is only host memory.
  [[nodiscard]] const std::shared_ptr<memory::MemoryState>& memory() const { return memory_; }
  [[nodiscard]] TransferReport transfers() const;
  /// The tasks that wait for their data, with the reason in words. Any thread may call it.
  [[nodiscard]] std::unordered_map<TaskId, std::string> fetching();

 private:
  /// The program's requests have numbers from here on; no task has such a number.
  static constexpr std::uint64_t kFirstHomeRequest = std::uint64_t{1} << 63U;

  struct Request {
    WorkerId worker;
    graph::Task* task = nullptr;
    TaskId id = {};
  };

  /// Posts an event for the actor.
  void post(memory::MemoryEvent event);
  /// Posts an event and handles it here and now, if that needs no waiting; otherwise the thread that is handling events
  /// or the actor does it.
  void post_and_handle(memory::MemoryEvent event);
  /// Leaves a release for the next acquire to handle, unless a request waits for it.
  void post_release(memory::RequestId request);
  /// Returns true if the worker's kernels do not work in host memory.
  [[nodiscard]] bool looks_for_replicas(WorkerId worker) const;
  /// The task has its data: notes where its kernel finds them. The memory manager's lock must be held.
  void grant(WorkerId worker, TaskId task, std::span<const memory::Use> uses, const memory::MemoryCore& core);
  /// Takes the request, which no longer waits; its task is null if the request was withdrawn. The caller keeps the lock
  /// until the answer is where the worker looks for it: a request that was withdrawn is not answered any more.
  Request take_request(memory::RequestId request) TROUPE_REQUIRES(mutex_);
  /// The number of the task's request.
  [[nodiscard]] memory::RequestId request_of(const graph::Task& task) const;
  void forget_request(TaskId task);
  /// Tells the worker that its task cannot have its data there. The task runs on a worker of one of these kinds, if any
  /// can run it, or fails.
  void refuse(const Request& asked, KindSet elsewhere, const Failure& failure);
  Result<void> bring_home(std::span<const memory::Use> uses, const std::function<bool()>& pump);
  /// Reserves `count` numbers for requests of the program, and returns the first.
  memory::RequestId take_home_requests(std::uint64_t count);
  /// Waits for the answer to a request of the program.
  Result<void> wait_for_home(memory::RequestId request, const std::function<bool()>& pump);
  void know(const graph::Task& task);
  /// Tells the scheduler, if there is one.
  void tell(const scheduler::SchedulerEvent& event);
  /// Tells the scheduler of a task that a worker no longer has.
  void tell_of_end(const scheduler::SchedulerEvent& event);

  const Setup setup_;
  /// The acquire event of each worker, used only in its thread; kept to save the allocations.
  std::vector<memory::MemoryEvent> asks_;
  /// The granted places of each worker.
  std::vector<GrantedPlaces> granted_;
  memory::KeptReuseProfile reuse_;
  std::shared_ptr<memory::MemoryState> memory_;
  scheduler::SchedulerInbox news_;

  std::atomic<bool> closed_{false};

  /// True if any task has a request whose number is not its own. Relaxed: a thread that asks for such a task has
  /// received the task from the thread that withdrew it.
  std::atomic<bool> any_anew_{false};

  mutable Mutex mutex_;
  // The requests that were not granted at once. Never iterated.
  std::unordered_map<memory::RequestId, Request> requests_ TROUPE_GUARDED_BY(mutex_);
  /// The present request of each task that has withdrawn the request with its own number. Empty unless workers die.
  std::unordered_map<TaskId, memory::RequestId> anew_ TROUPE_GUARDED_BY(mutex_);
  std::uint64_t requests_anew_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// Requests of the program that were answered, with their results.
  std::unordered_map<memory::RequestId, Result<void>> home_ TROUPE_GUARDED_BY(mutex_);
  std::condition_variable home_answered_;
  std::uint64_t home_requests_ TROUPE_GUARDED_BY(mutex_) = 0;
};

}  // namespace troupe::actors
