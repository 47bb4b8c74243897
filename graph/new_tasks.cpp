#include "graph/new_tasks.hpp"

#include <cstring>
#include <memory>

#include "graph/codelets/execution_scope.hpp"
#include "graph/data/reduction.hpp"
#include "graph/holds/parts.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

namespace {

/// Returns the free records that the calling thread takes new tasks from. A kernel on a core takes those of its
/// worker, which this thread alone uses meanwhile: the worker has just freed them, so they are in the core's cache.
inline BlockPool<Task>::Cache& records_here(GraphState& graph) TROUPE_REQUIRES(graph.submission_mutex) {
  const ExecutionScope::Place* const place = ExecutionScope::find(&graph.self);
  if (place == nullptr || !place->worker().valid() || !graph.host.is_core(place->worker())) [[likely]]
    return graph.submission_caches.tasks;
  return graph.workers.caches[place->worker().index()].tasks;
}

/// Does the part of `fill_task` that concerns the options and `TaskSpecification::kept`.
void fill_options(GraphState& graph, Task& task, const TaskSpecification& specification) {
  const TaskOptions& options = specification.options;
  task.priority = graph.options.priorities ? options.priority : 0;
  task.numa_node = options.numa_node;
  const bool limited = is_limited(options);
  if (options.name.empty() && !options.callback && specification.kept == nullptr && !options.nested && !limited) return;
  task.extras = std::make_unique<TaskExtras>();
  task.has_more = true;
  task.extras->name = options.name;
  task.extras->callback = options.callback;
  task.extras->callback_tells = specification.callback_tells;
  if (specification.kept != nullptr) task.extras->kept = *specification.kept;
  if (!limited) return;
  task.withdrawn.store(Withdrawal::limited, std::memory_order_relaxed);
  task.extras->deadline = options.deadline.value_or(task.extras->deadline);
  task.extras->stop = options.stop;
}

/// Called for the first reducing access after other accesses, and for the first other access after reducing accesses.
void begin_or_end_reduction(GraphState& graph, DataRecord& record, TaskList& ready)
    TROUPE_REQUIRES(graph.submission_mutex) {
  if (record.dependencies.open_reduction) return close_reduction(graph, record, ready);
  graph.data.open_reductions.push_back(&record);
  record.dependencies.open_reduction = true;
}

}  // namespace

Task& allocate_task(GraphState& graph, const CodeletDefinition* codelet, std::size_t access_count) {
  Task& task = *graph.memory.tasks.allocate(records_here(graph));
  if (task.has_more) {
    // Free the objects that the last task in this memory left behind.
    task.extras.reset();
    if (task.accesses != task.inline_accesses.data()) delete[] task.accesses;
    task.accesses = task.inline_accesses.data();
    task.has_more = false;
  }
  initialize_task(graph, task, codelet, access_count);
  return task;
}

void initialize_task(GraphState& graph, Task& task, const CodeletDefinition* codelet, std::size_t access_count) {
  task.has_more = access_count > Task::kInlineAccesses;
  // The next task in this memory, or `~Task`, frees the array.
  task.accesses = task.has_more ? new TaskAccess[access_count] : task.inline_accesses.data();
  // The id is stored before the status, as `status_of` requires.
  task.id.store(graph.take_ids(), std::memory_order_release);
  task.status.store(TaskStatus::pending, std::memory_order_release);
  task.withdrawn.store(Withdrawal::none, std::memory_order_relaxed);
  task.successors.store(nullptr, std::memory_order_relaxed);
  task.codelet = codelet;
  task.priority = 0;
  task.numa_node = NumaId{};
  task.access_count = static_cast<std::uint32_t>(access_count);
  task.role = TaskRole::user;
  // The last task in this memory may have left its domain there.
  if (task.nesting.is_child) task.client = {};
  task.nesting.is_child = false;
  task.nesting.may_nest = false;
  task.nesting.on_cores = false;
  task.commute.wants = task.commute.holds = task.issued_ahead = false;
  if (!graph.options.shares_workers) return;
  task.client = {{&graph.self}, {0}};
}

void set_arguments(Task& task, const Arguments& arguments) {
  task.argument_count = static_cast<std::uint8_t>(arguments.size());
  if (arguments.size() == 0) return;
  task.argument_offsets = arguments.offsets();
  task.stored_arguments.marks = arguments.marks();
  std::memcpy(task.stored_arguments.bytes.data(), arguments.bytes().data(), arguments.bytes().size());
}

void set_access(Task& task, std::size_t index, DataRecord& record, AccessMode mode) {
  // Partial results exist only if the data are undivided and the task is no child of a nested task. Otherwise mode
  // commute gives the same result.
  const bool divided = record.parent != nullptr || !record.children.empty();
  if (mode == AccessMode::reduce && (divided || task.nesting.is_child)) mode = AccessMode::commute;
  task.commute.wants = task.commute.wants || mode == AccessMode::commute;
  task.accesses[index] = TaskAccess(&record, mode);
}

void fill_task(GraphState& graph, Task& task, const TaskSpecification& specification) {
  if (has_options(graph, specification)) fill_options(graph, task, specification);
  if (graph.options.shares_workers && !task.nesting.is_child) task.client.tag = specification.tag;
  set_arguments(task, specification.arguments);
  for (std::size_t i = 0; i < specification.accesses.size(); ++i) {
    const Access& access = specification.accesses[i];
    const auto mode = access.mode.value_or(AccessMode::read);
    set_access(task, i, *access.handle.record(), task.codelet->variadic ? mode : task.codelet->modes[i]);
  }
}

void give_up_task(GraphState& graph, Task& task, DependencyBuilder& builder, TaskList& ready) noexcept {
  task.role = TaskRole::host;
  task.codelet = nullptr;
  task.commute.wants = false;
  task.access_count = 0;
  if (task.extras) {
    task.extras->ready_waiter = nullptr;
    task.extras->callback = nullptr;
    task.extras->kept = nullptr;
    task.extras->domain = nullptr;
  }
  if (builder.finish()) ready.push_back(&task);
  activate(graph, ready);
}

void order_by_data(GraphState& graph, Task& task, DependencyBuilder& builder, TaskList& ready) {
  for (const TaskAccess& access : task.data()) {
    const AccessMode mode = access.mode();
    access.data()->visit_tree([&](DataRecord& record) TROUPE_REQUIRES(graph.submission_mutex) {
      if (record.dependencies.open_reduction != (mode == AccessMode::reduce)) [[unlikely]]
        begin_or_end_reduction(graph, record, ready);
      builder.access(record.dependencies, mode);
    });
    if (access.data()->is_halo) [[unlikely]] {
      builder.declare_around(*access.data(),
                             [](DataRecord& record) -> DependencyState& { return record.dependencies; });
    }
  }
}

void close_reduction(GraphState& graph, DataRecord& record, TaskList& ready) {
  Task& task = allocate_task(graph, &graph.own_codelets.combine.definition(), 1);
  task.role = TaskRole::combine;
  set_arguments(task, args(&record, record.reduction->opened_without_content()));
  set_access(task, 0, record, AccessMode::read_write);
  note_name(record, task);
  DependencyBuilder builder(task, graph.memory.edges, graph.submission_caches.edges, graph.options.dependency_trace);
  try {
    builder.access(record.dependencies, AccessMode::read_write);
  } catch (...) {
    give_up_task(graph, task, builder, ready);
    throw;
  }
  record.dependencies.open_reduction = false;
  record.reduction->note_closed();
  std::erase(graph.data.open_reductions, &record);
  graph.note_submitted();
  if (builder.finish()) ready.push_back(&task);
}

void close_reductions(GraphState& graph, TaskList& ready) {
  while (!graph.data.open_reductions.empty()) close_reduction(graph, *graph.data.open_reductions.back(), ready);
}

}  // namespace troupe::graph
