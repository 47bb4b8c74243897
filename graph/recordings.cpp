#include "graph/recordings.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/cancellation.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/dependencies.hpp"
#include "graph/here.hpp"
#include "graph/holds/parts.hpp"
#include "graph/holds/waits.hpp"
#include "graph/nesting/checks.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/nesting/rules.hpp"
#include "graph/new_tasks.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

namespace {

/// Returns the accesses of a recorded task, including its weak data.
std::vector<TaskAccess> accesses_of(const RecordedTask& task) {
  std::vector<TaskAccess> accesses(task.data().begin(), task.data().end());
  if (task.extras)
    accesses.insert(accesses.end(), task.extras->recorded_weak.begin(), task.extras->recorded_weak.end());
  return accesses;
}

RecordedTask& add_recorded(GraphState& graph, Recording& recording, const CodeletDefinition* codelet,
                           std::size_t access_count) TROUPE_REQUIRES(graph.submission_mutex) {
  RecordedTask& task = recording.add();
  initialize_task(graph, task, codelet, access_count);
  task.role = TaskRole::recorded;
  return task;
}

void infer_recorded(GraphState& graph, Recording& recording, RecordedTask& task, std::span<const Future> after)
    TROUPE_REQUIRES(graph.submission_mutex) {
  // Open reductions of the task's data get their combining tasks before this task, just as outside of recordings.
  for (const TaskAccess& access : accesses_of(task)) {
    if (access.mode() == AccessMode::reduce) continue;
    access.data()->visit_tree([&](DataRecord& record) TROUPE_REQUIRES(graph.submission_mutex) {
      if (recording.dependencies_of(record).open_reduction) close_recorded_reduction(graph, recording, record);
    });
  }
  // The states of all parts must exist before the task is added to any state, because a new state of a part is a copy
  // of the state of its whole.
  for (const TaskAccess& access : accesses_of(task)) {
    access.data()->visit_tree([&](const DataRecord& record) { (void)recording.dependencies_of(record); });
  }
  DependencyBuilder builder(task, graph.memory.edges, graph.submission_caches.edges);
  for (const TaskAccess& access : accesses_of(task)) {
    access.data()->visit_tree([&](DataRecord& record) {
      DependencyState& state = recording.dependencies_of(record);
      if (access.mode() == AccessMode::reduce && !std::exchange(state.open_reduction, true)) {
        recording.open_reductions().push_back(&record);
      }
      builder.access(state, access.mode());
    });
    if (access.data()->is_halo) {
      builder.declare_around(*access.data(),
                             [&](DataRecord& record) -> DependencyState& { return recording.dependencies_of(record); });
    }
  }
  for (const Future& future : after) builder.after({recording.find(future.id()), future.id().value()});
  builder.finish();
  recording.note_uses(task);
}

}  // namespace

Result<std::unique_ptr<RecordingScope>> begin_recording(GraphState& graph, Recording& recording) {
  if (auto here = graph.threads.home.check(); !here) return here.failure();
  if (recording_here(graph) != nullptr) {
    return records_in_recording();
  }
  if (ExecutionScope::find(&graph.self) != nullptr) {
    return records_in_kernel();
  }
  graph.gate.recording_threads.fetch_add(1, std::memory_order_relaxed);
  const LockGuard lock(graph.submission_mutex);
  graph.recordings.open(recording);
  return std::make_unique<RecordingScope>(&graph.self, &recording);
}

void seal_recording(GraphState& graph, Recording& recording) {
  graph.gate.recording_threads.fetch_sub(1, std::memory_order_relaxed);
  const LockGuard lock(graph.submission_mutex);
  graph.recordings.close(recording);
  while (!recording.open_reductions().empty()) {
    close_recorded_reduction(graph, recording, *recording.open_reductions().back());
  }
  recording.seal(graph.memory.edges, graph.submission_caches.edges);
}

Result<Future> record_task(GraphState& graph, Recording& recording, const TaskSpecification& specification) {
  const bool nests = speaks_of_nesting(specification.options);
  if (nests) {
    if (auto valid = check_nested(specification, graph.options.nesting); !valid) return valid.failure();
  }
  if (is_limited(specification.options)) return limited_in_recording(specification.codelet);
  const LockGuard lock(graph.submission_mutex);
  for (const Future& future : specification.options.after) {
    if (future.task() == nullptr && recording.find(future.id()) != nullptr) continue;
    return unrecorded_dependency(specification.codelet);
  }
  if (auto valid = check_accesses(specification, graph.data.registry, graph.take_mark(), graph.options.device_kinds);
      !valid)
    return valid.failure();
  if (nests) {
    std::vector<DataRecord*> moves;
    if (auto valid = check_weak(graph, specification, nullptr, moves); !valid) return valid.failure();
    move_home(moves, nullptr);
  }
  RecordedTask& task =
      add_recorded(graph, recording, &specification.codelet.definition(), specification.accesses.size());
  fill_task(graph, task, specification);
  if (nests) {
    task.role = TaskRole::recorded_nested;
    task.extras->recorded_weak = weak_accesses(specification.options);
  }
  infer_recorded(graph, recording, task, specification.options.after);
  return Future(&graph.self, nullptr, task.task_id());
}

void close_recorded_reduction(GraphState& graph, Recording& recording, DataRecord& record) {
  recording.dependencies_of(record).open_reduction = false;
  std::erase(recording.open_reductions(), &record);
  RecordedTask& task = add_recorded(graph, recording, &graph.own_codelets.combine.definition(), 1);
  set_arguments(task, args(&record, false));
  set_access(task, 0, record, AccessMode::read_write);
  infer_recorded(graph, recording, task, {});
}

Result<Future> replay(GraphState& graph, const std::shared_ptr<Recording>& recording,
                      std::span<const Rebinding> rebindings, std::uint64_t tag) {
  if (auto here = graph.threads.home.check(); !here) return here.failure();
  if (recording_here(graph) != nullptr) return runs_in_recording();
  if (is_inside_nested(graph)) return runs_in_nested(*recording);
  if (!graph.window.surely_has_room()) {
    if (auto room = wait_for_room(graph); !room) return room.failure();
  }
  TaskList ready;
  Future future;
  // Declared before the lock: the destruction of the program's functions in a recording may call this graph.
  std::vector<std::shared_ptr<Recording>> dropped;
  {
    const LockGuard lock(graph.submission_mutex);
    if (graph.gate.stopped.load(std::memory_order_relaxed)) {
      return takes_no_runs(*recording);
    }
    auto data = rebind(*recording, graph.data.registry, rebindings);
    if (!data) return data.failure();
    if (auto valid = check_uses(*recording, data.value(), graph.take_mark()); !valid) return valid.failure();
    if (graph.data.registry.any_to_check()) {
      if (auto usable = check_usable(*recording, data.value()); !usable) return usable.failure();
    }
    const auto orders = [&](std::size_t i) { return !recording->uses()[i].inside_another; };
    std::size_t count = 0;
    for (std::size_t i = 0; i < data.value().size(); ++i) count += orders(i) ? 1 : 0;
    Task& task = allocate_task(graph, &graph.own_codelets.replay.definition(), count);
    task.role = TaskRole::replay;
    if (graph.options.shares_workers) task.client.tag = tag;
    DependencyBuilder builder(task, graph.memory.edges, graph.submission_caches.edges);
    try {
      std::size_t index = 0;
      for (std::size_t i = 0; i < data.value().size(); ++i) {
        if (orders(i)) task.accesses[index++] = TaskAccess(data.value()[i], recording->uses()[i].mode);
      }
      task.extras = std::make_unique<TaskExtras>();
      task.has_more = true;
      task.extras->name = recording->name();
      task.extras->run = std::make_unique<RecordingRun>();
      *task.extras->run = {recording, std::move(data).value(), graph.take_ids(recording->size())};
      if (graph.data.registry.any_to_check()) {
        task.extras->run->without_content = find_without_content(*recording, task.extras->run->data);
        task.extras->run->unwritten = find_unwritten(*recording, task.extras->run->data);
      }
      order_by_data(graph, task, builder, ready);
      note_names(task);
      dropped = graph.recordings.keep(recording);
      // Runs of one recording never overlap, even if they use different data.
      TaskReference& last = recording->last_run();
      if (last.task != nullptr) builder.follow(last);
      last = {&task, task.task_id().value()};
    } catch (...) {
      give_up_task(graph, task, builder, ready);
      throw;
    }
    if (graph.data.registry.any_to_check()) note_written(graph.data.registry, *recording, task.extras->run->data);
    future = {&graph.self, &task, task.task_id()};
    graph.note_submitted(1 + recording->size());
    if (builder.finish()) ready.push_back(&task);
  }
  if (!ready.empty()) {
    const ExecutionScope::Place* scope = ExecutionScope::find(&graph.self);
    graph.host.activate(ready, scope != nullptr ? scope->worker() : WorkerId{});
  }
  return future;
}

Begin begin_replay(GraphState& graph, Task& task, WorkerId worker, TaskList& ready) {
  // The run's data are not checked here: a recorded task that lacks valid input ends as cancelled.
  Recording& recording = *task.extras->run->recording;
  if (const auto cause = why_withdrawn(graph, task)) {
    // One call reports all tasks, because a client can have billions of tasks in runs that have not begun.
    if (graph.options.endings != nullptr && recording.size() > 0)
      graph.options.endings->cancelled_unbegun(recording.size());
    graph.workers.completed.count(worker.index(), recording.size());
    poison_written(graph, *task.extras->run, cause);
    finish_task(graph, task, {TaskStatus::cancelled, cause, cause, worker.index(), worker, true}, ready);
    return Begin::ended;
  }
  if (recording.size() == 0) {
    finish_task(graph, task, {TaskStatus::succeeded, nullptr, nullptr, worker.index(), worker, true}, ready);
    return Begin::ended;
  }
  recording.begin_run(task, ready);
  return Begin::parked;
}

Begin begin_recorded_nested(GraphState& graph, RecordedTask& task, TaskList& ready) {
  auto extras = std::make_unique<TaskExtras>();
  extras->name = task.extras->name;
  // The new task calls the recorded task's own callback, whose state must survive from run to run.
  if (task.extras->callback) {
    extras->callback = [&task](const TaskOutcome& outcome) { task.extras->callback(outcome); };
    extras->callback_tells = task.extras->callback_tells;
  }
  extras->kept = task.extras->kept;
  extras->stands_for = &task;
  const LockGuard lock(graph.submission_mutex);
  Task& nested = allocate_task(graph, task.codelet, task.access_count);
  // The new task gets the id of the recorded task in this run, because traces and messages name that id.
  nested.id.store(task.task_id().value(), std::memory_order_release);
  nested.pending.store(0, std::memory_order_relaxed);
  nested.withdrawn.store(task.withdrawn.load(std::memory_order_relaxed), std::memory_order_relaxed);
  nested.priority = task.priority;
  nested.numa_node = task.numa_node;
  std::ranges::copy(task.data(), nested.accesses);
  nested.argument_count = task.argument_count;
  nested.argument_offsets = task.argument_offsets;
  nested.stored_arguments = task.stored_arguments;
  nested.role = TaskRole::stand_in;
  nested.extras = std::move(extras);
  nested.has_more = true;
  open_domain(graph, nested, task.extras->recorded_weak);
  for (const RecordingRun::Unwritten& one : task.recording->run_task()->extras->run->unwritten) {
    if (one.nested == &task) nested.own_domain()->unwritten.push_back(one.part);
  }
  task.extras->begun_as = task.task_id().value();
  ready.push_back(&nested);
  return Begin::parked;
}

void end_replay(GraphState& graph, Recording& recording, std::size_t slot, WorkerId worker, TaskList& ready) {
  const FailureLog::Cause first = recording.take_cause();
  FailureLog::Cause cause = first;
  Task& run_task = recording.end_run();
  TaskStatus status = TaskStatus::succeeded;
  if (cause) {
    status = cause->code == ErrorCode::cancelled ? TaskStatus::cancelled : TaskStatus::failed;
    cause = std::make_shared<Failure>(
        Failure{cause->code, "a run of the recorded graph '" + recording.name() + "': " + cause->message});
  }
  finish_task(graph, run_task, {status, cause, first, slot, worker, true}, ready);
}

}  // namespace troupe::graph
