/// Events: what the scheduler learns of tasks, workers and replicas between its decisions.
#include <algorithm>
#include <utility>

#include "actors/scheduler/scheduler_core.hpp"

namespace troupe::scheduler {

using graph::TaskEvent;

void SchedulerCore::happened(const TaskEvent& event) {
  using Kind = TaskEvent::Kind;
  switch (event.kind) {
    case Kind::started: task_started(event); break;
    case Kind::joined: joined_[event.worker.index()] = true; break;
    case Kind::all_taken: all_taken(event.task); break;
    case Kind::stopped: stopped(event); break;
    case Kind::ended: task_ended(event); break;
    case Kind::suspended:
    case Kind::failed:
    case Kind::left:
    case Kind::dropped: task_left(event); break;
    case Kind::worker_lost: worker_lost(event.worker); break;
    case Kind::regrouped: regrouped(event.worker, event.cores); break;
    case Kind::replica_changed: replica_changed(event); break;
  }
}

void SchedulerCore::task_started(const TaskEvent& event) {
  if (taken_back_.task == event.task) taken_back_ = {};
  loads_.started(event.worker, event.task, event.at);
}

void SchedulerCore::all_taken(TaskId task) {
  const auto found = placed_.find(task);
  if (found != placed_.end()) close(found->second);
}

void SchedulerCore::stopped(const TaskEvent& event) {
  if (joined_[event.worker.index()]) {
    joined_[event.worker.index()] = false;
    return;
  }
  // The worker has begun the task, and stops only when all pieces are taken. The thread that took the last piece may
  // not have reported that yet.
  all_taken(event.task);
  loads_.ended(event.worker, event.task, event.at);
}

void SchedulerCore::close(Running& running) {
  if (std::exchange(running.open, false)) --workers_[running.worker.index()].open;
}

std::optional<SchedulerCore::Running> SchedulerCore::forget(TaskId task) {
  const auto found = placed_.find(task);
  if (found == placed_.end()) return std::nullopt;
  Running running = found->second;
  placed_.erase(found);
  close(running);
  if (running.tried) trials_.ended(times_.kernel_of(running.size_class), running.type);
  return running;
}

void SchedulerCore::task_ended(const TaskEvent& event) {
  loads_.ended(event.worker, event.task, event.at);
  const std::optional<Running> running = forget(event.task);
  if (!running) return;
  const WorkerState& worker = workers_[event.worker.index()];
  if (running->type != worker.type) return;
  if (times_.measured(running->size_class, worker, running->predicted, event.took, machine())) predict_guessed();
}

void SchedulerCore::task_left(const TaskEvent& event) {
  loads_.ended(event.worker, event.task, event.at);
  // The task may have been placed on another worker before this event came.
  const auto found = placed_.find(event.task);
  if (found != placed_.end() && found->second.worker == event.worker) forget(event.task);
}

void SchedulerCore::worker_lost(WorkerId worker) {
  workers_[worker.index()].lost = true;
  times_.learn_again(machine());
}

void SchedulerCore::regrouped(WorkerId worker, int cores) {
  WorkerState& state = workers_[worker.index()];
  state.helps = cores == 0;
  state.type = times_.regrouped(state, cores);
}

void SchedulerCore::replica_changed(const TaskEvent& event) {
  const bool incoming = event.state == memory::ReplicaState::incoming;
  predictions_.replicas.set(event.handle, event.node, memory::is_valid(event.state), incoming);
  if (incoming) return;
  const auto found = copies_.find(copy_key(event.handle, event.node));
  if (found == copies_.end()) return;
  predictions_.traffic.in[event.node.index()] -= found->second.bytes;
  predictions_.traffic.out[found->second.from.index()] -= found->second.bytes;
  copies_.erase(found);
}

}  // namespace troupe::scheduler
