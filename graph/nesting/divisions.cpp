#include "graph/nesting/divisions.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "graph/codelets/execution_scope.hpp"
#include "graph/data/dependencies.hpp"
#include "graph/data/measured_kernel.hpp"
#include "graph/holds/parts.hpp"
#include "graph/nesting/checks.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/new_tasks.hpp"
#include "graph/recordings.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

namespace {

/// A record that the kernel of a nested task divides, and that task's domain.
struct ToDivide {
  DataRecord* record;
  Domain* domain;
};

/// Returns true if the parts of the record may be replaced for `domain`, as far as no task names them: no recording
/// uses them, and they were made by nested tasks that have ended, or by the parent of `domain` after whose last child
/// this is asked.
bool may_divide_anew(const GraphState& graph, const DataRecord& record, const Domain& domain)
    TROUPE_REQUIRES(graph.submission_mutex) {
  if (record.children.empty()) return false;
  if (graph.recordings.use_inside(record)) return false;
  const Task* const run = run_around(domain.parent);
  if (run != nullptr && run->extras->run->recording->uses_inside(record)) return false;
  bool may = true;
  record.visit_tree([&](const DataRecord& part) {
    // The domain itself asks when its last child has ended.
    const bool made_here = part.made.in.id == domain.id && domain.over.load(std::memory_order_relaxed);
    const bool made_by_ended = part.made.in.id != 0 && (made_here || part.made.in.ended());
    may = may && (&part == &record || (made_by_ended && !part.dependencies.open_reduction));
  });
  return may;
}

/// Returns the record of a handle that the calling kernel may divide. Fails if tasks may use the record.
Result<ToDivide> find_to_divide(GraphState& graph, const Handle& handle) TROUPE_REQUIRES(graph.submission_mutex) {
  const auto opened = open_domain_here(graph);
  if (!opened) return opened.failure();
  Domain& domain = *opened.value();
  const auto found = graph.data.registry.find(handle, &domain);
  if (!found) return found.failure();
  DataRecord& record = *found.value();
  const TaskAccess* const declared = domain.declared(record);
  if (declared != nullptr && !writes(declared->mode())) {
    return Failure{ErrorCode::invalid_argument,
                   describe(record) + " cannot be partitioned in the kernel of " + describe(domain.parent) +
                       ", which declares it in mode read: make halo parts without a rim (Runtime::halos), or declare "
                       "it in mode read_write"};
  }
  std::vector<DataRecord*> moved;
  if (auto belongs = check_belongs(graph, record, AccessMode::read_write, &domain, moved); !belongs)
    return belongs.failure();
  move_home(moved, &domain);
  const DataRecord* undisturbed = declared != nullptr ? declared->data() : &record;
  while (declared == nullptr && undisturbed->parent != nullptr) undisturbed = undisturbed->parent;
  bool used = declared != nullptr && !domain.uses(record);
  undisturbed->visit_tree([&](const DataRecord& part) {
    const DependencyState* const state = domain.find(part);
    used = used || (state != nullptr && in_use(*state, nullptr));
  });
  if (used) {
    return Failure{ErrorCode::wait_in_kernel,
                   describe(record) +
                       " cannot be partitioned while tasks may use it, and partition waits for none in "
                       "a kernel: call it before the children are submitted, and in a nested task "
                       "whose kernel itself declares the data"};
  }
  return ToDivide{&record, &domain};
}

/// Does the first step of `partition_inside` where there are accelerators: brings data that the kernel has registered
/// to host memory, where their parts will lie.
Result<void> bring_home_to_divide(GraphState& graph, const Handle& handle) TROUPE_EXCLUDES(graph.submission_mutex) {
  const DataRecord* record = nullptr;
  {
    const LockGuard lock(graph.submission_mutex);
    const auto found = find_to_divide(graph, handle);
    if (!found) return found.failure();
    record = found.value().record;
    const Domain& domain = *found.value().domain;
    bool touched = false;
    record->visit_tree([&](const DataRecord& part) {
      const DependencyState* const state = domain.find(part);
      touched = touched || (state != nullptr && !(state->writers.empty() && state->readers.empty()));
    });
    // Data that the kernel itself uses are in host memory, and so are data that no task has used yet.
    if (!touched || domain.declared(*record) != nullptr) return {};
    if (auto allowed = graph.host.may_wait_inside(ExecutionScope::find(&graph.self)->worker()); !allowed) {
      return Failure{
          allowed.failure().code,
          describe(*record) + " cannot be partitioned here after tasks have used it: " + allowed.failure().message};
    }
  }
  // No lock is needed: only the calling kernel could end the registration of these data, and no task uses them.
  return graph.host.bring_home(*record, AccessMode::read_write);
}

/// Submits, as the last child, the task that brings the content of `Domain::divided` to host memory. Data with
/// invalid parts are left out. Returns false if there are no other data.
bool submit_join(GraphState& graph, Domain& domain, TaskList& ready) TROUPE_REQUIRES(graph.submission_mutex) {
  std::vector<DataRecord*> records;
  for (const Handle& one : domain.divided) {
    bool valid = true;
    one.record()->visit_tree(
        [&valid](const DataRecord& part) { valid = valid && !part.poisoned.load(std::memory_order_relaxed); });
    if (valid) records.push_back(one.record());
  }
  if (records.empty()) return false;
  Task& task = allocate_task(graph, &graph.own_codelets.divide.definition(), records.size());
  make_child(graph, task, domain);
  DependencyBuilder builder(task, graph.memory.edges, graph.submission_caches.edges, graph.options.dependency_trace);
  try {
    for (std::size_t i = 0; i < records.size(); ++i) set_access(task, i, *records[i], AccessMode::read_write);
    order_nested(graph, task, TaskOptions::none(), nullptr, builder, ready);
  } catch (...) {
    make_no_child(graph, task);
    give_up_task(graph, task, builder, ready);
    throw;
  }
  join_domain(graph, domain);
  graph.note_submitted();
  if (builder.finish()) ready.push_back(&task);
  return true;
}

}  // namespace

Result<std::vector<Handle>> partition_inside(GraphState& graph, const Handle& handle, std::span<const Block> blocks) {
  const bool accelerators = (graph.options.device_kinds & ~kOnCores) != 0;
  if (accelerators) {
    const ExecutionScope::Place* const place = ExecutionScope::find(&graph.self);
    if (place != nullptr && place->worker().valid() && !graph.host.is_core(place->worker())) {
      return Failure{ErrorCode::wait_in_kernel,
                     "a kernel on an accelerator cannot partition data, whose parts lie in host memory: restrict the "
                     "nested task to cores (TaskOptions::devices)"};
    }
    if (auto home = bring_home_to_divide(graph, handle); !home) return home.failure();
  }
  std::vector<Handle> handles;
  TaskList ready;
  {
    const LockGuard lock(graph.submission_mutex);
    const auto found = find_to_divide(graph, handle);
    if (!found) return found.failure();
    DataRecord& record = *found.value().record;
    Domain& domain = *found.value().domain;
    for (Recording* recording : graph.recordings.open()) {
      const bool reduced = record.children.empty() && recording->orders(record);
      if (reduced && recording->dependencies_of(record).open_reduction)
        close_recorded_reduction(graph, *recording, record);
    }
    if (may_divide_anew(graph, record, domain)) {
      if (auto unnamed = check_names(record); !unnamed) return unnamed.failure();
      const auto fits = DataRegistry::check_parts(record, blocks, {});
      if (!fits) return fits.failure();
      graph.recordings.forget_inside(record);
      const std::vector<DataRecord*> added = replace_unused_parts(graph, record, blocks);
      graph.data.dividing.refuse_new(record, added);
      handles = handles_of(added);
    } else if (auto added = add_parts(graph, record, blocks, handles, ready); !added) {
      return added.failure();
    }
    // A kernel that was called in place of a task counts as a nested task that has ended, because only parts that are
    // made in it name their tasks.
    const MeasuredKernel* const kernel = MeasuredKernel::of(ExecutionScope::task_here(&graph.self));
    const bool called = kernel != nullptr && kernel->called() != nullptr;
    const TaskReference maker = called ? TaskReference{&graph.called, domain.id} : domain.reference();
    for (const Handle& part : handles) part.record()->made.in = maker;
    // Parts of parts leave the tree together with the outermost parts.
    const bool joins = accelerators && domain.declared(record) != nullptr && record.made.in.id != domain.id;
    const bool known = std::ranges::find(domain.divided, handle.id(), &Handle::id) != domain.divided.end();
    if (joins && !known) domain.divided.push_back(handle);
  }
  activate(graph, ready);
  return handles;
}

bool joins_parts(GraphState& graph, Domain& domain, TaskList& ready) {
  // Only the kernel, which has returned, adds to the list.
  if (domain.divided.empty()) return false;
  const LockGuard lock(graph.submission_mutex);
  std::erase_if(domain.divided, [&](const Handle& one) TROUPE_REQUIRES(graph.submission_mutex) {
    if (!DataRegistry::exists(one)) return true;
    const DataRecord& record = *one.record();
    return !may_divide_anew(graph, record, domain) || !check_names(record);
  });
  try {
    // If the nested task gave up, all data that it declares to write are invalid, so their content may stay where it
    // is.
    if (!std::exchange(domain.joining, true) && !domain.ending().own && submit_join(graph, domain, ready)) return true;
    for (const Handle& one : domain.divided) {
      graph.recordings.forget_inside(*one.record());
      (void)replace_unused_parts(graph, *one.record(), {});
    }
  } catch (const std::bad_alloc&) {
    // There was no memory, so the data stay divided.
  }
  domain.divided.clear();
  return false;
}

}  // namespace troupe::graph
