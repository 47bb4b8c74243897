/// Parts that change while tasks use them, and parts that kernels of nested tasks make.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "graph/codelets/execution_scope.hpp"
#include "graph/data/domain.hpp"
#include "graph/data/measured_kernel.hpp"
#include "graph/data/named_parts.hpp"
#include "graph/here.hpp"
#include "graph/nesting/checks.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/nesting/rules.hpp"
#include "graph/new_tasks.hpp"
#include "graph/ordering.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

void TaskGraph::refuse_parts(DataRecord& record, bool refused) {
  for (DataRecord* part : record.children) part->visit_family([refused](DataRecord& one) { one.refuse(refused); });
}

bool TaskGraph::may_replace(DataRecord& record, std::span<const Block> blocks, bool covers) {
  // Workers walk the lists of the whole and of halo parts without a lock, so these lists change only while nobody uses
  // them.
  const auto has_halos = [](const DataRecord& one) { return !one.halos.empty(); };
  bool flat = covers && record.covered && (state_.options.device_kinds & kOnCores) != 0;
  for (const DataRecord* one = &record; flat && one != nullptr; one = one->parent) flat = !has_halos(*one);
  for (const DataRecord* part : record.children) flat = flat && part->children.empty() && !has_halos(*part);
  // A division that waits may not have its hold yet, and tasks on the new parts might come after this hold.
  if (!flat || state_.data.dividing.contains(record.handle_id()) || in_use(record.dependencies, nullptr)) return false;
  std::uint64_t divisions = state_.data.late.divisions();
  for (const auto& overlapped : DataRegistry::find_overlapped(record, blocks)) divisions += overlapped.size();
  return divisions <= state_.options.late_divisions;
}

void TaskGraph::submit_division(const std::vector<DataRecord*>& former, const LastTasks& last, DataRecord& part,
                                TaskList& ready) {
  Task& task = allocate_task(state_, &state_.own_codelets.divide.definition(), former.size() + 1);
  DependencyBuilder builder(task, state_.memory.edges, state_.submission_caches.edges, state_.options.dependency_trace);
  try {
    for (std::size_t i = 0; i < former.size(); ++i) {
      DataRecord& one = *former[i];
      set_access(task, i, one, AccessMode::read);
      builder.make_room_to_declare(one.dependencies);
      // A writer of the new part must also wait for readers of the former parts. Divisions do not wait for one another.
      for (const TaskReference& before : last.at(&one)) builder.follow(before);
      builder.declare(one.dependencies, AccessMode::read);
    }
    set_access(task, former.size(), part, AccessMode::write);
    builder.access(part.dependencies, AccessMode::write);
  } catch (...) {
    give_up_task(state_, task, builder, ready);
    throw;
  }
  state_.window.note_submitted(1);
  if (builder.finish()) ready.push_back(&task);
}

DataRegistry::NewParts TaskGraph::renew_parts(DataRecord& record, std::span<const Block> blocks) {
  DataRegistry::NewParts parts = state_.data.registry.replace_parts(record, blocks);
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    DataRecord& part = *parts.added[i];
    part.home = record.home;
    part.poisoned.store(false, std::memory_order_relaxed);
    for (const DataRecord* one : parts.overlapped[i]) {
      if (one->poisoned.load(std::memory_order_relaxed))
        poison(state_, part, state_.failures.poison_of(one->handle_id()));
    }
  }
  return parts;
}

std::vector<DataRecord*> TaskGraph::replace_parts(DataRecord& record, std::span<const Block> blocks, TaskList& ready,
                                                  std::vector<std::shared_ptr<LateRelease>>& unused) {
  LastTasks last;
  for (DataRecord* part : record.children) last[part] = last_tasks(part->dependencies, AccessMode::write);
  DataRegistry::NewParts parts = renew_parts(record, blocks);
  std::unordered_map<const DataRecord*, std::uint64_t> divisions;
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    submit_division(parts.overlapped[i], last, *parts.added[i], ready);
    for (const DataRecord* part : parts.overlapped[i]) ++divisions[part];
  }
  for (DataRecord* part : parts.former) {
    const auto late = std::make_shared<LateRelease>();
    // A part without elements counts, too: it is kept until its tasks have ended.
    late->divisions = std::max<std::uint64_t>(1, divisions[part]);
    if (release_late(*part, late, ready)) unused.push_back(late);
  }
  return std::move(parts.added);
}

std::vector<DataRecord*> TaskGraph::replace_unused_parts(DataRecord& record, std::span<const Block> blocks) {
  DataRegistry::NewParts parts = renew_parts(record, blocks);
  if (!parts.keeps_rest && record.poisoned.load(std::memory_order_relaxed)) {
    record.poisoned.store(false, std::memory_order_relaxed);
    state_.failures.cure(record.handle_id());
  }
  for (const DataRecord* part : parts.former) leave_readers(*part);
  for (const DataRecord* part : parts.returned) return_poison(state_, *part);
  for (auto part = parts.former.rbegin(); part != parts.former.rend(); ++part) forget(**part);
  for (DataRecord* part : parts.added) part->dependencies = record.dependencies;
  return std::move(parts.added);
}

Result<void> TaskGraph::divide_at_last(DataRecord& record, std::span<const Block> blocks, std::vector<Handle>& parts,
                                       TaskList& ready) {
  // Other threads may have begun a recording or a reduction meanwhile.
  if (state_.recordings.use(record)) return partitioned_while_recorded(record);
  if (record.dependencies.open_reduction) close_reduction(state_, record, ready);
  const std::vector<DataRecord*> added = replace_unused_parts(record, blocks);
  state_.data.dividing.remove(record.handle_id());
  state_.data.dividing.refuse_new(record, added);
  parts = handles_of(added);
  return {};
}

Result<std::optional<std::vector<Handle>>> TaskGraph::replace_at_once(const Handle& parent,
                                                                      std::span<const Block> blocks, bool may_wait) {
  std::optional<std::vector<Handle>> parts;
  TaskList ready;
  std::vector<std::shared_ptr<LateRelease>> unused;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto found = state_.data.registry.find(parent);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    if (state_.recordings.use(record)) return partitioned_while_recorded(record);
    const auto covers = DataRegistry::check_parts(record, blocks, {});
    if (!covers) return covers.failure();
    if (may_replace(record, blocks, covers.value())) {
      parts = handles_of(replace_parts(record, blocks, ready, unused));
    } else if (may_wait) {
      // The caller waits until no task uses the former parts, and then replaces them. New tasks on these parts are
      // refused from here on, because their parts would be gone before they begin.
      refuse_parts(record, true);
      state_.data.dividing.add(record.handle_id());
    } else {
      return Failure{ErrorCode::wait_in_kernel,
                     describe(record) + " cannot be divided anew without a wait for the tasks that use it"};
    }
  }
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  // The calls go backwards, because `end_late` searches the list of former parts from its end.
  for (auto late = unused.rbegin(); late != unused.rend(); ++late) end_late(**late);
  return parts;
}

Failure TaskGraph::keep_parts(const Handle& handle, const Failure& why) {
  const LockGuard lock(state_.submission_mutex);
  state_.data.dividing.remove(handle.id());
  if (DataRegistry::exists(handle)) refuse_parts(*handle.record(), false);
  return why;
}

Result<std::vector<Handle>> TaskGraph::repartition(const Handle& parent, std::span<const Block> blocks) {
  if (auto here = state_.threads.home.check(); !here) return here.failure();
  if (is_inside_nested(state_)) {
    return Failure{ErrorCode::wait_in_kernel,
                   "data cannot be divided anew in the kernel of a nested task: call repartition in the program"};
  }
  if (recording_here(state_) != nullptr) return waits_in_recording();
  auto at_once = replace_at_once(parent, blocks, true);
  if (!at_once) return at_once.failure();
  if (at_once.value()) return *std::move(at_once).value();
  std::vector<Handle> parts;
  const auto divide = [&](DataRecord& record, TaskList& activated) TROUPE_REQUIRES(state_.submission_mutex) {
    return divide_at_last(record, blocks, parts, activated);
  };
  if (auto outcome = change_undisturbed(parent, false, divide); !outcome) {
    return keep_parts(parent, outcome.failure());
  }
  return parts;
}

Result<BegunRepartition> TaskGraph::begin_repartition(const Handle& parent, std::span<const Block> blocks,
                                                      bool may_wait, std::function<void()> ready) {
  auto at_once = replace_at_once(parent, blocks, may_wait);
  if (!at_once) return at_once.failure();
  if (at_once.value()) return BegunRepartition{*std::move(at_once).value(), nullptr};
  auto pending = begin_change(parent, false, std::move(ready));
  if (!pending) return keep_parts(parent, pending.failure());
  pending.value()->dividing_ = true;
  return BegunRepartition{{}, std::move(pending).value()};
}

Result<std::vector<Handle>> TaskGraph::finish_repartition(PendingHold& pending, std::span<const Block> blocks) {
  pending.note_.reset();
  std::vector<Handle> parts;
  const auto divide = [&](DataRecord& record, TaskList& activated) TROUPE_REQUIRES(state_.submission_mutex) {
    return divide_at_last(record, blocks, parts, activated);
  };
  if (auto outcome = change_held(pending.hold_, pending.handle_, false, divide); !outcome) {
    return keep_parts(pending.handle_, outcome.failure());
  }
  return parts;
}

std::uint64_t TaskGraph::late_divisions() {
  const LockGuard lock(state_.submission_mutex);
  return state_.data.late.divisions();
}

bool TaskGraph::may_divide_anew(const DataRecord& record, const Domain& domain) const {
  if (record.children.empty()) return false;
  if (state_.recordings.use_inside(record)) return false;
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

Result<TaskGraph::ToDivide> TaskGraph::find_to_divide(const Handle& handle) {
  const auto opened = open_domain_here(state_);
  if (!opened) return opened.failure();
  Domain& domain = *opened.value();
  const auto found = state_.data.registry.find(handle, &domain);
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
  if (auto belongs = check_belongs(state_, record, AccessMode::read_write, &domain, moved); !belongs)
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

Result<void> TaskGraph::bring_home_to_divide(const Handle& handle) {
  const DataRecord* record = nullptr;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto found = find_to_divide(handle);
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
    if (auto allowed = state_.host.may_wait_inside(ExecutionScope::find(this)->worker()); !allowed) {
      return Failure{
          allowed.failure().code,
          describe(*record) + " cannot be partitioned here after tasks have used it: " + allowed.failure().message};
    }
  }
  // No lock is needed: only the calling kernel could end the registration of these data, and no task uses them.
  return state_.host.bring_home(*record, AccessMode::read_write);
}

Result<std::vector<Handle>> TaskGraph::partition_inside(const Handle& handle, std::span<const Block> blocks) {
  const bool accelerators = (state_.options.device_kinds & ~kOnCores) != 0;
  if (accelerators) {
    const ExecutionScope::Place* const place = ExecutionScope::find(this);
    if (place != nullptr && place->worker().valid() && !state_.host.is_core(place->worker())) {
      return Failure{ErrorCode::wait_in_kernel,
                     "a kernel on an accelerator cannot partition data, whose parts lie in host memory: restrict the "
                     "nested task to cores (TaskOptions::devices)"};
    }
    if (auto home = bring_home_to_divide(handle); !home) return home.failure();
  }
  std::vector<Handle> handles;
  TaskList ready;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto found = find_to_divide(handle);
    if (!found) return found.failure();
    DataRecord& record = *found.value().record;
    Domain& domain = *found.value().domain;
    for (Recording* recording : state_.recordings.open()) {
      const bool reduced = record.children.empty() && recording->orders(record);
      if (reduced && recording->dependencies_of(record).open_reduction) close_recorded_reduction(*recording, record);
    }
    if (may_divide_anew(record, domain)) {
      if (auto unnamed = check_names(record); !unnamed) return unnamed.failure();
      const auto fits = DataRegistry::check_parts(record, blocks, {});
      if (!fits) return fits.failure();
      state_.recordings.forget_inside(record);
      const std::vector<DataRecord*> added = replace_unused_parts(record, blocks);
      state_.data.dividing.refuse_new(record, added);
      handles = handles_of(added);
    } else if (auto added = add_parts(record, blocks, handles, ready); !added) {
      return added.failure();
    }
    // A kernel that was called in place of a task counts as a nested task that has ended, because only parts that are
    // made in it name their tasks.
    const MeasuredKernel* const kernel = MeasuredKernel::of(ExecutionScope::task_here(this));
    const bool called = kernel != nullptr && kernel->called() != nullptr;
    const TaskReference maker = called ? TaskReference{&state_.called, domain.id} : domain.reference();
    for (const Handle& part : handles) part.record()->made.in = maker;
    // Parts of parts leave the tree together with the outermost parts.
    const bool joins = accelerators && domain.declared(record) != nullptr && record.made.in.id != domain.id;
    const bool known = std::ranges::find(domain.divided, handle.id(), &Handle::id) != domain.divided.end();
    if (joins && !known) domain.divided.push_back(handle);
  }
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  return handles;
}

bool TaskGraph::submit_join(Domain& domain, TaskList& ready) {
  std::vector<DataRecord*> records;
  for (const Handle& one : domain.divided) {
    bool valid = true;
    one.record()->visit_tree(
        [&valid](const DataRecord& part) { valid = valid && !part.poisoned.load(std::memory_order_relaxed); });
    if (valid) records.push_back(one.record());
  }
  if (records.empty()) return false;
  Task& task = allocate_task(state_, &state_.own_codelets.divide.definition(), records.size());
  make_child(state_, task, domain);
  DependencyBuilder builder(task, state_.memory.edges, state_.submission_caches.edges, state_.options.dependency_trace);
  try {
    for (std::size_t i = 0; i < records.size(); ++i) set_access(task, i, *records[i], AccessMode::read_write);
    order_nested(state_, task, TaskOptions::none(), nullptr, builder, ready);
  } catch (...) {
    make_no_child(state_, task);
    give_up_task(state_, task, builder, ready);
    throw;
  }
  join_domain(state_, domain);
  state_.window.note_submitted(1);
  if (builder.finish()) ready.push_back(&task);
  return true;
}

bool TaskGraph::joins_parts(Domain& domain, TaskList& ready) {
  // Only the kernel, which has returned, adds to the list.
  if (domain.divided.empty()) return false;
  const LockGuard lock(state_.submission_mutex);
  std::erase_if(domain.divided, [&](const Handle& one) TROUPE_REQUIRES(state_.submission_mutex) {
    if (!DataRegistry::exists(one)) return true;
    const DataRecord& record = *one.record();
    return !may_divide_anew(record, domain) || !check_names(record);
  });
  try {
    // If the nested task gave up, all data that it declares to write are invalid, so their content may stay where it
    // is.
    if (!std::exchange(domain.joining, true) && !domain.ending().own && submit_join(domain, ready)) return true;
    for (const Handle& one : domain.divided) {
      state_.recordings.forget_inside(*one.record());
      (void)replace_unused_parts(*one.record(), {});
    }
  } catch (const std::bad_alloc&) {
    // There was no memory, so the data stay divided.
  }
  domain.divided.clear();
  return false;
}

}  // namespace troupe::graph
