/// Answers to a policy's questions about a ready task: how long it takes on each device, and which data have to move.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "actors/scheduler/models/transfer_model.hpp"
#include "actors/scheduler/replica_map.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "proto/memory.hpp"
#include "troupe/access.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe {
struct CodeletDefinition;
}

namespace troupe::scheduler {

/// One ready task as a placing policy sees it.
struct ReadyTask {
  TaskId id;
  const CodeletDefinition* codelet = nullptr;
  int priority = 0;
  SizeClassId size_class = {};
  /// The task's working set; empty if working sets are not computed (`SchedulerState::submitted`).
  std::span<const memory::Use> data = {};
  /// The length, in predicted time, of the longest chain of submitted tasks that begins with this task
  /// (`PolicyTraits::ranks`); 0 if the policy does not ask for it.
  double upward_rank_s = 0;
  /// The expected use of the data that the task writes (`SubmittedTasks::reuse_of`); 0 if the policy does not ask for
  /// it (`PolicyTraits::asks_reuse`).
  std::int64_t reuse = 0;
  /// The task's floating-point operations, exact to 5 %, if its codelet counts them and the policy asks for `reuse`;
  /// else 0.
  double flops = 0;
};

/// Predicted times of size classes on workers. A plain table: the scheduler fills it from its execution model.
class ExecutionTimes {
 public:
  /// The value for a worker that cannot run the class.
  static constexpr Duration kNever = Duration::max();

  explicit ExecutionTimes(std::size_t workers = 0) : workers_(workers) {}

  [[nodiscard]] std::size_t workers() const { return workers_; }
  [[nodiscard]] bool has(SizeClassId size_class) const {
    return size_class.valid() && (size_class.index() + 1) * workers_ <= times_.size();
  }
  void set(SizeClassId size_class, WorkerId worker, Duration time) {
    const std::size_t needed = (size_class.index() + 1) * workers_;
    if (times_.size() < needed) times_.resize(needed, Duration::zero());
    times_[size_class.index() * workers_ + worker.index()] = time;
  }
  /// Returns the time on the worker; zero for a class without predictions.
  [[nodiscard]] Duration get(SizeClassId size_class, WorkerId worker) const {
    return has(size_class) ? times_[size_class.index() * workers_ + worker.index()] : Duration::zero();
  }

 private:
  std::size_t workers_;
  std::vector<Duration> times_;
};

/// For each node, the bytes of running and planned copies into it and out of it. They tell the scheduler how busy links
/// are.
struct Traffic {
  explicit Traffic(std::size_t nodes = 1) : in(nodes), out(nodes) {}
  std::vector<std::uint64_t> in;
  std::vector<std::uint64_t> out;
};

/// All predictions for a policy. Plain data; tests fill it by hand.
struct Predictions {
  ExecutionTimes execution_times;
  ReplicaMap replicas;
  TransferModel links;
  Traffic traffic;
  /// For each size class, the number of tasks that were submitted and have not ended. Empty or too short if these tasks
  /// are not counted.
  std::vector<std::uint32_t> left;
  /// The size of all data that tasks in flight use.
  Bytes data_left;
  /// The room of each node for data; policies place no task where it can never fit. Empty if nodes have no limits.
  std::vector<Bytes> capacities;

  /// Returns the time of the task on the worker; `ExecutionTimes::kNever` if the worker cannot run it.
  [[nodiscard]] Duration execution(const ReadyTask& task, WorkerId worker) const {
    return execution_times.get(task.size_class, worker);
  }
  /// Returns the node from which a copy to node `to` is fastest.
  [[nodiscard]] NodeId source(HandleId handle, NodeId to) const {
    NodeId best(0);
    double cost = -1;
    replicas.valid_nodes(handle).for_each([&](NodeId from) {
      if (from == to) return;
      const double price = links.pair(from, to).ns_per_byte;
      if (cost >= 0 && price >= cost) return;
      cost = price;
      best = from;
    });
    return best;
  }
  /// Returns true if the use needs no copy to the node: it does not read the data, or the node holds them, or they are
  /// on their way there. The buffer of a halo part counts as present; the data that fill it are uses of their own.
  [[nodiscard]] bool present(const memory::Use& use, NodeId node) const {
    if (!reads(use.mode) || use.is_buffer()) return true;
    const auto there = [&](HandleId handle) { return replicas.valid(handle, node) || replicas.incoming(handle, node); };
    return there(use.handle) || (use.is_overlap() && node != memory::kHost && there(use.halo));
  }
  /// Returns the time of the copies that the task still needs at this node, as if they were made one after the other on
  /// idle links. The time for each byte is multiplied by `weight`.
  [[nodiscard]] Duration transfer(const ReadyTask& task, NodeId node, double weight = 1) const {
    Duration sum{};
    for (const memory::Use& use : task.data) {
      if (!present(use, node)) sum += links.copy_time(source(use.handle, node), node, use.copied_to(node), weight);
    }
    return sum;
  }
  /// Like `transfer`, but the task's copies wait for the copies that are already on their way into the node, or out of
  /// the source nodes (*communication prediction*).
  [[nodiscard]] Duration transfer_in_traffic(const ReadyTask& task, NodeId node) const {
    Duration sum{};
    std::uint64_t before = 0;
    double ns_per_byte = 0;
    for (const memory::Use& use : task.data) {
      if (present(use, node)) continue;
      const NodeId from = source(use.handle, node);
      sum += links.copy_time(from, node, use.copied_to(node));
      before = std::max({before, traffic.in[node.index()], traffic.out[from.index()]});
      ns_per_byte = std::max(ns_per_byte, links.pair(from, node).ns_per_byte);
    }
    return sum + Duration(std::llround(static_cast<double>(before) * ns_per_byte));
  }
  /// Returns the number of bytes that would have to be copied to the node.
  [[nodiscard]] Bytes missing(const ReadyTask& task, NodeId node) const {
    Bytes sum;
    for (const memory::Use& use : task.data) {
      if (!present(use, node)) sum += use.copied_to(node);
    }
    return sum;
  }
};

}  // namespace troupe::scheduler
