#include "actors/scheduler/worker_loads.hpp"

#include <algorithm>

namespace troupe::scheduler {

void WorkerLoads::append(Worker& worker, const Waiting& waiting) {
  worker.sum += waiting.execution;
  worker.not_before = std::max(worker.not_before, waiting.data_at) + waiting.execution;
}

void WorkerLoads::add_up(Worker& worker) {
  worker.sum = {};
  worker.not_before = {};
  for (const Waiting& waiting : worker.waiting) append(worker, waiting);
}

void WorkerLoads::placed(WorkerId worker, TaskId task, Duration execution, TimeStamp data_at) {
  Worker& load = workers_[worker.index()];
  load.waiting.push_back({task, execution, data_at});
  append(load, load.waiting.back());
}

void WorkerLoads::started(WorkerId worker, TaskId task, TimeStamp at) {
  Worker& load = workers_[worker.index()];
  const auto found = std::find_if(load.waiting.begin(), load.waiting.end(),
                                  [task](const Waiting& waiting) { return waiting.task == task; });
  if (found == load.waiting.end()) return;
  load.running.push_back({task, at + found->execution});
  load.waiting.erase(found);
  add_up(load);
}

void WorkerLoads::ended(WorkerId worker, TaskId task) {
  Worker& load = workers_[worker.index()];
  if (std::erase_if(load.running, [task](const Running& running) { return running.task == task; }) > 0) return;
  if (std::erase_if(load.waiting, [task](const Waiting& waiting) { return waiting.task == task; }) > 0) add_up(load);
}

TimeStamp WorkerLoads::available(WorkerId worker, TimeStamp now) const {
  const Worker& load = workers_[worker.index()];
  TimeStamp free = now;
  for (const Running& running : load.running) free = std::max(free, running.until);
  return std::max(free + load.sum, load.not_before);
}

std::size_t WorkerLoads::queued(WorkerId worker) const { return workers_[worker.index()].waiting.size(); }

bool WorkerLoads::anything() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const Worker& load) { return !load.running.empty() || !load.waiting.empty(); });
}

}  // namespace troupe::scheduler
