#include "graph/recorded_tasks.hpp"

#include <span>
#include <utility>
#include <vector>

#include "graph/codelets/execution_scope.hpp"
#include "graph/data/dependencies.hpp"
#include "graph/here.hpp"
#include "graph/nesting/checks.hpp"
#include "graph/nesting/rules.hpp"
#include "graph/new_tasks.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

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
  graph.threads.recording.fetch_add(1, std::memory_order_relaxed);
  const LockGuard lock(graph.submission_mutex);
  graph.recordings.open(recording);
  return std::make_unique<RecordingScope>(&graph.self, &recording);
}

void seal_recording(GraphState& graph, Recording& recording) {
  graph.threads.recording.fetch_sub(1, std::memory_order_relaxed);
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
  if (auto valid =
          check_accesses(specification, graph.data.registry, graph.ids.take_mark(), graph.options.device_kinds);
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

}  // namespace troupe::graph
