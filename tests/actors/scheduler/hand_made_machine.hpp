/// Snapshots that tests build by hand, so that they can test policies without a scheduler.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"

namespace troupe::tests {

/// Worker 0 and the next workers are cores on node 0; then come GPUs on nodes 1, 2, … Times are microseconds. Between
/// any two nodes a byte takes one nanosecond unless `link` sets another time. The current time is 1 s, because no code
/// may assume that the clock begins at 0.
class HandMadeMachine {
 public:
  static constexpr int kNever = -1;

  HandMadeMachine(int cores, int gpus) {
    for (int w = 0; w < cores + gpus; ++w) {
      scheduler::WorkerState worker;
      worker.id = WorkerId(static_cast<std::uint32_t>(w));
      worker.kind = w < cores ? DeviceKind::cpu_core : DeviceKind::cuda;
      worker.node = NodeId(static_cast<std::uint32_t>(w < cores ? 0 : w - cores + 1));
      worker.available = now();
      workers_.push_back(worker);
    }
    const auto nodes = static_cast<std::size_t>(gpus) + 1;
    predictions.execution_times = scheduler::ExecutionTimes(workers_.size());
    predictions.replicas = scheduler::ReplicaMap(nodes);
    predictions.traffic = scheduler::Traffic(nodes);
    pairs_.resize(nodes * nodes);
    for (std::size_t i = 0; i < pairs_.size(); ++i) pairs_[i].ns_per_byte = i % (nodes + 1) == 0 ? 0 : 1;
    predictions.links = scheduler::TransferModel(nodes, pairs_);
  }

  [[nodiscard]] static TimeStamp now() { return std::chrono::seconds(1); }
  static Duration us(int time) { return std::chrono::microseconds(time); }
  static memory::Use use(std::uint64_t data, AccessMode mode, std::uint64_t bytes) {
    return {HandleId(data), mode, {bytes}, false};
  }

  /// Returns a task of a new class, with these times on a core and on a GPU.
  scheduler::ReadyTask task(int cpu_us, int gpu_us, std::vector<memory::Use> uses = {}) {
    return of_class(size_class(cpu_us, gpu_us), std::move(uses));
  }
  SizeClassId size_class(int cpu_us, int gpu_us) {
    std::vector<int> us_on;
    for (const scheduler::WorkerState& worker : workers_) {
      us_on.push_back(worker.kind == DeviceKind::cpu_core ? cpu_us : gpu_us);
    }
    return size_class_on(us_on);
  }
  /// Returns a class with the given time on each worker. A core of this machine may take the place of a cluster of any
  /// size.
  SizeClassId size_class_on(const std::vector<int>& us_on) {
    const SizeClassId id(classes_++);
    codelets_.emplace_back("codelet", std::vector<AccessMode>{});
    for (const scheduler::WorkerState& worker : workers_) {
      const int time = us_on[worker.id.index()];
      predictions.execution_times.set(id, worker.id, time == kNever ? scheduler::ExecutionTimes::kNever : us(time));
      if (time != kNever) codelets_.back().implement(worker.kind, [](const KernelContext&) {});
    }
    return id;
  }
  scheduler::ReadyTask of_class(SizeClassId size_class, std::vector<memory::Use> uses = {}) {
    scheduler::ReadyTask task;
    task.id = TaskId(tasks_++);
    task.codelet = &codelets_[size_class.index()].definition();
    task.size_class = size_class;
    task.data = uses_.emplace_back(std::move(uses));
    return task;
  }

  scheduler::ReadyTask task_on(const std::vector<int>& us_on, std::vector<memory::Use> uses = {}) {
    return of_class(size_class_on(us_on), std::move(uses));
  }

  /// Sets the time until the worker has run everything that was placed on it.
  HandMadeMachine& load(std::uint32_t worker, int us_from_now, std::size_t queued = 0) {
    workers_[worker].available = now() + us(us_from_now);
    workers_[worker].queued = queued;
    workers_[worker].busy = us_from_now > 0;
    return *this;
  }
  /// Sets the number of tasks on the worker that still have pieces for other workers.
  HandMadeMachine& open(std::uint32_t worker, std::size_t tasks) {
    workers_[worker].open = tasks;
    return *this;
  }
  /// Sets the nodes that have the data. No other node has them.
  HandMadeMachine& data_on(std::uint64_t data, const std::vector<std::uint32_t>& nodes) {
    for (std::uint32_t node = 0; node < predictions.links.nodes(); ++node) {
      predictions.replicas.set(HandleId(data), NodeId(node), false, false);
    }
    for (const std::uint32_t node : nodes) predictions.replicas.set(HandleId(data), NodeId(node), true, false);
    return *this;
  }
  HandMadeMachine& link(std::uint32_t from, std::uint32_t to, Duration latency, double ns_per_byte) {
    pairs_[from * predictions.links.nodes() + to] = {latency, ns_per_byte};
    predictions.links = scheduler::TransferModel(predictions.links.nodes(), pairs_);
    return *this;
  }

  [[nodiscard]] scheduler::Snapshot snapshot() const { return {workers_, now(), &predictions}; }
  [[nodiscard]] const std::vector<scheduler::WorkerState>& workers() const { return workers_; }

  /// Lets the policy place the tasks. Returns each task's worker, in the order of the tasks; -1 if the policy does not
  /// place the task yet.
  std::vector<int> place(scheduler::PlacingPolicy& policy, const std::vector<scheduler::ReadyTask>& tasks) {
    std::vector<WorkerId> placement(tasks.size());
    policy.place(tasks, snapshot(), random_, placement);
    std::vector<int> numbers;
    for (const WorkerId worker : placement) numbers.push_back(worker.valid() ? static_cast<int>(worker.value()) : -1);
    return numbers;
  }
  /// Asks the policy to place tasks that it has not placed before. Returns the worker of each task that is placed now,
  /// by the task's id.
  std::map<std::uint64_t, std::uint32_t> place_kept(scheduler::PlacingPolicy& policy) {
    std::vector<scheduler::Placed> placed;
    policy.place_kept(snapshot(), random_, placed);
    std::map<std::uint64_t, std::uint32_t> by_task;
    for (const scheduler::Placed& one : placed) by_task[one.task.value()] = one.worker.value();
    return by_task;
  }

  scheduler::Predictions predictions;

 private:
  std::vector<scheduler::WorkerState> workers_;
  std::vector<scheduler::TransferModel::Pair> pairs_;
  // Tasks point to elements of these deques.
  std::deque<Codelet> codelets_;
  std::deque<std::vector<memory::Use>> uses_;
  std::uint32_t classes_ = 0;
  std::uint64_t tasks_ = 0;
  Random random_{1};
};

}  // namespace troupe::tests
