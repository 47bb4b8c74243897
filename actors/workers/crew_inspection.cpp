#include "actors/workers/crew_inspection.hpp"

namespace troupe::workers {

std::vector<graph::RunningTask> running_tasks(const Crew& crew) {
  std::vector<graph::RunningTask> running;
  for (std::uint32_t i = 0; i < crew.ports.size(); ++i) {
    const WorkerPort& port = crew.ports[i];
    // Acquire: pairs with the release in `note_running`, before which the worker stores the time. A worker that has
    // begun another task meanwhile has stored a later time, so the reported duration of a task is never too long.
    const graph::Task* task = port.running.load(std::memory_order_acquire);
    if (task == nullptr) continue;
    running.push_back({task, WorkerId(i), TimeStamp(port.running_since.load(std::memory_order_relaxed))});
    const SharedPieces* const shared = port.board.works_on();
    const auto progress = shared != nullptr ? shared->progress_of(*task) : std::nullopt;
    if (!progress) continue;
    running.back().pieces = progress->pieces;
    running.back().pieces_begun = progress->begun;
  }
  return running;
}

std::vector<graph::RunningTask> running_and_outside_tasks(const Crew& crew) {
  std::vector<graph::RunningTask> tasks = running_tasks(crew);
  for (std::uint32_t i = 0; i < crew.ports.size(); ++i) crew.ports[i].suspended.append_outside(WorkerId(i), tasks);
  return tasks;
}

std::vector<graph::RunningTask> running_and_suspended_tasks(const Crew& crew, const graph::TaskGraph& graph) {
  std::vector<graph::RunningTask> tasks = running_tasks(crew);
  if (crew.shares != nullptr) {
    // A worker stores the graph before the task. So if `running` still names the task, the task belongs to the graph
    // that is read here.
    std::erase_if(tasks, [&](const graph::RunningTask& one) {
      const WorkerPort& port = crew.ports[one.worker.index()];
      const bool is_its = port.running_graph.load(std::memory_order_relaxed) == &graph;
      return !is_its || port.running.load(std::memory_order_acquire) != one.task;
    });
  }
  for (std::uint32_t i = 0; i < crew.ports.size(); ++i) {
    for (const graph::Task* task : crew.ports[i].suspended.of(graph)) tasks.push_back({task, WorkerId(i), {}});
  }
  return tasks;
}

observation::CrewSnapshot look_at(const Crew& crew) {
  observation::CrewSnapshot snapshot;
  for (std::uint32_t i = 0; i < crew.ports.size(); ++i) {
    const WorkerPort& port = crew.ports[i];
    observation::CrewSnapshot::Worker& worker = snapshot.workers.emplace_back();
    worker.asleep = crew.idle.contains(WorkerId(i));
    worker.queued = port.deque.size();
    worker.team = port.team_use.sum();
    worker.regroups = !port.standing.open();
    if (crew.grouping == nullptr || port.standing.state() != RegroupingState::helps) continue;
    if (const Grouping::Place place = crew.grouping->place(WorkerId(i)); place.rank > 0) worker.lent_to = place.leader;
  }
  snapshot.in_entry_queue = crew.entry.size();
  return snapshot;
}

observation::Pulse pulse_of(const Crew& crew) {
  const Progress progress = crew.graph.progress();
  observation::Pulse pulse{progress.ended, progress.submitted - progress.ended};
  for (const WorkerPort& port : crew.ports) {
    pulse.activity += static_cast<std::uint64_t>(port.running_since.load(std::memory_order_relaxed));
    pulse.activity += port.counters.tasks.load(std::memory_order_relaxed);
  }
  return pulse;
}

}  // namespace troupe::workers
