/// Members of `RemoteBackend` for submission and futures.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "client/remote/remote_backend.hpp"
#include "client/remote/remote_recording.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/nesting/rules.hpp"
#include "graph/submission_checks.hpp"

namespace troupe::remote {

namespace {

Failure needs_types(const Codelet& codelet) {
  return {ErrorCode::signature_mismatch,
          graph::quoted(codelet) +
              ": the task has arguments, but the codelet does not say which types its kernel takes, "
              "as a service must know: give it a typed implementation, or say it with Codelet::takes"};
}

std::string describe(std::uint64_t number, const graph::TaskSpecification& specification) {
  const std::string& name = specification.options.name;
  return "task " + std::to_string(number) + (name.empty() ? "" : " '" + name + "'") + " (codelet " +
         specification.codelet.name() + ")";
}

}  // namespace

TaskStatus RemoteBackend::status(const Future& future) const {
  return is_recorded(future.id()) ? TaskStatus::pending : session_->ledger().status(future.id().value());
}

Result<void> RemoteBackend::wait(const Future& future) {
  if (auto allowed = check_wait(); !allowed) return allowed;
  if (is_recorded(future.id())) return graph::recorded_task_waited_for();
  TaskLedger& ledger = session_->ledger();
  if (ledger.status(future.id().value()) == TaskStatus::pending) {
    auto lock = session_->sender().lock();
    if (auto ends = check_may_wait(future.id().value()); !ends) return ends;
    session_->sender().operations().add().mutable_await()->set_task(future.id().value());
    session_->sender().send(lock);
  }
  return ledger.wait(future.id().value());
}

void RemoteBackend::cancel(const Future& future) {
  if (is_recorded(future.id()) || home_.left()) return;
  auto lock = session_->sender().lock();
  if (session_->ledger().status(future.id().value()) != TaskStatus::pending) return;
  session_->sender().operations().add().mutable_cancel_task()->set_task(future.id().value());
  session_->sender().send(lock);
}

Result<void> RemoteBackend::wait_for_room() {
  const std::uint64_t most = session_->greeting().most_tasks;
  const auto in_flight = [this] {
    const std::uint64_t arrived = session_->ledger().arrived();
    return session_->ledger().submitted_weight() - arrived;
  };
  if (in_flight() < most || graph::ExecutionScope::find(this) != nullptr) return {};
  // True if the tasks in flight waited for threads that all waited for room, when `waits_changed_` had this value.
  bool stuck = false;
  std::uint64_t stuck_at = 0;
  while (in_flight() >= most && !stopped_.load(std::memory_order_relaxed)) {
    bool holds = false;
    {
      const auto lock = session_->sender().lock();
      if (auto ends = check_may_wait_for_room(most); !ends) return ends;
      holds = holds_here();
      if (holds && all_wait_for_room(most)) {
        if (stuck && stuck_at == waits_changed_) return graph::never_has_room(most);
        stuck = true;
        stuck_at = waits_changed_;
      } else {
        stuck = false;
        if (holds) note_wait_for_room(true);
      }
    }
    if (stuck) {
      // One of the threads may have found room just now. It says so within this time.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    // After the window was full, submissions continue only when a quarter of the window is free. Otherwise the thread
    // would sleep at each further submission. Where this thread holds data, some of the tasks may wait for these, so
    // that a quarter would never be free.
    const std::uint64_t room = holds ? 1 : std::max<std::uint64_t>(most / 4, 1);
    const std::uint64_t wanted = session_->ledger().submitted_weight() - (most - room);
    const Result<void> arrived = session_->ledger().wait_for_arrived(wanted, stopped_);
    if (holds) {
      const auto lock = session_->sender().lock();
      note_wait_for_room(false);
    }
    if (!arrived) return arrived;
  }
  return {};
}

Result<std::vector<std::uint64_t>> RemoteBackend::numbers_of(const graph::TaskSpecification& specification,
                                                             graph::Recording* recording) const {
  std::vector<std::uint64_t> numbers;
  for (const Future& future : specification.options.after) {
    if (recording == nullptr) {
      if (is_recorded(future.id())) return graph::recorded_dependency(specification.codelet);
      // A task that has succeeded is no longer a dependency.
      if (session_->ledger().status(future.id().value()) != TaskStatus::succeeded) {
        numbers.push_back(future.id().value());
      }
      continue;
    }
    const graph::RecordedTask* task = is_recorded(future.id()) ? recording->find(future.id()) : nullptr;
    if (task == nullptr) return graph::unrecorded_dependency(specification.codelet);
    numbers.push_back(task->index + 1);
  }
  return numbers;
}

Result<void> RemoteBackend::check_weak(const graph::TaskSpecification& specification) {
  // The check of the kernel's data has made a new mark, which this check uses, too. Without such data, it needs a mark
  // of its own.
  if (specification.accesses.empty()) ++last_mark_;
  return graph::check_weak_accesses(specification, registry_, last_mark_);
}

void RemoteBackend::note_uses(const graph::TaskSpecification& specification, std::uint64_t number,
                              std::span<const std::uint64_t> after) {
  const CodeletDefinition& definition = specification.codelet.definition();
  std::vector<TasksBehindHold::Use> uses;
  const auto note = [&](graph::DataRecord& record, AccessMode mode, bool weak) {
    if (writes(mode)) data_.will_write(record, number);
    if (!holds_.empty()) uses.push_back({&record, mode, weak});
    if (registry_.any_to_check()) graph::note_written(registry_, record, mode);
  };
  for (std::size_t i = 0; i < specification.accesses.size(); ++i) {
    const Access& access = specification.accesses[i];
    note(*access.handle.record(), definition.variadic ? access.mode.value_or(AccessMode::read) : definition.modes[i],
         false);
  }
  for (const Access& access : specification.options.weak) note(*access.handle.record(), *access.mode, true);
  if (!holds_.empty()) note_behind_holds(number, uses, after);
}

Result<Future> RemoteBackend::submit(const graph::TaskSpecification& specification) {
  if (auto here = home_.check(); !here) return here.failure();
  if (auto fits = graph::check_counts(specification); !fits) return fits.failure();
  if (auto valid = graph::check_after(specification, *this); !valid) return valid.failure();
  // A service runs no functions of its clients.
  if (auto plain = graph::check_nested(specification, {.calls = false}); !plain) return plain.failure();
  if (graph::is_limited(specification.options)) return graph::limited_on_service(specification.codelet);
  if (specification.options.devices.kinds() == 0) return graph::no_device_may_run(specification.codelet);
  if (specification.codelet.definition().argument_types.empty() && specification.arguments.size() != 0) {
    return needs_types(specification.codelet);
  }
  const auto codelet = codelets_->number_of(specification.codelet);
  if (!codelet) return codelet.failure();
  if (graph::Recording* recording = recording_here()) {
    return submit_recorded(specification, codelet.value(), *recording);
  }
  if (auto room = wait_for_room(); !room) return room.failure();
  return submit_now(specification, codelet.value());
}

Result<Future> RemoteBackend::submit_now(const graph::TaskSpecification& specification, std::uint32_t codelet) {
  auto lock = session_->sender().lock();
  if (session_->is_lost()) return loss();
  if (stopped_.load(std::memory_order_relaxed)) return graph::takes_no_tasks(specification.codelet);
  if (!specification.accesses.empty()) {
    if (auto valid = graph::check_accesses(specification, registry_, ++last_mark_, kEveryKind); !valid)
      return valid.failure();
    if (registry_.any_to_check()) {
      if (auto usable = graph::check_usable(specification); !usable) return usable.failure();
    }
  }
  if (!specification.options.weak.empty()) {
    if (auto valid = check_weak(specification); !valid) return valid.failure();
    if (auto usable = graph::check_weak_usable(specification); !usable) return usable.failure();
  }
  const auto after = numbers_of(specification, nullptr);
  if (!after) return after.failure();
  const TaskOptions& options = specification.options;
  const std::uint64_t number = last_task_.load(std::memory_order_relaxed) + 1;
  // The service learns of the task only after this lock is released.
  session_->ledger().submitted(number);
  last_task_.store(number, std::memory_order_relaxed);
  if (options.callback) {
    session_->ledger().expect_callback(number, options.callback, describe(number, specification));
  }
  note_uses(specification, number, after.value());
  session_->sender().operations().add_task({number, codelet, specification, after.value()});
  session_->sender().send(lock);
  return Future(this, nullptr, TaskId(number));
}

}  // namespace troupe::remote
