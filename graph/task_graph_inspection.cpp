/// Inspection: a snapshot of everything in flight, while workers go on.
///
/// The submission lock keeps unchanged what it protects: no record is allocated, so each record keeps its id, codelet,
/// role, name and accesses, even when its task ends meanwhile (`allocate_task` frees what the last task left behind).
/// No edge is added, and none changes its owner. Workers change these things meanwhile:
/// 1. They close a task's list of successors, once. A list that is still open after it was walked has not changed,
///    because it only ever grows at its head, under the lock.
/// 2. After closing a list they relink its edges. The walk reads the links atomically. It may then go astray among the
///    edges of that list, but relinking leaves no permanent cycle, and the result of such a walk is thrown away.
/// 3. They take and release commute locks. The holder and the queue of each lock are read under that lock.
/// 4. They begin and end runs of recordings. The tasks and links of a recording do not change; the state of each task
///    is in its atomics.
///
/// The lock keeps submitters waiting, so the work is limited: if there are more tasks than `kMostTasks`, the snapshot
/// has the oldest tasks, which wait only for older tasks, and some of the tasks that wait for nothing. All other tasks
/// are only counted.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/cancellation.hpp"
#include "graph/data/domain.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

namespace {

/// The number of oldest tasks that one snapshot contains: as many tasks as may be in flight by default.
constexpr std::size_t kMostTasks = 65536;

struct InFlight {
  std::uint64_t id = 0;
  const Task* task = nullptr;
};

/// Keeps the oldest `kMostTasks` tasks, and at most `kMostTasks` newer tasks that wait for nothing, such as running
/// tasks.
void keep_oldest(std::vector<InFlight>& tasks) {
  if (tasks.size() <= kMostTasks) return;
  const auto rest = tasks.begin() + kMostTasks;
  std::nth_element(tasks.begin(), rest, tasks.end(), [](const InFlight& a, const InFlight& b) { return a.id < b.id; });
  std::size_t more = kMostTasks;
  tasks.erase(std::remove_if(rest, tasks.end(),
                             [&](const InFlight& one) {
                               // Relaxed: an old value only hides a task that has just become ready.
                               const bool free = one.task->pending.load(std::memory_order_relaxed) == 0;
                               return !free || more == 0 || more-- == 0;
                             }),
              tasks.end());
}

/// Walks over the tasks in flight. The tasks are sorted by address; the node of `tasks[i]` is `snapshot.nodes[i]`.
class Walk {
 public:
  Walk(GraphSnapshot& snapshot, std::vector<const Task*>& tasks) : snapshot_(snapshot), tasks_(tasks) {
    for (const TaskNode& node : snapshot.nodes) {
      if (node.pending > 0) newest_ = std::max(newest_, node.id.value());
    }
  }

  /// Finds the node of a task. Returns false if the task has ended or had no node when the walk began.
  bool find(const Task* task, std::uint32_t& node) const {
    const auto found = std::lower_bound(tasks_.begin(), tasks_.end(), task);
    if (found == tasks_.end() || *found != task) return false;
    node = static_cast<std::uint32_t>(found - tasks_.begin());
    return true;
  }

  void add_successors(std::uint32_t node) {
    const Task& task = *tasks_[node];
    if (task.is_recorded()) {
      add_followers(node, static_cast<const RecordedTask&>(task));
      return;
    }
    const std::size_t before = snapshot_.edges.size();
    // The acquire load makes the edges visible that were linked before; their links are relaxed, see the head of this
    // file.
    Edge* edge = task.successors.load(std::memory_order_acquire);
    if (edge == Task::closed()) return;
    // A task may have an edge in this list for each of its accesses. The limit stops walks that go astray.
    std::size_t steps = 64 + 16 * tasks_.size();
    for (; edge != nullptr && steps > 0; edge = edge->next_edge(), --steps) {
      std::uint32_t successor = 0;
      if (edge->kind() == Edge::waiter || is_newer(*edge->task()) || !find(edge->task(), successor)) continue;
      const bool explicitly = edge->kind() == Edge::explicit_dependency;
      snapshot_.edges.push_back(
          {node, successor, explicitly ? TaskEdge::Kind::explicit_dependency : TaskEdge::Kind::data});
    }
    add_parent(node, task);
    if (task.role == TaskRole::stand_in) add_followers(node, *task.extras->stands_for);
    if (task.ended()) snapshot_.edges.resize(before);
  }

  /// Adds an edge from a child to its nested task, if the nested task's kernel has returned or waits for children.
  void add_parent(std::uint32_t node, const Task& task) {
    const Domain* const outer = task.outer_domain();
    std::uint32_t parent = 0;
    if (outer == nullptr || !find(&outer->parent, parent)) return;
    if (!outer->over.load(std::memory_order_relaxed) && !outer->awaited.load(std::memory_order_relaxed)) return;
    snapshot_.edges.push_back({node, parent, TaskEdge::Kind::data});
    ++snapshot_.nodes[parent].pending;
  }

  void add_followers(std::uint32_t node, const RecordedTask& task) {
    std::uint32_t successor = 0;
    for (const RecordedTask::Link& link : task.followers()) {
      if (!find(link.task(), successor)) continue;
      snapshot_.edges.push_back(
          {node, successor, link.is_explicit() ? TaskEdge::Kind::explicit_dependency : TaskEdge::Kind::data});
    }
    // The run waits for its tasks without followers.
    if (!task.followers().empty() || !find(task.recording->run_task(), successor)) return;
    snapshot_.edges.push_back({node, successor, TaskEdge::Kind::data});
    ++snapshot_.nodes[successor].pending;
  }

  /// Adds the task that holds the record's commute lock, and the tasks that wait for it.
  void add_commute(const DataRecord& record) {
    std::uint32_t holder = 0;
    bool held = false;
    record.commute.inspect([&](const Task* by) { held = by != nullptr && find(by, holder); },
                           [&](const Task* waiting) {
                             std::uint32_t node = 0;
                             if (!find(waiting, node)) return;
                             snapshot_.nodes[node].parked = true;
                             if (held) snapshot_.edges.push_back({holder, node, TaskEdge::Kind::commute});
                           });
  }

 private:
  /// Returns true if the task is newer than every waiting task that has a node. This test is faster than `find`.
  [[nodiscard]] bool is_newer(const Task& task) const {
    return !task.is_recorded() && task.id.load(std::memory_order_relaxed) > newest_;
  }

  GraphSnapshot& snapshot_;
  std::vector<const Task*>& tasks_;
  std::uint64_t newest_ = 0;
};

bool has_ended(const Task& task) {
  if (!task.is_recorded()) return task.ended();
  const auto& recorded = static_cast<const RecordedTask&>(task);
  return recorded.recording->state_of(recorded) == RecordedState::ended;
}

bool has_device(const Task& task, const GraphOptions& options) {
  return task.codelet == nullptr || (task.codelet->kinds() & options.device_kinds) != 0;
}

TaskNode node_of(const GraphState& graph, const Task& task) {
  TaskNode node;
  node.id = task.task_id();
  node.tag = task.tag();
  node.child_of_client = task.nesting.is_child && graph.options.shares_workers;
  node.role = task.role;
  // The acquire load pairs with the decrements of the predecessors.
  node.pending = task.pending.load(std::memory_order_acquire);
  if (task.codelet != nullptr) node.codelet = &task.codelet->name;
  if (task.extras && !task.extras->name.empty()) node.name = &task.extras->name;
  if (task.role == TaskRole::host && node.pending == 0 && task.extras) {
    node.since = TimeStamp(task.extras->held_since.load(std::memory_order_relaxed));
  }
  node.unwanted = !task.told() && why_unwanted(graph, task) >= Withdrawal::told_of_program;
  node.runnable = task.role == TaskRole::replay || has_device(task, graph.options);
  if (task.is_recorded()) {
    const auto& recorded = static_cast<const RecordedTask&>(task);
    node.id = TaskId(recorded.recording->id_of(recorded));
    // The counter has no meaning once the recorded task has begun, because `RecordedTask::prepare` sets it for the next
    // run.
    if (recorded.recording->state_of(recorded) != RecordedState::waiting) node.pending = 0;
  }
  return node;
}

void collect_tasks(const GraphState& graph, GraphSnapshot& snapshot, std::vector<const Task*>& tasks)
    TROUPE_REQUIRES(graph.submission_mutex) {
  std::vector<InFlight> found;
  for (const Task* slab : graph.memory.tasks.slabs()) {
    for (std::size_t i = 0; i < BlockPool<Task>::kSlab; ++i) {
      // Memory that was never used for a task has id 0.
      const std::uint64_t id = slab[i].id.load(std::memory_order_relaxed);
      if (id != 0 && !slab[i].ended()) found.push_back({id, &slab[i]});
    }
  }
  for (const Recording* recording : graph.recordings.running()) {
    for (const RecordedTask& task : recording->tasks()) {
      const std::uint64_t id = recording->id_of(task);
      // A nested task that has begun is left out, because the task that stands for it is in the snapshot.
      const bool begun = task.role == TaskRole::recorded_nested && task.extras->begun_as == id;
      if (!begun && recording->state_of(task) != RecordedState::ended) found.push_back({id, &task});
    }
  }
  const std::size_t all = found.size();
  keep_oldest(found);
  snapshot.left_out = all - found.size();
  for (const InFlight& one : found) tasks.push_back(one.task);
  std::sort(tasks.begin(), tasks.end());
  snapshot.nodes.reserve(tasks.size());
  for (const Task* task : tasks) snapshot.nodes.push_back(node_of(graph, *task));
}

}  // namespace

void TaskGraph::while_tasks_stay(const std::function<void()>& look) {
  const LockGuard lock(state_.submission_mutex);
  look();
}

void TaskGraph::inspect(const std::function<std::vector<RunningTask>()>& running,
                        const std::function<void(const GraphSnapshot&)>& look) {
  const LockGuard lock(state_.submission_mutex);
  GraphSnapshot snapshot;
  std::vector<const Task*> tasks;
  collect_tasks(state_, snapshot, tasks);
  Walk walk(snapshot, tasks);
  std::unordered_set<const DataRecord*> commuting;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const Task& task = *tasks[i];
    walk.add_successors(i);
    for (const TaskAccess& access : task.data()) {
      if (access.mode() == AccessMode::commute && snapshot.nodes[i].pending == 0) {
        access.data()->visit_tree([&](const DataRecord& record) { commuting.insert(&record); });
      } else if (task.role == TaskRole::host || task.role == TaskRole::combine) {
        snapshot.data.push_back({i, describe(*access.data()), access.mode()});
      }
    }
  }
  for (const DataRecord* record : commuting) walk.add_commute(*record);
  const auto mark = [&](const RunningTask& one, TaskActivity activity) {
    std::uint32_t node = 0;
    if (one.task == nullptr || !walk.find(one.task, node) || has_ended(*one.task)) return;
    TaskNode& found = snapshot.nodes[node];
    if (found.activity == TaskActivity::running) {
      // Several workers may run pieces of one task. The node names the worker that has run the task for longest.
      TaskHelp help{node, one.worker, one.since};
      if (one.since < found.since) {
        std::swap(help.worker, found.worker);
        std::swap(help.since, found.since);
      }
      snapshot.helps.push_back(help);
      return;
    }
    found.activity = activity;
    found.worker = one.worker;
    found.since = one.since;
    found.pieces = one.pieces;
    found.pieces_begun = one.pieces_begun;
  };
  for (const RunningTask& one : running()) mark(one, one.outside ? TaskActivity::outside : TaskActivity::running);
  for (std::size_t i = 0; i < state_.options.workers; ++i) {
    const CallbacksInProgress::Callback callback = state_.workers.callbacks.at(i);
    mark({callback.task, WorkerId(static_cast<std::uint32_t>(i)), callback.since}, TaskActivity::callback);
  }
  snapshot.waits = state_.threads.waiting.all();
  snapshot.window = state_.options.window;
  const Progress now = state_.window.progress();
  snapshot.submitted = now.submitted;
  snapshot.ended = now.ended;
  look(snapshot);
}

}  // namespace troupe::graph
