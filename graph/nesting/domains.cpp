#include "graph/nesting/domains.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "graph/here.hpp"
#include "graph/new_tasks.hpp"
#include "graph/submission_checks.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

Result<Domain*> open_domain_here(GraphState& graph) {
  const Task* const here = nesting_task_here(graph);
  if (here == nullptr || here->own_domain() != nullptr) return here != nullptr ? here->own_domain() : nullptr;
  if (here->commute.wants || here->codelet->pieces != nullptr) {
    return Failure{ErrorCode::invalid_argument,
                   describe(*here) +
                       " belongs to a nested task, and submits a task itself, which tasks that commute "
                       "and tasks made of pieces cannot: submit it in the kernel of the nested task"};
  }
  const KindSet accelerators = graph.options.device_kinds & ~kOnCores;
  if (accelerators != 0 && (here->codelet->kinds() & accelerators) != 0) {
    // The task cannot become nested, because its device may already have queued later tasks behind it.
    return Failure{ErrorCode::invalid_argument,
                   describe(*here) +
                       " belongs to a nested task, may run on accelerators, and submits a task itself: "
                       "submit it with TaskOptions::nested, or restrict it to cores"};
  }
  // The cast is allowed because the task belongs to this graph; the task is const only for the code that runs it.
  Task& task = const_cast<Task&>(*here);
  if (!task.extras) task.extras = std::make_unique<TaskExtras>();
  std::atomic_ref<bool>(task.has_more).store(true, std::memory_order_relaxed);
  task.extras->domain = std::make_unique<Domain>(task);
  task.extras->domain->on_cores = task.nesting.on_cores;
  cure_written(graph, task);
  return task.extras->domain.get();
}

TaskReference home_of_new_data(GraphState& graph) {
  // The first submission of a call (`async`) would open the domain too late: its data would belong to those around it.
  const Task* const here = graph.nesting.any.load(std::memory_order_relaxed) ? nesting_task_here(graph) : nullptr;
  if (here != nullptr && here->nesting.may_nest) [[maybe_unused]]
    const auto opened = open_domain_here(graph);
  return home_here(graph);
}

void open_domain(GraphState& graph, Task& task, std::vector<TaskAccess> weak) {
  task.extras->domain = std::make_unique<Domain>(task);
  task.extras->domain->weak = std::move(weak);
  task.extras->domain->on_cores = task.nesting.on_cores;
  graph.nesting.any.store(true, std::memory_order_relaxed);
}

void allow_nesting(GraphState& graph, Task& task) {
  task.nesting.may_nest = true;
  // With `has_more`, the task's end looks at `extras`, where its children may be.
  task.has_more = true;
  graph.nesting.any.store(true, std::memory_order_relaxed);
}

const CodeletDefinition* on_cores_only(GraphState& graph, const Codelet& codelet) {
  const CodeletDefinition& definition = codelet.definition();
  const bool runs_there = (definition.kinds() & graph.options.device_kinds & kOnCores) != 0;
  // The graph knows its own codelets by their addresses, and they are for cores where there are any.
  if (definition.internal) return runs_there ? &definition : nullptr;
  // A restriction to named devices is not combined with another one, since a graph keeps few such restrictions.
  if (!runs_there || !definition.devices.choices().empty()) return nullptr;
  const DeviceSet devices = definition.devices & DeviceSet::of_kinds(kOnCores);
  if ((devices.kinds() & definition.kinds() & graph.options.device_kinds) == 0) return nullptr;
  const auto restricted = graph.codelets.only_on(codelet, devices, graph.options.most_named_devices,
                                                 [&] { return graph.host.find_devices(devices); });
  return restricted ? &restricted.value()->definition() : nullptr;
}

Result<void> check_budget(GraphState& graph) {
  return graph.options.nesting.budget != nullptr ? graph.options.nesting.budget->check_child() : Result<void>();
}

void make_child(const GraphState& graph, Task& task, Domain& domain) {
  task.nesting.is_child = true;
  task.nesting.on_cores = domain.on_cores;
  task.client.domain = &domain;
  if (graph.options.dependency_trace != nullptr && !graph.options.shares_workers) {
    task.client.submitted = graph.options.dependency_trace->now().count();
  }
}

void make_no_child(GraphState& graph, Task& task) {
  if (task.nesting.is_child) task.client = {{graph.options.shares_workers ? &graph.self : nullptr}, {0}};
  task.nesting.is_child = false;
  task.nesting.on_cores = false;
}

void join_domain(GraphState& graph, Domain& domain) {
  domain.any_child.store(true, std::memory_order_relaxed);
  domain.joined.fetch_add(1, std::memory_order_relaxed);
  // Relaxed: the parent's kernel or another child is still counted, or only this thread knows of the domain any more
  // (`joins_parts`).
  domain.open.fetch_add(1, std::memory_order_relaxed);
  if (graph.options.nesting.budget != nullptr) graph.options.nesting.budget->child_added();
}

void order_nested(GraphState& graph, Task& task, const TaskOptions& options, const Codelet* codelet,
                  DependencyBuilder& builder, TaskList& ready) {
  if (options.nested) open_domain(graph, task, weak_accesses(options));
  Domain* const outer = task.outer_domain();
  Domain* const own = task.own_domain();
  const auto state_of = [&](DataRecord& record) TROUPE_REQUIRES(graph.submission_mutex) -> DependencyState& {
    if (outer == nullptr && record.dependencies.open_reduction) close_reduction(graph, record, ready);
    return state_in(outer, record);
  };
  // The states of all parts must exist before the task is added to any state, because a new state of a part is a copy
  // of the state of its whole.
  const auto prepare = [&](DataRecord& record) TROUPE_REQUIRES(graph.submission_mutex) { (void)state_of(record); };
  for (const TaskAccess& access : task.data()) access.data()->visit_tree(prepare);
  if (own != nullptr) {
    for (const TaskAccess& access : own->weak) {
      access.data()->visit_tree(prepare);
      access.data()->visit_tree(
          [&](DataRecord& record) TROUPE_REQUIRES(graph.submission_mutex) { own->inherit(record, state_of(record)); });
    }
  }
  // If there are devices with memory of their own, a child that uses the data of its parent's kernel waits for this
  // kernel: the data must not move while the kernel uses them.
  const bool moves = outer != nullptr && (graph.options.device_kinds & ~kOnCores) != 0;
  if (moves && outer->on_cores && codelet != nullptr) {
    // `check_nesting` has found out that there is such a codelet.
    if (const CodeletDefinition* const on_cores = on_cores_only(graph, *codelet)) task.codelet = on_cores;
  }
  const auto wait_for_kernel = [&](const DataRecord& record) {
    if (!moves || outer->over.load(std::memory_order_relaxed) || !outer->uses(record)) return;
    const TaskReference self{&task, task.task_id().value()};
    std::vector<Domain::Follower>& followers = outer->followers;
    if (followers.empty() || followers.back().task.task != self.task || followers.back().task.id != self.id) {
      followers.push_back({self, codelet != nullptr ? std::optional(*codelet) : std::nullopt});
    }
    builder.follow(outer->reference());
  };
  for (const TaskAccess& access : task.data()) {
    access.data()->visit_tree([&](DataRecord& record) TROUPE_REQUIRES(graph.submission_mutex) {
      builder.access(state_of(record), access.mode());
      wait_for_kernel(record);
    });
    if (access.data()->is_halo) builder.declare_around(*access.data(), state_of);
  }
  if (own == nullptr) return;
  for (const TaskAccess& access : own->weak) access.data()->visit_tree(wait_for_kernel);
}

void declare_weak(GraphState& graph, Task& task, DependencyBuilder& builder) {
  Domain* const outer = task.outer_domain();
  const Domain* const own = task.own_domain();
  if (own == nullptr) return;
  note_unwritten(graph, *task.own_domain());
  for (const TaskAccess& access : own->weak) {
    access.data()->visit_tree([&](DataRecord& record) { builder.make_room_to_declare(state_in(outer, record)); });
  }
  // Nothing below throws.
  for (const TaskAccess& access : own->weak) {
    access.data()->visit_tree([&](DataRecord& record) { builder.declare(state_in(outer, record), access.mode()); });
  }
}

}  // namespace troupe::graph
