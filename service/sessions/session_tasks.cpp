#include "service/sessions/session_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "service/sessions/wire_checks.hpp"
#include "troupe/devices.hpp"

namespace troupe::service {

/// The recording in progress, between BeginRecording and EndRecording.
struct SessionTasks::OpenRecording {
  std::uint64_t number = 0;
  KeptRecording kept;
  std::unique_ptr<graph::RecordingScope> scope;
  std::vector<Future> tasks;
};

namespace {

Arguments read_arguments(const SessionCodelet& codelet, const char* bytes) {
  Arguments arguments;
  std::size_t offset = 0;
  for (const ArgumentType& type : codelet.arguments) {
    offset = (offset + type.alignment - 1) / type.alignment * type.alignment;
    // The arguments always fit, because their sizes were checked when the codelet was opened.
    arguments.append_bytes(type.tag, type.size, type.alignment, bytes + offset);
    offset += type.size;
  }
  return arguments;
}

}  // namespace

SessionTasks::SessionTasks(const Collaborators& collaborators) : collaborators_(collaborators) {}

SessionTasks::~SessionTasks() {
  abandon();
  for (const auto& [number, kept] : recordings_) {
    old_refusals_.insert(old_refusals_.end(), kept.refusals.begin(), kept.refusals.end());
  }
  for (const auto& [task, number] : refusals_) old_refusals_.push_back(number);
  for (const std::uint64_t number : old_refusals_) collaborators_.refused.forget(number);
}

void SessionTasks::abandon() {
  if (!open_) return;
  open_->scope.reset();
  collaborators_.graph.seal_recording(*open_->kept.recording);
  old_refusals_.insert(old_refusals_.end(), open_->kept.refusals.begin(), open_->kept.refusals.end());
  open_.reset();
}

Result<void> SessionTasks::check_room(std::uint64_t tasks) const {
  const std::uint64_t in_flight = in_flight_ + in_runs_;
  if (tasks <= collaborators_.limits.tasks - std::min(collaborators_.limits.tasks, in_flight)) return {};
  return violation("tasks", fmt::format("{} more, when {} are in flight and {} may be (limits.tasks; those of runs of "
                                        "recordings count)",
                                        tasks, in_flight, collaborators_.limits.tasks));
}

Result<void> SessionTasks::submit(const v1::Tasks& message) {
  auto columns = TaskColumns::read(message, collaborators_.codelets);
  if (!columns) return columns.failure();
  const std::size_t count = columns.value().size();
  const std::uint64_t next = open_ ? open_->tasks.size() + 1 : numbers_.next();
  if (message.first() != next) {
    return violation("tasks.first", fmt::format("{} comes, and {} would be next", message.first(), next));
  }
  if (open_) {
    if (count >
        collaborators_.limits.recorded_tasks - std::min(collaborators_.limits.recorded_tasks, recorded_tasks_)) {
      return violation("tasks", fmt::format("{} more are to be recorded, when recordings have {} and may have {}",
                                            count, recorded_tasks_, collaborators_.limits.recorded_tasks));
    }
    recorded_tasks_ += count;
    open_->kept.tasks += count;
  } else if (auto room = check_room(count); !room) {
    return room;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (auto submitted = submit_row(columns.value().next()); !submitted) return submitted;
  }
  return {};
}

Result<void> SessionTasks::read_accesses(const TaskRow& row) {
  accesses_.clear();
  layouts_.clear();
  for (std::size_t i = 0; i < row.handles.size(); ++i) {
    const SessionHandle* const data = collaborators_.data.find(row.handles[i]);
    if (data == nullptr) {
      return violation("tasks.handle", fmt::format("no data are registered with the number {}", row.handles[i]));
    }
    accesses_.emplace_back(data->handle);
    layouts_.push_back(data->layout);
    if (row.modes.empty()) continue;
    const auto mode = check_mode("tasks.mode", static_cast<unsigned char>(row.modes[i]));
    if (!mode) return mode.failure();
    accesses_.back().mode = mode.value();
  }
  return {};
}

Result<void> SessionTasks::read_weak(const v1::TaskDetail& detail) {
  options_.nested = detail.nested();
  for (int i = 0; i < detail.weak_size(); ++i) {
    const auto data = collaborators_.data.get("tasks.details.weak", detail.weak(i));
    if (!data) return data.failure();
    const auto mode = check_mode("tasks.details.weak_mode",
                                 static_cast<unsigned char>(detail.weak_mode()[static_cast<std::size_t>(i)]));
    if (!mode) return mode.failure();
    options_.weak.emplace_back(data.value()->handle, mode.value());
  }
  return {};
}

DeviceSet SessionTasks::devices_of(const v1::TaskDetail& detail) {
  const auto kinds_of = [](const auto& names) {
    KindSet kinds = 0;
    for (const std::string& name : names) kinds |= kind_set(device_kind_named(name).value());
    return kinds;
  };
  DeviceSet devices = detail.devices().empty() ? DeviceSet() : DeviceSet::of_kinds(kinds_of(detail.devices()));
  for (const v1::DeviceChoice& choice : detail.choices()) {
    DeviceChoice named{kinds_of(choice.kinds()), {}, {choice.names().begin(), choice.names().end()}};
    for (const std::uint32_t worker : choice.workers()) named.workers.push_back(WorkerId(worker));
    devices = devices & DeviceSet::of(std::move(named));
  }
  return devices;
}

Result<void> SessionTasks::read_after(const TaskRow& row) {
  const std::uint64_t here = open_ ? open_->tasks.size() + 1 : numbers_.next();
  for (const std::uint64_t number : row.detail->after()) {
    if (number == 0 || number >= here) {
      return violation("tasks.details.after",
                       fmt::format("task {} is to run after task {}, which does not come before", here, number));
    }
    if (open_) {
      options_.after.push_back(open_->tasks[number - 1]);
      continue;
    }
    const TaskNumbers::Found found = numbers_.find(number);
    if (found.future.valid()) {
      options_.after.push_back(found.future);
    } else if (found.status != TaskStatus::succeeded) {
      follows_failure_ = true;
    }
  }
  return {};
}

std::optional<Failure> SessionTasks::why_refused(const TaskRow& row, const Arguments& arguments) {
  if (row.codelet->known == nullptr) return *row.codelet->refusal;
  auto verdict = judge_task(*row.codelet->known, layouts_, arguments, options_.devices, collaborators_.kernels);
  if (verdict.not_on_cores) options_.devices = options_.devices & DeviceSet::accelerators();
  return std::move(verdict.refused);
}

Result<void> SessionTasks::submit_row(const TaskRow& row) {
  if (auto read = read_accesses(row); !read) return read;
  options_.priority = row.priority;
  follows_failure_ = false;
  if (row.detail != nullptr) {
    options_.name = row.detail->name();
    options_.devices = devices_of(*row.detail);
    if (auto read = read_after(row); !read) return read;
    if (auto read = read_weak(*row.detail); !read) return read;
  }
  const Arguments arguments = read_arguments(*row.codelet, row.arguments);
  if (open_) note_written(row);
  std::optional<Failure> refusal;
  Future future;
  if (withdrawn_ && !open_) {
    refused_.push_back({numbers_.next(), handles_of(written_by(row)), *withdrawn_});
  } else if (refusal = why_refused(row, arguments); !refusal) {
    const std::uint64_t tag = open_ ? 0 : numbers_.next();
    graph::TaskSpecification task{row.codelet->known->codelet, accesses_, arguments, options_, tag};
    task.follows_failure = follows_failure_;
    if (const auto submitted = collaborators_.graph.submit(task)) {
      future = submitted.value();
    } else {
      refusal = submitted.failure();
    }
  }
  if (refusal) {
    const auto refused = submit_refused(row, *refusal);
    if (!refused) return refused.failure();
    future = refused.value();
  }
  count(future);
  charge(costs::beyond_usual(row) + (refusal ? refusal->message.size() : 0));
  if (row.detail != nullptr) {
    if (row.detail->awaited() && !open_) awaited_.insert(numbers_.next() - 1);
    options_.name.clear();
    options_.after.clear();
    options_.nested = false;
    options_.weak.clear();
  }
  if (!options_.devices.all()) options_.devices = {};
  return {};
}

SessionTasks::Numbers SessionTasks::written_by(const TaskRow& row) const {
  Numbers written;
  const auto& declared = row.codelet->modes;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (writes(accesses_[i].mode.value_or(i < declared.size() ? declared[i] : AccessMode::read))) {
      written.insert(row.handles[i]);
    }
  }
  for (std::size_t i = 0; i < options_.weak.size(); ++i) {
    if (writes(*options_.weak[i].mode)) written.insert(row.detail->weak(static_cast<int>(i)));
  }
  return written;
}

SessionTasks::Numbers SessionTasks::written_by(const v1::Replay& message, const KeptRecording& kept) {
  Numbers written = kept.written;
  for (const v1::Rebinding& rebinding : message.rebindings()) written.erase(rebinding.recorded());
  for (const v1::Rebinding& rebinding : message.rebindings()) {
    if (kept.written.contains(rebinding.recorded())) written.insert(rebinding.now());
  }
  return written;
}

void SessionTasks::note_written(const TaskRow& row) {
  for (const std::uint64_t number : written_by(row)) {
    if (open_->kept.written.insert(number).second) open_->kept.bytes += costs::kAccess;
  }
}

std::vector<Handle> SessionTasks::handles_of(const Numbers& written) const {
  const auto is_inside_another = [&](const SessionHandle& data) {
    const SessionHandle* whole = &data;
    while (whole != nullptr && whole->whole) {
      if (written.contains(*whole->whole)) return true;
      whole = collaborators_.data.find(*whole->whole);
    }
    return false;
  };
  std::vector<Handle> handles;
  for (const std::uint64_t number : written) {
    // Released data can be left out, because no task can read them any more.
    const SessionHandle* const data = collaborators_.data.find(number);
    if (data != nullptr && !is_inside_another(*data)) handles.push_back(data->handle);
  }
  return handles;
}

Result<Future> SessionTasks::submit_refused(const TaskRow& row, const Failure& why) {
  const bool recorded = open_ != nullptr;
  const std::uint64_t tag = recorded ? 0 : numbers_.next();
  const std::uint64_t number = collaborators_.refused.add(why, recorded);
  if (recorded) {
    open_->kept.refusals.push_back(number);
  } else {
    refusals_.emplace(tag, number);
  }
  // The task only ends in its turn, so it does not read any data.
  std::vector<Access> accesses;
  for (const Handle& handle : handles_of(written_by(row))) accesses.push_back(write(handle));
  options_.nested = false;
  options_.weak.clear();
  // The kernel only fails, so any core may run the task, even if the client named other devices.
  options_.devices = {};
  return collaborators_.graph.submit({row.codelet->refused, accesses, args(number), options_, tag, false});
}

void SessionTasks::count(const Future& future) {
  if (open_) {
    open_->tasks.push_back(future);
    return;
  }
  numbers_.add(future);
  ++in_flight_;
}

std::uint64_t SessionTasks::bytes() const {
  return in_flight_ * costs::kTask + more_bytes_ + (open_ ? open_->kept.bytes : 0);
}

void SessionTasks::charge(std::uint64_t bytes) {
  if (open_) {
    open_->kept.bytes += costs::kTask + bytes;
  } else if (bytes > 0) {
    large_.emplace(numbers_.next() - 1, bytes);
    more_bytes_ += bytes;
  }
}

Result<void> SessionTasks::begin_recording(const v1::BeginRecording& message) {
  if (open_) return violation("begin_recording", "a recording is being made already");
  if (recordings_.contains(message.recording())) {
    return violation("begin_recording.recording", fmt::format("the number {} is in use", message.recording()));
  }
  if (auto named = check_name("begin_recording.name", message.name()); !named) return named;
  auto open = std::make_unique<OpenRecording>();
  open->number = message.recording();
  open->kept.recording = std::make_shared<graph::Recording>(message.name());
  // The recording itself counts as one task, so that empty recordings are limited as well.
  open->kept.tasks = 1;
  if (recorded_tasks_ >= collaborators_.limits.recorded_tasks) {
    return violation("begin_recording", fmt::format("recordings have {} tasks, and may have no more", recorded_tasks_));
  }
  ++recorded_tasks_;
  auto scope = collaborators_.graph.begin_recording(*open->kept.recording);
  if (!scope) return scope.failure();
  open->scope = std::move(scope).value();
  open_ = std::move(open);
  return {};
}

Result<void> SessionTasks::end_recording(const v1::EndRecording& message) {
  if (!open_) return violation("end_recording", "no recording is being made");
  open_->scope.reset();
  collaborators_.graph.seal_recording(*open_->kept.recording);
  const std::size_t tasks = open_->kept.recording->size();
  more_bytes_ += open_->kept.bytes;
  recordings_.emplace(open_->number, std::move(open_->kept));
  open_.reset();
  collaborators_.outbox.reply(message.request(), std::nullopt, tasks);
  return {};
}

Result<void> SessionTasks::drop_recording(const v1::DropRecording& message) {
  const auto found = recordings_.find(message.recording());
  if (found == recordings_.end()) {
    return violation("drop_recording.recording", fmt::format("there is no recording {}", message.recording()));
  }
  recorded_tasks_ -= found->second.tasks;
  more_bytes_ -= found->second.bytes;
  old_refusals_.insert(old_refusals_.end(), found->second.refusals.begin(), found->second.refusals.end());
  recordings_.erase(found);
  return {};
}

Result<void> SessionTasks::replay(const v1::Replay& message) {
  if (open_) return violation("replay", "inside of a recording");
  if (message.task() != numbers_.next()) {
    return violation("replay.task", fmt::format("{} comes, and {} would be next", message.task(), numbers_.next()));
  }
  const auto found = recordings_.find(message.recording());
  if (found == recordings_.end()) {
    return violation("replay.recording", fmt::format("there is no recording {}", message.recording()));
  }
  // The check requires room for only one task, and the run may exceed the limit. Otherwise a recording with more tasks
  // than the limit could never be run.
  if (auto room = check_room(1); !room) return room;
  std::vector<Rebinding> rebindings;
  for (const v1::Rebinding& rebinding : message.rebindings()) {
    const auto recorded = collaborators_.data.get("replay.rebindings.recorded", rebinding.recorded());
    if (!recorded) return recorded.failure();
    const auto now = collaborators_.data.get("replay.rebindings.now", rebinding.now());
    if (!now) return now.failure();
    rebindings.push_back({recorded.value()->handle, now.value()->handle});
  }
  const auto submitted = withdrawn_ ? Result<Future>(*withdrawn_)
                                    : collaborators_.graph.replay(found->second.recording, rebindings, numbers_.next());
  if (!submitted) {
    refused_.push_back({numbers_.next(), handles_of(written_by(message, found->second)), submitted.failure()});
  }
  count(submitted ? submitted.value() : Future());
  if (const std::size_t tasks = found->second.recording->size(); submitted && tasks > 0) {
    runs_.emplace(message.task(), tasks);
    in_runs_ += tasks;
  }
  charge(costs::kAccess * found->second.recording->uses().size());
  return {};
}

Result<void> SessionTasks::cancel(const v1::CancelTask& message) {
  if (message.task() == 0 || message.task() >= numbers_.next()) {
    return violation("cancel_task.task", fmt::format("there is no task {}", message.task()));
  }
  const TaskNumbers::Found found = numbers_.find(message.task());
  if (found.future.valid()) collaborators_.graph.cancel(found.future);
  return {};
}

Result<void> SessionTasks::await(const v1::Await& message) {
  if (message.task() == 0 || message.task() >= numbers_.next()) {
    return violation("await.task", fmt::format("there is no task {}", message.task()));
  }
  if (numbers_.find(message.task()).status == TaskStatus::pending) awaited_.insert(message.task());
  return {};
}

void SessionTasks::withdraw(const Failure& reason) { withdrawn_ = reason; }

void SessionTasks::ended(std::uint64_t task, TaskStatus status) {
  numbers_.ended(task, status);
  --in_flight_;
  if (!awaited_.empty()) awaited_.erase(task);
  if (!runs_.empty()) {
    if (const auto run = runs_.extract(task)) in_runs_ -= run.mapped();
  }
  if (!large_.empty()) {
    if (const auto large = large_.extract(task)) more_bytes_ -= large.mapped();
  }
  if (status != TaskStatus::succeeded) {
    if (const auto refusal = refusals_.extract(task)) collaborators_.refused.forget(refusal.mapped());
  }
  if (in_flight_ > 0 || old_refusals_.empty()) return;
  for (const std::uint64_t number : old_refusals_) collaborators_.refused.forget(number);
  old_refusals_.clear();
}

}  // namespace troupe::service
