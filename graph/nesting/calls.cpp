#include "graph/nesting/calls.hpp"

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/domain.hpp"
#include "graph/data/measured_kernel.hpp"
#include "graph/data/usable.hpp"
#include "graph/here.hpp"
#include "graph/nesting/checks.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/nesting/kernel_waits.hpp"
#include "graph/submission.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe::graph {

namespace {

/// Kernels with more data than this are not called at once.
constexpr std::size_t kMostData = 4;
/// The number of nested tasks around a task among which `learn_time` looks for a task of the same class.
constexpr int kLevelsAround = 8;

/// Returns true if a kernel with these options can be called at once instead of becoming a task.
bool may_be_called(const TaskSpecification& specification, const CodeletDefinition& definition, WorkerId worker) {
  const TaskOptions& options = specification.options;
  if (specification.may_nest || specification.resumes_after != nullptr) return false;
  if (!options.after.empty() || options.callback || is_limited(options) || !options.weak.empty()) return false;
  // Only the kernel of a task can ask its context whether the task was cancelled, so the kernel must not take the
  // context.
  if (!definition.typed || definition.variadic || definition.takes_context || definition.pieces != nullptr ||
      definition.team.kernel || definition.prologue != nullptr || definition.ended != nullptr) {
    return false;
  }
  return specification.accesses.size() <= kMostData && definition.runs_on(DeviceKind::cpu_core, worker);
}

/// Returns the id of one more call. Tasks never have such ids, so a future with this id counts as the future of a task
/// that has ended.
TaskId next_called_id() {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 62U;
  static std::atomic<std::uint64_t> threads{0};
  thread_local std::uint64_t next = kFirst + (threads.fetch_add(1, std::memory_order_relaxed) << 40U);
  return TaskId(next++);
}

std::uint64_t bytes_of(const Task& task) {
  std::uint64_t bytes = 0;
  for (const TaskAccess& access : task.data()) bytes += access.data()->view.layout.payload().count;
  return bytes;
}

/// Returns a lower bound of the ids of all data whose registration begins after this call.
[[nodiscard]] std::uint64_t next_handle_id(const GraphState& graph) TROUPE_NO_THREAD_SAFETY_ANALYSIS {
  return graph.data.registry.next_id();
}

/// Returns true if a child of the domain may use the data now, because nobody else uses them.
bool may_use_at_once(GraphState& graph, const TaskSpecification& specification, Domain& domain)
    TROUPE_EXCLUDES(graph.submission_mutex) {
  const CodeletDefinition& definition = specification.codelet.definition();
  const std::span<const Access> accesses = specification.accesses;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    DataRecord* const record = simple_access(definition, accesses[i], i, graph.self);
    if (record == nullptr) return false;
    const AccessMode mode = definition.modes[i];
    if (mode == AccessMode::commute || (record->content.read_only && writes(mode))) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const DataRecord& other = *accesses[j].handle.record();
      const bool overlap = record->contains(other) || other.contains(*record);
      if (overlap && (writes(mode) || writes(definition.modes[j])) && !record->is_halo && !other.is_halo) return false;
    }
    // A call that is not allowed is submitted as a task: the submission refuses it and says why.
    if (!check_called(graph, *record, mode, domain)) return false;
    if (const TaskAccess* const declared = domain.declared(*record)) {
      if (writes(mode) && !writes(declared->mode())) return false;
      continue;
    }
    // The calling kernel has made these data, and nobody else uses them.
    if (record->home.id != domain.id) return false;
    bool unwritten = false;
    record->visit_tree([&unwritten](const DataRecord& part) { unwritten = unwritten || part.content.unwritten; });
    if (!unwritten) continue;
    if (reads(mode)) return false;
    const LockGuard lock(graph.submission_mutex);
    note_written(graph.data.registry, *record, mode);
  }
  return true;
}

/// Submits a task in place of a call that threw: the task fails with the same exception.
Result<Future> submit_failing(GraphState& graph, const TaskSpecification& specification,
                              const std::exception_ptr& thrown) TROUPE_EXCLUDES(graph.submission_mutex) {
  const Codelet& failing = graph.failing.in_place_of(specification.codelet.definition());
  const std::shared_ptr<const void> kept = std::make_shared<std::exception_ptr>(thrown);
  const Arguments arguments = args(static_cast<const std::exception_ptr*>(kept.get()));
  TaskSpecification instead{failing, specification.accesses, arguments, specification.options};
  instead.kept = &kept;
  return submit_unrestricted(graph, instead);
}

}  // namespace

void learn_time(GraphState& graph, Task& task, const TaskSpecification& specification) {
  const Domain* const outer = task.outer_domain();
  if (!specification.options.nested && (outer == nullptr || !outer->parent.learns_time())) return;
  const CodeletDefinition& definition = specification.codelet.definition();
  if (!task.extras) task.extras = std::make_unique<TaskExtras>();
  task.has_more = true;
  task.extras->subtree = SubtreeTimes::class_of(definition, task.data(), specification.arguments);
  // If a nested task around this task has the same class and no larger data, the recursion becomes smaller only in what
  // the kernels have captured. The times of the class are then useless.
  const Domain* around = outer;
  for (int level = 0; around != nullptr && level < kLevelsAround; ++level) {
    const Task& parent = around->parent;
    const bool same = parent.extras->subtree == task.extras->subtree;
    if (same && bytes_of(task) >= bytes_of(parent)) graph.subtree_times->distrust(task.extras->subtree);
    around = parent.outer_domain();
  }
  if (MeasuredKernel* const kernel = MeasuredKernel::of(ExecutionScope::task_here(&graph.self))) {
    kernel->submitted(task.extras->subtree);
  }
}

CallPlace call_place(const GraphState& graph) {
  if (!graph.nesting.any.load(std::memory_order_relaxed)) return {};
  const Task* const here = nesting_task_here(graph);
  if (here == nullptr) return {};
  const ExecutionScope::Place* const scope = ExecutionScope::find(&graph.self);
  // The members of a team may submit at the same time, so their numbers of children would be mixed.
  if (scope == nullptr || !scope->worker().valid() || here->codelet->team.kernel != nullptr) return {};
  const Domain* const own = here->own_domain();
  CallPlace place{here, own != nullptr ? own->joined.load(std::memory_order_relaxed) : 0};
  // A kernel that is called at once may have to wait for the tasks that it submits. Such waits may be refused if there
  // are accelerators, and are while the calling kernel holds data.
  if ((graph.options.device_kinds & ~kOnCores) != 0 || recording_here(graph) != nullptr) return place;
  if (own != nullptr && own->held.load(std::memory_order_relaxed) != 0) return place;
  place.at_once = graph.host.has_enough(scope->worker()) && check_waits_inside(graph).ok();
  place.failed = place.at_once && own != nullptr && own->ending().status != TaskStatus::succeeded;
  if (place.at_once) place.first_handle = next_handle_id(graph);
  return place;
}

Result<void> end_call(GraphState& graph, CallPlace& place, std::uint64_t got) {
  const Domain* const own = nesting_task_here(graph)->own_domain();
  const std::uint64_t children = own != nullptr ? own->joined.load(std::memory_order_relaxed) : 0;
  const std::uint64_t before = std::exchange(place.children, children);
  if (children - before == got) return {};
  const Result<void> ended = wait_for_children_here(graph);
  return place.failed ? Result<void>() : ended;
}

std::optional<Future> call_at_once(GraphState& graph, const TaskSpecification& specification) {
  const Task* const here = nesting_task_here(graph);
  MeasuredKernel* const kernel = here != nullptr ? MeasuredKernel::of(here) : nullptr;
  if (kernel == nullptr || !kernel->small()) return std::nullopt;
  const CodeletDefinition& definition = specification.codelet.definition();
  const WorkerId worker = ExecutionScope::find(&graph.self)->worker();
  if (!worker.valid() || !may_be_called(specification, definition, worker)) return std::nullopt;
  Domain* domain = here->own_domain();
  if (domain == nullptr) {
    const LockGuard lock(graph.submission_mutex);
    const auto opened = open_domain_here(graph);
    if (!opened) return std::nullopt;
    domain = opened.value();
  }
  // A task of the domain may use the data, or may have failed, so the kernel must become a task.
  if (domain->any_child.load(std::memory_order_relaxed)) return std::nullopt;
  if (!graph.host.has_stack() || !may_use_at_once(graph, specification, *domain)) return std::nullopt;
  std::array<const DataView*, kMostData> views{};
  const std::span<const Access> accesses = specification.accesses;
  for (std::size_t i = 0; i < accesses.size(); ++i) views[i] = &accesses[i].handle.record()->view;
  KernelContext context({views.data(), accesses.size()}, specification.arguments.view());
  context.worker = worker;
  context.task = here->task_id();
  const CalledKernel called{definition, accesses, specification.options.name, next_handle_id(graph), kernel->called()};
  kernel->set_called(&called);
  try {
    definition.kernel_for(DeviceKind::cpu_core)(context);
    kernel->set_called(called.caller);
  } catch (...) {
    kernel->set_called(called.caller);
    kernel->stop_calling();
    auto failing = submit_failing(graph, specification, std::current_exception());
    if (failing) return failing.value();
    throw;
  }
  return Future(&graph.self, &graph.called, next_called_id());
}

}  // namespace troupe::graph
