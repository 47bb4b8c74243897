/// Between workers, memory manager and scheduler: who is told what when a task needs data, begins or ends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actors/memory/memory_actor.hpp"
#include "actors/scheduler/scheduler_inbox.hpp"
#include "actors/scheduler/submitted_tasks.hpp"
#include "actors/simulation.hpp"
#include "actors/workers/crew.hpp"
#include "actors/workers/peers_actor.hpp"
#include "proto/errors.hpp"

namespace troupe::actors {

class RunServices final : public workers::TaskServices, public memory::MemoryHost {
 public:
  /// What does not own outlives this.
  struct Setup {
    workers::Crew* crew = nullptr;
    workers::Peers* peers = nullptr;
    const platform::Clock* clock = nullptr;
    /// By worker.
    std::vector<NodeId> nodes;
    /// Null: there is host memory alone.
    Simulation* simulation = nullptr;
    /// Null: nobody looks ahead.
    std::shared_ptr<scheduler::SubmittedTasks> submitted;
    /// A scheduler is told of tasks and replicas.
    bool tell_scheduler = false;
    /// It also decides when a task ends that makes none ready.
    bool wake_scheduler = false;
  };

  explicit RunServices(Setup setup);

  // TaskServices, in workers' threads.
  void acquire(WorkerId worker, graph::Task& task) override;
  void withdraw(WorkerId worker, graph::Task& task) override;
  void started(WorkerId worker, const graph::Task& task) override;
  void left(WorkerId worker, TaskId task, bool ended) override;
  void ended(WorkerId worker, graph::Task& task, TimeStamp start, TimeStamp end, bool failed) override;

  // MemoryHost, in the memory manager's thread.
  void copy(const memory::Command& transfer) override;
  void hurry(memory::TransferId transfer) override;
  void acquired(memory::RequestId request) override;
  void refused(const memory::Command& command) override;
  void replica_changed(HandleId handle, NodeId node, memory::ReplicaState state) override;

  // For the scheduler.
  void take_events(std::vector<scheduler::SchedulerEvent>& events) { news_.take(events); }
  void prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses);

  // For the program, see `GraphHost`. `pump`: lets the run go on until something has happened; false: nothing can.
  Result<void> bring_home(const graph::DataRecord& data, AccessMode mode, const std::function<bool()>& pump);
  void forget(const graph::DataRecord& data);

  /// With real buffers: where a kernel of this worker finds the data of a task whose data it has acquired.
  [[nodiscard]] DataView replica(const graph::DataRecord& data, NodeId node) const;
  /// Null where there is host memory alone.
  [[nodiscard]] const std::shared_ptr<memory::MemoryState>& memory() const { return memory_; }
  [[nodiscard]] TransferReport transfers() const;

 private:
  struct Request {
    WorkerId worker;
    graph::Task* task = nullptr;
  };

  void post(memory::MemoryEvent event);
  void post_release(memory::RequestId request);
  /// The request's task, which is not waited for any more; a null task where the program made it.
  Request take_request(memory::RequestId request);
  /// The number of the task's request. Requires mutex_.
  [[nodiscard]] memory::RequestId request_of(const graph::Task& task) const;
  void forget_attempts(TaskId task);
  /// Tells the worker that its task cannot have its data there: it runs on a core, or fails.
  void refuse(const Request& asked, const Failure& failure);
  void know(const graph::Task& task);
  /// What is allocated grows before a copy begins or a task is answered.
  void note_use(NodeId node);

  const Setup setup_;
  std::shared_ptr<memory::MemoryState> memory_;
  scheduler::SchedulerInbox news_;
  /// By node, in the memory manager's thread.
  std::vector<Bytes> highest_use_;

  std::mutex mutex_;
  // Looked up only; guarded by mutex_.
  std::unordered_map<memory::RequestId, Request> requests_;
  /// By task: how often its request was withdrawn. Empty unless workers die.
  std::unordered_map<std::uint64_t, std::uint64_t> attempts_;
  /// Requests of the program that were answered, and how.
  std::unordered_map<memory::RequestId, Result<void>> home_;
  std::uint64_t home_requests_ = 0;
};

}  // namespace troupe::actors
