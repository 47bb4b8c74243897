/// Data gate: lets a task start, or the program continue, when the needed data are in the right memory.
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
#include <vector>

#include "actors/host_views.hpp"
#include "actors/memory/eviction/reuse_profile.hpp"
#include "actors/memory/eviction/upcoming_tasks.hpp"
#include "actors/memory/memory_actor.hpp"
#include "actors/memory_nodes.hpp"
#include "actors/running/granted_places.hpp"
#include "actors/running/run_mode.hpp"
#include "actors/running/runtime_plan.hpp"
#include "actors/scheduler/submitted_tasks.hpp"
#include "actors/workers/crew.hpp"
#include "actors/workers/peers_actor.hpp"
#include "graph/tasks/task_event.hpp"
#include "proto/mutex.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::actors {

/// Connects workers and the program with the memory manager, in a runtime with several memories.
class DataGate final : public workers::DataProvider, public graph::TaskObserver, public memory::MemoryHost {
 public:
  /// The objects of the runtime that the gate uses. These objects outlive the gate.
  struct Setup {
    const RuntimePlan& plan;
    RunMode& mode;
    workers::Crew& crew;
    workers::Peers& peers;
    HostViews& views;
    scheduler::SubmittedTasks& submitted;
    /// The submitted tasks, for eviction policies that need the future uses of data; may be null.
    std::shared_ptr<memory::UpcomingTasks> upcoming;
  };

  explicit DataGate(Setup setup);

  // These functions implement `DataProvider`, and are called in workers' threads.
  bool acquire(WorkerId worker, graph::Task& task) override;
  void withdraw(WorkerId worker, graph::Task& task) override;

  /// Releases the data of tasks that have ended.
  void happened(const graph::TaskEvent& event) override;

  // These functions implement `MemoryHost`, and are called by the thread that handles the memory manager's inbox.
  void copy(const memory::Command& transfer) override;
  void hurry(memory::TransferId transfer) override;
  void acquired(memory::RequestId request) override;
  void refused(const memory::Command& command) override;
  void replica_changed(HandleId handle, NodeId node, memory::ReplicaState state) override;

  /// Called by the scheduler: asks the memory manager to copy the data that the task reads to the node.
  void prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses);

  // The program calls these functions, see `GraphHost`. `pump` handles events of the run until something has happened,
  // and returns false if nothing can happen any more.
  Result<void> bring_home(const graph::DataRecord& data, AccessMode mode, const std::function<bool()>& pump);
  Result<void> bring_all_home(const graph::TaskOwner& graph, const std::function<bool()>& pump);
  void forget(const graph::DataRecord& data);
  void discard(const graph::DataRecord& data);
  /// Called when the run is over: from now on, the ends of copies are ignored.
  void close() { closed_.store(true, std::memory_order_release); }
  /// Called when a device has stopped working: the device's memory is not used any more.
  void node_lost(NodeId node);
  /// Posts `event`, a hint for eviction, for each of the handles.
  void hint(std::span<const HandleId> handles, memory::MemoryEvent event);
  /// Saves the profile of how often data were used. Called when no task runs any more.
  void save_reuse_profile() noexcept { reuse_.save(); }

  /// Returns the view of the data that a kernel of this worker has to use. The worker must have acquired the data for a
  /// task. Called only if the memories hold real data.
  [[nodiscard]] DataView replica(const graph::DataRecord& data, WorkerId worker) const;
  [[nodiscard]] const std::shared_ptr<memory::MemoryState>& memory() const { return memory_; }
  [[nodiscard]] TransferReport transfers() const;
  /// Returns the tasks that wait for their data, with the reason in words. May be called from any thread.
  [[nodiscard]] std::unordered_map<TaskId, std::string> fetching();

 private:
  /// The first number of the program's requests; no task has such a number.
  static constexpr std::uint64_t kFirstHomeRequest = std::uint64_t{1} << 63U;

  struct Request {
    WorkerId worker;
    graph::Task* task = nullptr;
    TaskId id = {};
  };

  /// Posts an event for the actor.
  void post(memory::MemoryEvent event);
  /// Posts an event. This thread handles the event, if it need not wait for another thread. Otherwise the thread that
  /// is handling events, or the memory manager's actor, handles the event.
  void post_and_handle(memory::MemoryEvent event);
  /// Posts an event that only makes memory or data free. If a request waits for such an event, this call also handles
  /// the event; otherwise the next acquire does.
  void leave(memory::MemoryEvent event);
  void post_release(memory::RequestId request);
  [[nodiscard]] NodeId node_of(WorkerId worker) const { return setup_.plan.places[worker.index()].node; }
  /// Returns true if the worker's kernels use replicas in a device's memory, false if they use the data in host memory.
  [[nodiscard]] bool looks_for_replicas(WorkerId worker) const;
  /// Called when the task has its data: records where the task's kernel finds the data. The memory manager's lock must
  /// be held.
  void grant(WorkerId worker, TaskId task, std::span<const memory::Use> uses, const memory::MemoryCore& core);
  /// Removes the request from `requests_` and returns the request. If the request was withdrawn, the task in the result
  /// is null. The caller keeps the lock until the answer is where the worker reads it, so that a withdrawn request gets
  /// no answer.
  Request take_request(memory::RequestId request) TROUPE_REQUIRES(mutex_);
  /// Returns the number of the task's present request.
  [[nodiscard]] memory::RequestId request_of(TaskId task) const;
  void forget_request(TaskId task);
  /// Notifies the worker that the task cannot have its data on the worker's node. The task then goes to a worker of a
  /// kind in `elsewhere`, or fails if no such worker can run it.
  void refuse(const Request& asked, KindSet elsewhere, const Failure& failure);
  Result<void> bring_home(std::span<const memory::Use> uses, const std::function<bool()>& pump);
  /// Reserves `count` numbers for requests of the program, and returns the first.
  memory::RequestId reserve_home_requests(std::uint64_t count);
  void answer_home(memory::RequestId request, Result<void> answer);
  /// Waits for the answer to a request of the program.
  Result<void> wait_for_home(memory::RequestId request, const std::function<bool()>& pump);
  void know(const graph::Task& task);

  const Setup setup_;
  const bool has_threads_;
  MemoryNodes& memories_;
  /// The acquire event of each worker, used only in that worker's thread; kept to save allocations.
  std::vector<memory::MemoryEvent> asks_;
  /// The granted places of each worker.
  std::vector<GrantedPlaces> granted_;
  memory::KeptReuseProfile reuse_;
  std::shared_ptr<memory::MemoryState> memory_;

  std::atomic<bool> closed_{false};

  /// True if any task has a request whose number is not the task's id. Relaxed: a thread that looks up the request of
  /// such a task has received the task from the thread that withdrew the first request.
  std::atomic<bool> any_anew_{false};

  mutable Mutex mutex_;
  // The requests that were not granted at once. The map is never iterated over.
  std::unordered_map<memory::RequestId, Request> requests_ TROUPE_GUARDED_BY(mutex_);
  /// The numbers of requests that differ from the task's id. Normally a task's request has the task's id as its number.
  /// If this first request was withdrawn, the task's next request gets another number.
  std::unordered_map<TaskId, memory::RequestId> anew_ TROUPE_GUARDED_BY(mutex_);
  std::uint64_t requests_anew_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The program's requests that were answered, with their results.
  std::unordered_map<memory::RequestId, Result<void>> home_ TROUPE_GUARDED_BY(mutex_);
  std::condition_variable home_answered_;
  std::uint64_t home_requests_ TROUPE_GUARDED_BY(mutex_) = 0;
};

}  // namespace troupe::actors
