#include "actors/scheduler/worker_loads.hpp"

#include <algorithm>
#include <cstdint>

namespace troupe::scheduler {

WorkerLoads::Line WorkerLoads::Line::then(const Line& next) const {
  return {sum + next.sum, std::max(not_before + next.sum, next.not_before)};
}

WorkerLoads::Line WorkerLoads::line_of(const Waiting& waiting) {
  return {waiting.execution, std::max(TimeStamp{}, waiting.data_at) + waiting.execution};
}

void WorkerLoads::remove(Worker& worker, std::size_t index) {
  const std::size_t ahead = worker.ahead.size();
  worker.waiting.erase(worker.waiting.begin() + static_cast<std::ptrdiff_t>(index));
  std::size_t to_add = index;
  if (index < ahead) {
    worker.ahead.resize(ahead - index - 1);
  } else {
    worker.ahead.clear();
    worker.behind = {};
    to_add = worker.waiting.size();
  }
  add_ahead(worker, to_add);
}

void WorkerLoads::add_ahead(Worker& worker, std::size_t count) {
  while (count-- > 0) {
    const Line line = line_of(worker.waiting[count]);
    worker.ahead.push_back(worker.ahead.empty() ? line : line.then(worker.ahead.back()));
  }
}

Duration WorkerLoads::left(const Worker& worker, const Running& running, TimeStamp at) {
  const Duration passed = std::max(at - worker.since, Duration{});
  const Duration left = running.left - passed / static_cast<std::int64_t>(worker.running.size());
  if (left >= Duration{}) return left;
  return running.guess ? -left : Duration{};
}

void WorkerLoads::look_at_running(Worker& worker, TimeStamp at) {
  for (Running& running : worker.running) running.left = left(worker, running, at);
  worker.since = std::max(worker.since, at);
}

void WorkerLoads::placed(WorkerId worker, TaskId task, Duration execution, TimeStamp data_at, bool guess) {
  Worker& load = workers_[worker.index()];
  load.waiting.push_back({task, execution, data_at, guess});
  load.behind = load.behind.then(line_of(load.waiting.back()));
}

void WorkerLoads::predicted(WorkerId worker, TaskId task, Duration execution) {
  Worker& load = workers_[worker.index()];
  if (const auto running = std::ranges::find(load.running, task, &Running::task); running != load.running.end()) {
    running->left = std::max(running->left + execution - running->execution, Duration{});
    running->execution = execution;
    return;
  }
  const auto found = std::ranges::find(load.waiting, task, &Waiting::task);
  if (found == load.waiting.end() || found->execution == execution) return;
  found->execution = execution;
  load.ahead.clear();
  load.behind = {};
  add_ahead(load, load.waiting.size());
}

void WorkerLoads::started(WorkerId worker, TaskId task, TimeStamp at) {
  Worker& load = workers_[worker.index()];
  const auto found = std::ranges::find(load.waiting, task, &Waiting::task);
  if (found == load.waiting.end()) return;
  look_at_running(load, at);
  load.running.push_back({task, found->execution, found->execution, found->guess});
  remove(load, static_cast<std::size_t>(found - load.waiting.begin()));
}

void WorkerLoads::ended(WorkerId worker, TaskId task, TimeStamp at) {
  Worker& load = workers_[worker.index()];
  if (const auto running = std::ranges::find(load.running, task, &Running::task); running != load.running.end()) {
    look_at_running(load, at);
    load.running.erase(running);
    return;
  }
  const auto found = std::ranges::find(load.waiting, task, &Waiting::task);
  if (found != load.waiting.end()) remove(load, static_cast<std::size_t>(found - load.waiting.begin()));
}

TimeStamp WorkerLoads::free(WorkerId worker, TimeStamp now) const {
  const Worker& load = workers_[worker.index()];
  TimeStamp free = now;
  for (const Running& running : load.running) free += left(load, running, now);
  return free;
}

TimeStamp WorkerLoads::available(WorkerId worker, TimeStamp now) const {
  const Worker& load = workers_[worker.index()];
  const Line all = load.ahead.empty() ? load.behind : load.ahead.back().then(load.behind);
  return std::max(free(worker, now) + all.sum, all.not_before);
}

std::size_t WorkerLoads::queued(WorkerId worker) const { return workers_[worker.index()].waiting.size(); }

bool WorkerLoads::anything() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const Worker& load) { return !load.running.empty() || !load.waiting.empty(); });
}

}  // namespace troupe::scheduler
