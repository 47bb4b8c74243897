/// Recording submissions, and running them again.
#include <algorithm>
#include <utility>

#include "graph/execution_scope.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

Recording* TaskGraph::recording_here() const {
  if (recording_threads_.load(std::memory_order_relaxed) == 0) return nullptr;
  return ExecutionScope::find(this) == nullptr ? RecordingScope::find(this) : nullptr;
}

Result<std::unique_ptr<RecordingScope>> TaskGraph::begin_recording(Recording& recording) {
  if (recording_here() != nullptr) {
    return Failure{ErrorCode::invalid_argument, "a recording inside of another: end the first one before"};
  }
  if (ExecutionScope::find(this) != nullptr) {
    return Failure{ErrorCode::wait_in_kernel, "a kernel or callback began a recording of its own runtime"};
  }
  recording_threads_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(submission_mutex_);
  open_recordings_.push_back(&recording);
  return std::make_unique<RecordingScope>(this, &recording);
}

void TaskGraph::seal_recording(Recording& recording) {
  recording_threads_.fetch_sub(1, std::memory_order_relaxed);
  const std::lock_guard lock(submission_mutex_);
  std::erase(open_recordings_, &recording);
  while (!recording.open_reductions().empty()) {
    close_recorded_reduction(recording, *recording.open_reductions().back());
  }
  recording.seal(edge_pool_, submission_caches_.edges);
}

RecordedTask& TaskGraph::add_recorded(Recording& recording, const CodeletDefinition* codelet,
                                      std::size_t access_count) {
  RecordedTask& task = recording.add();
  initialize(task, codelet, access_count);
  task.role = TaskRole::recorded;
  return task;
}

Result<Future> TaskGraph::record(Recording& recording, const TaskSpecification& specification) {
  const std::lock_guard lock(submission_mutex_);
  for (const Future& future : specification.options.after) {
    if (future.task() == nullptr && recording.find(future.id()) != nullptr) continue;
    return Failure{ErrorCode::invalid_argument,
                   "codelet '" + specification.codelet.name() +
                       "': a recorded task can only be told to run after tasks of the same recording"};
  }
  if (auto valid = check_accesses(specification, take_id()); !valid) return valid.failure();
  RecordedTask& task = add_recorded(recording, &specification.codelet.definition(), specification.accesses.size());
  fill(task, specification);
  infer_recorded(recording, task, specification.options.after);
  return Future(this, nullptr, task.task_id());
}

void TaskGraph::infer_recorded(Recording& recording, RecordedTask& task, std::span<const Future> after) {
  // Combining tasks come before, in the recording too.
  for (const TaskAccess& access : task.data()) {
    if (access.mode() == AccessMode::reduce) continue;
    access.data()->visit_tree([&](DataRecord& record) {
      if (recording.dependencies_of(record).open_reduction) close_recorded_reduction(recording, record);
    });
  }
  DependencyBuilder builder(task, edge_pool_, submission_caches_.edges);
  for (const TaskAccess& access : task.data()) {
    access.data()->visit_tree([&](DataRecord& record) {
      DependencyState& state = recording.dependencies_of(record);
      if (access.mode() == AccessMode::reduce && !std::exchange(state.open_reduction, true)) {
        recording.open_reductions().push_back(&record);
      }
      builder.access(state, access.mode());
    });
  }
  for (const Future& future : after) builder.after({recording.find(future.id()), future.id().value()});
  builder.finish();
  recording.note_uses(task);
}

void TaskGraph::close_recorded_reduction(Recording& recording, DataRecord& record) {
  recording.dependencies_of(record).open_reduction = false;
  std::erase(recording.open_reductions(), &record);
  RecordedTask& task = add_recorded(recording, &combine_codelet_.definition(), 1);
  set_arguments(task, args(&record));
  set_access(task, 0, record, AccessMode::read_write);
  infer_recorded(recording, task, {});
}

Result<std::vector<DataRecord*>> TaskGraph::rebind(const Recording& recording,
                                                   std::span<const Rebinding> rebindings) const {
  std::vector<DataRecord*> data;
  for (const Recording::Use& use : recording.uses()) {
    // Those that are exchanged too: what they look like is compared, and their memory may be another handle's by now.
    const auto recorded = registry_.find(Handle(use.recorded, use.id));
    if (!recorded) return recorded.failure();
    data.push_back(recorded.value());
  }
  std::vector<bool> exchanged(data.size());
  for (const Rebinding& rebinding : rebindings) {
    const std::size_t number = recording.use_of(rebinding.recorded);
    if (number == data.size()) {
      return Failure{ErrorCode::invalid_argument,
                     "handle " + std::to_string(rebinding.recorded.id().value()) +
                         " is to be exchanged, but no task of the recording uses it (or only through its parts)"};
    }
    const Recording::Use& use = recording.uses()[number];
    const auto now = registry_.find(rebinding.now);
    if (!now) return now.failure();
    const Layout& old_layout = use.recorded->view.layout;
    const Layout& layout = now.value()->view.layout;
    const std::string which = describe(*use.recorded) + " cannot be exchanged for " + describe(*now.value()) + ": ";
    if (layout.rows != old_layout.rows || layout.cols != old_layout.cols ||
        layout.element_tag != old_layout.element_tag || (old_layout.contiguous() && !layout.contiguous())) {
      return Failure{ErrorCode::invalid_argument, which + "sizes, element type or contiguity differ"};
    }
    if (use.inside_another || use.contains_another) {
      return Failure{
          ErrorCode::invalid_argument,
          which + "the recording uses " + (use.inside_another ? "data that contain it" : "parts of it") + ", too"};
    }
    if (use.reduces) return Failure{ErrorCode::invalid_argument, which + "the recording reduces into it"};
    if (exchanged[number]) return Failure{ErrorCode::invalid_argument, which + "it is to be exchanged twice"};
    exchanged[number] = true;
    data[number] = now.value();
  }
  return data;
}

Result<void> TaskGraph::check_uses(const Recording& recording, std::span<DataRecord* const> data) {
  const std::uint64_t id = take_id();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Recording::Use& use = recording.uses()[i];
    if (use.inside_another || data[i]->mark(id, use.mode)) continue;
    return Failure{ErrorCode::conflicting_access, describe(*data[i]) +
                                                      " is the same data as, or part of, other data of the recorded "
                                                      "graph '" +
                                                      recording.name() + "', and not both only read"};
  }
  return {};
}

Result<Future> TaskGraph::replay(const std::shared_ptr<Recording>& recording, std::span<const Rebinding> rebindings) {
  if (recording_here() != nullptr) {
    return Failure{ErrorCode::invalid_argument, "a recorded graph was run inside of a recording"};
  }
  if (auto room = wait_for_room(); !room) return room.failure();
  TaskList ready;
  Future future;
  {
    const std::lock_guard lock(submission_mutex_);
    if (stopped_.load(std::memory_order_relaxed)) {
      return Failure{ErrorCode::stopped,
                     "recorded graph '" + recording->name() + "': the runtime is stopping and takes no tasks"};
    }
    auto data = rebind(*recording, rebindings);
    if (!data) return data.failure();
    if (auto valid = check_uses(*recording, data.value()); !valid) return valid.failure();
    const auto orders = [&](std::size_t i) { return !recording->uses()[i].inside_another; };
    std::size_t count = 0;
    for (std::size_t i = 0; i < data.value().size(); ++i) count += orders(i) ? 1 : 0;
    Task& task = allocate_task(&replay_codelet_.definition(), count);
    task.role = TaskRole::replay;
    std::size_t index = 0;
    for (std::size_t i = 0; i < data.value().size(); ++i) {
      if (orders(i)) task.accesses[index++] = TaskAccess(data.value()[i], recording->uses()[i].mode);
    }
    task.extras = std::make_unique<TaskExtras>();
    task.has_more = true;
    task.extras->name = recording->name();
    task.extras->run = std::make_unique<RecordingRun>();
    *task.extras->run = {recording, std::move(data).value(), next_id_.load(std::memory_order_relaxed)};
    next_id_.store(task.extras->run->first_id + recording->size(), std::memory_order_relaxed);
    future = {this, &task, task.task_id()};
    count_submission(1 + recording->size());
    DependencyBuilder builder(task, edge_pool_, submission_caches_.edges);
    order(task, builder, ready);
    keep(recording);
    // Runs of one recording never overlap, whatever data they use.
    TaskReference& last = recording->last_run();
    if (last.task != nullptr) builder.follow(last);
    last = {&task, task.task_id().value()};
    if (builder.finish()) ready.push_back(&task);
  }
  if (!ready.empty()) {
    const ExecutionScope* scope = ExecutionScope::find(this);
    host_.activate(ready, scope != nullptr ? scope->worker() : WorkerId{});
  }
  return future;
}

void TaskGraph::keep(const std::shared_ptr<Recording>& recording) {
  if (std::find(recordings_.begin(), recordings_.end(), recording) != recordings_.end()) return;
  // Those that nobody can run any more, and whose last run has ended.
  std::erase_if(recordings_, [](const std::shared_ptr<Recording>& one) { return one.use_count() == 1; });
  recordings_.push_back(recording);
}

Begin TaskGraph::begin_replay(Task& task, WorkerId worker, TaskList& ready) {
  // Tasks that lack valid input end themselves.
  Recording& recording = *task.extras->run->recording;
  if (const auto cause = why_withdrawn(task)) {
    completed_.count(worker.index(), recording.size());
    return end_cancelled(task, {cause, cause}, worker, ready);
  }
  if (recording.size() == 0) {
    finish(task, {TaskStatus::succeeded, nullptr, nullptr, worker.index(), worker, true}, ready);
    return Begin::ended;
  }
  recording.begin_run(task, ready);
  return Begin::parked;
}

void TaskGraph::end_replay(Recording& recording, std::size_t slot, WorkerId worker, TaskList& ready) {
  FailureLog::Cause cause = recording.take_cause();
  Task& run_task = recording.end_run();
  TaskStatus status = TaskStatus::succeeded;
  if (cause) {
    status = cause->code == ErrorCode::cancelled ? TaskStatus::cancelled : TaskStatus::failed;
    cause = std::make_shared<Failure>(
        Failure{cause->code, "a run of the recorded graph '" + recording.name() + "': " + cause->message});
  }
  finish(run_task, {status, cause, nullptr, slot, worker, true}, ready);
}

}  // namespace troupe::graph
