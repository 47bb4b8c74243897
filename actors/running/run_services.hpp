/// Between workers, memory manager and scheduler: who is told what when a task needs data, begins or ends.
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
#include "actors/running/runtime_options.hpp"
#include "actors/scheduler/scheduler_event.hpp"
#include "actors/scheduler/submitted_tasks.hpp"
#include "actors/workers/crew.hpp"
#include "actors/workers/peers_actor.hpp"
#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"
#include "proto/mutex.hpp"

namespace troupe::actors {

class RunServices final : public workers::TaskServices, public memory::MemoryHost {
 public:
  /// What does not own outlives this.
  struct Setup {
    const RuntimeOptions* options = nullptr;
    workers::Crew* crew = nullptr;
    workers::Peers* peers = nullptr;
    /// By worker.
    std::vector<NodeId> nodes;
    /// Null: there is host memory alone.
    MemoryNodes* memories = nullptr;
    HostViews* views = nullptr;
    /// All actors share the thread that waits: memory is managed in its actor's handlers alone.
    bool cooperative = false;
    /// Null: nobody looks ahead.
    std::shared_ptr<scheduler::SubmittedTasks> submitted;
    /// What eviction may know of the future; null: nothing.
    std::shared_ptr<memory::UpcomingTasks> upcoming;
    /// Where tasks wait for the scheduler, which is told of tasks and replicas; null under a local policy.
    workers::TaskDeque* activation = nullptr;
    /// Asks the scheduler's policy, see `TaskServices::may_issue`. Empty under a local one, which leaves a task where
    /// those that it waits for are.
    std::function<std::optional<bool>(WorkerId worker, const graph::Task& task)> may_issue = nullptr;
    /// True while the scheduler also decides when a task ends that makes none ready. Null: never.
    const std::atomic<bool>* ends_count = nullptr;
    /// Called in the worker's thread whenever a task has ended; may be empty.
    std::function<void()> task_ended = nullptr;
  };

  explicit RunServices(Setup setup);

  // TaskServices, in workers' threads.
  bool acquire(WorkerId worker, graph::Task& task) override;
  void withdraw(WorkerId worker, graph::Task& task) override;
  std::optional<bool> may_issue(WorkerId worker, const graph::Task& task) override;
  void started(WorkerId worker, const graph::Task& task, TimeStamp at) override;
  void joined(WorkerId worker) override;
  void stopped(WorkerId worker, TaskId task, TimeStamp at) override;
  void left(WorkerId worker, TaskId task, bool ended) override;
  void ended(WorkerId worker, graph::Task& task, TimeStamp at, Duration took, bool failed) override;
  void send_on(graph::Task& task, KindSet kinds) override;

  // MemoryHost, by whoever deals with the memory manager's inbox.
  void copy(const memory::Command& transfer) override;
  void hurry(memory::TransferId transfer) override;
  void acquired(memory::RequestId request) override;
  void refused(const memory::Command& command) override;
  void replica_changed(HandleId handle, NodeId node, memory::ReplicaState state) override;

  /// Of a task of pieces all are taken: nobody can join. Whoever says so has the scheduler decide. Any thread.
  void all_taken(TaskId task);

  // For the scheduler.
  void take_events(std::vector<scheduler::SchedulerEvent>& events) { news_.take(events); }
  void prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses);

  // For the program, see `GraphHost`. `pump`: lets the run go on until something has happened; false: nothing can.
  Result<void> bring_home(const graph::DataRecord& data, AccessMode mode, const std::function<bool()>& pump);
  Result<void> bring_all_home(const graph::TaskOwner& graph, const std::function<bool()>& pump);
  void forget(const graph::DataRecord& data);
  /// From now on nothing is done about copies that end: the run is over.
  void close() { closed_.store(true, std::memory_order_release); }
  /// A device has stopped working: its memory, where it has its own, and its worker take no part any more. Any thread,
  /// any number of times.
  void worker_lost(WorkerId worker);
  /// The same of the device with that memory.
  void node_lost(NodeId node);
  /// The worker will have so many cores; 0: it helps another. Never throws.
  void regrouped(WorkerId worker, int cores) noexcept;
  /// Hints for eviction: `event` says which, for each of the handles.
  void hint(std::span<const HandleId> handles, memory::MemoryEvent event);
  /// No task runs any more.
  void save_reuse_profile() noexcept { reuse_.save(); }

  /// With real buffers: where a kernel of this worker finds the data of a task whose data it has acquired.
  [[nodiscard]] DataView replica(const graph::DataRecord& data, WorkerId worker) const;
  /// Null where there is host memory alone.
  [[nodiscard]] const std::shared_ptr<memory::MemoryState>& memory() const { return memory_; }
  [[nodiscard]] TransferReport transfers() const;
  /// The tasks that wait for their data, and in words for what. Any thread.
  [[nodiscard]] std::unordered_map<TaskId, std::string> fetching();

 private:
  /// Requests of the program have numbers from here on, which no task has.
  static constexpr std::uint64_t kFirstHomeRequest = std::uint64_t{1} << 63U;

  struct Request {
    WorkerId worker;
    graph::Task* task = nullptr;
    TaskId id = {};
  };

  /// For the actor.
  void post(memory::MemoryEvent event);
  /// Dealt with here and now, where that does not mean to wait; else by whoever is at it, or the actor.
  void post_and_handle(memory::MemoryEvent event);
  /// Left for the next acquire to deal with, unless somebody waits for it.
  void post_release(memory::RequestId request);
  /// Its kernels do not work in host memory.
  [[nodiscard]] bool looks_for_replicas(WorkerId worker) const;
  /// The task has its data, and its kernel finds them. The memory manager's lock is held.
  void grant(WorkerId worker, TaskId task, std::span<const memory::Use> uses, const memory::MemoryCore& core);
  /// The request's task, which is not waited for any more; a null task where the request was withdrawn. The lock is
  /// kept until the answer is where its worker looks: what was withdrawn is not answered any more.
  Request take_request(memory::RequestId request) TROUPE_REQUIRES(mutex_);
  /// The number of the task's request.
  [[nodiscard]] memory::RequestId request_of(const graph::Task& task) const;
  void forget_request(TaskId task);
  /// Tells the worker that its task cannot have its data there: it runs on a worker of one of these kinds, if there are
  /// any that can, or fails.
  void refuse(const Request& asked, KindSet elsewhere, const Failure& failure);
  Result<void> bring_home(std::span<const memory::Use> uses, const std::function<bool()>& pump);
  /// The first of so many numbers for requests of the program.
  memory::RequestId take_home_requests(std::uint64_t count);
  /// Waits for the answer to a request of the program.
  Result<void> wait_for_home(memory::RequestId request, const std::function<bool()>& pump);
  void know(const graph::Task& task);
  /// For the scheduler, where there is one.
  void tell(const scheduler::SchedulerEvent& event);
  /// Of a task that a worker has no more.
  void tell_of_end(const scheduler::SchedulerEvent& event);

  const Setup setup_;
  /// By worker, used in its thread alone: what it asks for, kept to save the allocations.
  std::vector<memory::MemoryEvent> asks_;
  /// By worker.
  std::vector<GrantedPlaces> granted_;
  memory::KeptReuseProfile reuse_;
  std::shared_ptr<memory::MemoryState> memory_;
  scheduler::SchedulerInbox news_;

  std::atomic<bool> closed_{false};

  /// Tasks have requests with other numbers than their own. Relaxed: who asks for such a task has it from who withdrew
  /// it.
  std::atomic<bool> any_anew_{false};

  mutable Mutex mutex_;
  // Those that were not had at once. Looked up only.
  std::unordered_map<memory::RequestId, Request> requests_ TROUPE_GUARDED_BY(mutex_);
  /// By task: its request where it has withdrawn the one that has its number. Empty unless workers die.
  std::unordered_map<TaskId, memory::RequestId> anew_ TROUPE_GUARDED_BY(mutex_);
  std::uint64_t requests_anew_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// Requests of the program that were answered, and how.
  std::unordered_map<memory::RequestId, Result<void>> home_ TROUPE_GUARDED_BY(mutex_);
  std::condition_variable home_answered_;
  std::uint64_t home_requests_ TROUPE_GUARDED_BY(mutex_) = 0;
};

}  // namespace troupe::actors
