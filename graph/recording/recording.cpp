#include "graph/recording/recording.hpp"

#include <algorithm>
#include <utility>

#include "graph/data/domain.hpp"
#include "graph/recording/recorded_order.hpp"
#include "graph/tasks/task_waiter.hpp"
#include "proto/mutex.hpp"
#include "troupe/access.hpp"

namespace troupe::graph {

namespace {
thread_local const RecordingScope* innermost = nullptr;
}

TaskExtras::TaskExtras() = default;
TaskExtras::~TaskExtras() = default;

RecordingScope::RecordingScope(const TaskOwner* owner, Recording* recording)
    : owner_(owner), recording_(recording), outer_(innermost) {
  innermost = this;
}

RecordingScope::~RecordingScope() { innermost = outer_; }

Recording* RecordingScope::find(const TaskOwner* owner) {
  const RecordingScope* scope = innermost;
  while (scope != nullptr && scope->owner_ != owner) scope = scope->outer_;
  return scope != nullptr ? scope->recording_ : nullptr;
}

const Task* run_around(const Task& task) {
  const Task* outermost = &task;
  while (outermost->outer_domain() != nullptr) outermost = &outermost->outer_domain()->parent;
  if (outermost->is_recorded()) return static_cast<const RecordedTask&>(*outermost).recording->run_task();
  return outermost->role == TaskRole::stand_in ? outermost->extras->stands_for->recording->run_task() : nullptr;
}

Recording::~Recording() = default;

RecordedTask& Recording::add() {
  RecordedTask& task = tasks_.emplace_back();
  task.recording = this;
  task.index = static_cast<std::uint32_t>(tasks_.size() - 1);
  task.accesses = task.inline_accesses.data();
  return task;
}

DependencyState& Recording::dependencies_of(const DataRecord& record) {
  const auto found = states_.find(&record);
  if (found != states_.end()) return found->second;
  for (const DataRecord* whole = record.parent; whole != nullptr; whole = whole->parent) {
    const auto above = states_.find(whole);
    if (above == states_.end()) continue;
    DependencyState& state = states_.emplace(&record, DependencyState(above->second)).first->second;
    state.open_reduction = false;
    return state;
  }
  return states_[&record];
}

bool Recording::uses_inside(const DataRecord& record) const {
  // A halo part of the record itself stays when the parts change, and then overlaps the new ones.
  const auto lies_inside = [&record](const DataRecord* used) {
    const DataRecord* const data = used->is_halo ? used->parent : used;
    return data != &record && record.contains(*data);
  };
  return std::ranges::any_of(uses_, lies_inside, &Use::current) || std::ranges::any_of(open_reductions_, lies_inside);
}

void Recording::forget_inside(const DataRecord& record) {
  record.visit_tree([&](const DataRecord& part) {
    if (&part != &record) states_.erase(&part);
  });
}

void Recording::note_uses(RecordedTask& task) {
  by_id_.emplace(task.task_id().value(), &task);
  const auto before = static_cast<std::ptrdiff_t>(first_accesses_.size());
  const auto note = [this, &task](TaskAccess& access, bool weak) {
    const auto [number, is_new] = use_numbers_.try_emplace(access.data(), uses_.size());
    if (is_new) {
      uses_.emplace_back();
      uses_.back().recorded = uses_.back().current = access.data();
      uses_.back().id = access.data()->handle_id();
    }
    Use& use = uses_[number->second];
    use.written = use.written || writes(access.mode());
    if (use.written) use.mode = AccessMode::read_write;
    use.in_nested = use.in_nested || task.role == TaskRole::recorded_nested;
    use.reduces = use.reduces || access.mode() == AccessMode::reduce;
    const bool first_read = reads(access.mode()) && !use.is_read;
    if (!use.is_written && (first_read || writes(access.mode())))
      first_accesses_.push_back({number->second, access.mode(), weak ? &task : nullptr});
    use.is_read = use.is_read || reads(access.mode());
    use.is_written = use.is_written || writes(access.mode());
    use.places.push_back(&access);
  };
  for (std::size_t i = 0; i < task.access_count; ++i) note(task.accesses[i], false);
  if (task.extras) std::ranges::for_each(task.extras->recorded_weak, [&](TaskAccess& access) { note(access, true); });
  // Put the task's reads before its writes, because the task may write data and read their old content through a halo
  // part.
  std::stable_partition(first_accesses_.begin() + before, first_accesses_.end(),
                        [](const Access& access) { return !writes(access.mode); });
}

RecordedTask* Recording::find(TaskId id) {
  const auto found = by_id_.find(id.value());
  return found != by_id_.end() ? found->second : nullptr;
}

std::size_t Recording::use_of(const Handle& handle) const {
  const auto found = use_numbers_.find(handle.record());
  if (found == use_numbers_.end() || uses_[found->second].id != handle.id()) return uses_.size();
  return found->second;
}

void Recording::seal(BlockPool<EdgeBlock>& pool, BlockPool<EdgeBlock>::Cache& cache) {
  RecordedOrder order(tasks_.size());
  for (RecordedTask& task : tasks_) {
    for (const Edge* edge = task.successors.load(std::memory_order_relaxed); edge != nullptr;
         edge = edge->next_edge()) {
      const auto& after = *static_cast<const RecordedTask*>(edge->task());
      order.add(task.index, after.index, edge->kind() == Edge::explicit_dependency);
    }
    task.successors.store(nullptr, std::memory_order_relaxed);
  }
  // The blocks of edges are freed only after the loop above, because the edges in a task's list lie in the blocks of
  // the tasks that wait for it.
  for (RecordedTask& task : tasks_) {
    while (task.more_edges != nullptr) {
      EdgeBlock* block = task.more_edges;
      task.more_edges = block->next;
      pool.free(cache, block);
    }
  }
  order.reduce();
  link(order);
  find_containing();
  states_.clear();
  by_id_.clear();
}

void Recording::link(const RecordedOrder& order) {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    for (const RecordedOrder::Predecessor& before : order.predecessors(i)) ++tasks_[before.index].link_count;
  }
  for (RecordedTask& task : tasks_) {
    task.links = task.inline_links.data();
    if (task.link_count == 0) ++sinks_;
    if (task.link_count > RecordedTask::kInlineSuccessors) {
      more_links_.push_back(std::make_unique<RecordedTask::Link[]>(task.link_count));
      task.links = more_links_.back().get();
    }
    task.link_count = 0;
  }
  // Successors are linked in the order of submission.
  for (RecordedTask& task : tasks_) {
    const auto predecessors = order.predecessors(task.index);
    task.predecessors = static_cast<std::uint32_t>(predecessors.size());
    task.pending.store(task.predecessors, std::memory_order_relaxed);
    if (predecessors.empty()) roots_.push_back(&task);
    for (const RecordedOrder::Predecessor& predecessor : predecessors) {
      RecordedTask& before = tasks_[predecessor.index];
      before.links[before.link_count++] = {&task, predecessor.is_explicit};
    }
  }
}

void Recording::find_containing() {
  for (Use& use : uses_) {
    for (const DataRecord* above = use.recorded->parent; above != nullptr; above = above->parent) {
      const auto found = use_numbers_.find(above);
      if (found == use_numbers_.end()) continue;
      Use& whole = uses_[found->second];
      use.inside_another = true;
      whole.contains_another = true;
      if (use.mode != AccessMode::read) whole.mode = AccessMode::read_write;
    }
  }
}

void Recording::bind(const RecordingRun& run) {
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    Use& use = uses_[i];
    DataRecord* const wanted = run.data.empty() ? use.recorded : run.data[i];
    if (use.current == wanted) continue;
    for (TaskAccess* place : use.places) *place = TaskAccess(wanted, place->mode());
    use.current = wanted;
  }
}

void Recording::begin_run(Task& run_task, TaskList& ready) {
  const RecordingRun& run = *run_task.extras->run;
  bind(run);
  for (const DataRecord* data : run.without_content) data->reduction->begin_with_neutral();
  first_id_.store(run.first_id, std::memory_order_relaxed);
  sinks_left_.store(sinks_, std::memory_order_relaxed);
  // The release store publishes the tasks' ids to a thread that loads the run with acquire (`run_task`).
  run_task_.store(&run_task, std::memory_order_release);
  for (RecordedTask* root : roots_) make_ready(*root, ready);
}

void Recording::note_cause(const FailureLog::Cause& cause) {
  const LockGuard lock(cause_lock_);
  // A failure replaces a cancellation here, because the cancellation may be a consequence of the failure.
  if (!cause_ || cause_->code == ErrorCode::cancelled) cause_ = cause;
}

FailureLog::Cause Recording::take_cause() {
  const LockGuard lock(cause_lock_);
  return std::exchange(cause_, nullptr);
}

}  // namespace troupe::graph
