/// Start, end, waiting and progress of the backend. Data, tasks and recordings are in other files.
#include "client/remote/remote_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "client/environment/warnings.hpp"
#include "client/remote/connection/service_calls.hpp"
#include "client/remote/connection/wire_text.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "graph/tasks/calling_thread.hpp"

namespace troupe::remote {

namespace {

Failure runs_no_coroutines() {
  return {ErrorCode::no_implementation,
          "a service runs no code of its clients, so it cannot resume a coroutine: wait for the future instead"};
}

}  // namespace

Result<std::unique_ptr<RemoteBackend>> RemoteBackend::start(Connections connections) {
  std::unique_ptr<RemoteBackend> backend(
      new RemoteBackend(std::move(connections.folder), std::move(connections.memory)));
  auto session = Session::open(std::move(connections.stream), connections.token, connections.name,
                               [self = backend.get()](TaskLedger::DueCallback& due) { self->call_back(due); });
  if (!session) return session.failure();
  backend->session_ = std::move(session).value();
  backend->codelets_ = std::make_unique<CodeletNumbers>(*backend->session_);
  return backend;
}

RemoteBackend::~RemoteBackend() {
  if (session_ == nullptr) return;
  // Read this first, because the wait below also marks a loss as reported.
  const bool told_of_loss = session_->requests().loss_told() || session_->ledger().loss_told();
  if (!session_->is_lost()) [[maybe_unused]]
    const Result<void> outcome = wait_until_ended();
  const bool lost_silently = session_->is_lost() && !told_of_loss && !session_->ledger().all_settled();
  // Callbacks use this object, so its members must live until the last callback has returned.
  session_->end();
  if (!warn()) return;
  if (lost_silently) {
    warn()("a runtime ended, and the program had not asked what became of its tasks: " + loss().message);
  } else {
    session_->ledger().visit_failures([this](const graph::FailureLog& log) { client::warn_of_untold(log, warn()); });
  }
}

client::Backend::End RemoteBackend::end_here() const {
  if (home_.left()) return End::in_another_process;
  return graph::ExecutionScope::find(this) != nullptr ? End::inside_of_task : End::ends;
}

void RemoteBackend::call_back(TaskLedger::DueCallback& due) {
  const graph::ExecutionScope scope(this, WorkerId{});
  const auto failed = [&](const std::string& how) {
    session_->ledger().callback_failures().add(
        {ErrorCode::callback_failed, "the callback of " + due.task + " threw" + how});
  };
  try {
    due.callback(due.outcome);
  } catch (const std::exception& error) {
    failed(std::string(": ") + error.what());
  } catch (...) {
    failed("");
  }
  session_->ledger().settle(due.outcome.task.value());
}

graph::Recording* RemoteBackend::recording_here() const {
  if (recording_threads_.load(std::memory_order_relaxed) == 0) return nullptr;
  return graph::ExecutionScope::find(this) == nullptr ? graph::RecordingScope::find(this) : nullptr;
}

Result<void> RemoteBackend::check_outside_callback() const {
  if (auto here = home_.check(); !here) return here;
  if (graph::ExecutionScope::find(this) != nullptr) return graph::waits_in_kernel();
  return {};
}

Result<void> RemoteBackend::check_wait() const {
  if (recording_here() != nullptr) return graph::waits_in_recording();
  return check_outside_callback();
}

Result<void> RemoteBackend::outcome(const Future& future) {
  return status(future) == TaskStatus::pending ? Failure{ErrorCode::invalid_argument, "the task has not ended"}
                                               : wait(future);
}

Result<void> RemoteBackend::resume_after(const Future& /*future*/, std::coroutine_handle<> /*waiting*/) {
  return runs_no_coroutines();
}

Result<Future> RemoteBackend::begin_coroutine() { return runs_no_coroutines(); }

void RemoteBackend::end_coroutine(const Future& /*end*/, std::optional<Failure> /*failure*/) {}

Result<void> RemoteBackend::regroup(const std::string& /*clusters*/) {
  return Failure{ErrorCode::invalid_argument,
                 "the cores of a service are grouped by whoever starts it: see runtime.clusters of its configuration"};
}

void RemoteBackend::cancel_all() {
  if (home_.left()) return;
  auto lock = session_->sender().lock();
  session_->sender().operations().add().mutable_cancel_all();
  session_->sender().send(lock);
}

Result<void> RemoteBackend::stop_submissions() {
  if (auto allowed = check_wait(); !allowed) return allowed;
  {
    const auto lock = session_->sender().lock();
    stopped_.store(true, std::memory_order_relaxed);
  }
  session_->ledger().wake();
  return {};
}

void RemoteBackend::copy_out_written(std::uint64_t task) {
  std::vector<std::shared_ptr<SharedPlace>> outdated;
  {
    const auto lock = session_->sender().lock();
    outdated = data_.outdated();
  }
  for (const auto& place : outdated) place->copy_out_rest(task);
}

Result<void> RemoteBackend::wait_all() {
  if (auto allowed = check_wait(); !allowed) return allowed;
  bool gave_up = false;
  const Result<void> ended = wait_until_ended(gave_up);
  // A wait that was given up has told the program of no failure.
  if (gave_up) return ended;
  session_->ledger().told_all();
  const auto callbacks = session_->ledger().callback_failures().take_summary();
  if (callbacks == nullptr) return ended;
  if (ended) return *callbacks;
  return Failure{ended.failure().code, ended.failure().message + "; " + callbacks->message};
}

Result<void> RemoteBackend::wait_until_ended() {
  bool gave_up = false;
  return wait_until_ended(gave_up);
}

Result<void> RemoteBackend::wait_until_ended(bool& gave_up) {
  std::unique_ptr<Failure> summary;
  const auto add = [&summary](const Failure& failure) {
    if (summary == nullptr) {
      summary = std::make_unique<Failure>(failure);
    } else {
      summary->message += "; " + failure.message;
    }
  };
  while (true) {
    auto lock = session_->sender().lock();
    if (auto ends = check_may_wait_for_all(); !ends) return ends;
    const std::uint64_t last = last_task_.load(std::memory_order_relaxed);
    const auto [answer, withdrawn] = session_->call_interruptibly(
        std::move(lock),
        [](v1::Operation& operation, std::uint64_t request) { operation.mutable_wait_all()->set_request(request); });
    if (!answer && session_->is_lost()) return loss();
    gave_up = !answer && withdrawn;
    // An answer that came in the same moment is a summary of failures.
    if (!answer && (!gave_up || answer.failure().code != ErrorCode::cancelled)) add(answer.failure());
    // Some callbacks may not have been called yet, and may submit further tasks.
    Result<void> settled = gave_up ? graph::gave_up_waiting() : session_->ledger().wait_up_to(last);
    if (!settled) {
      gave_up = !session_->is_lost();
      // The next wait tells what this one has heard.
      if (gave_up && summary != nullptr) session_->ledger().callback_failures().add(*summary);
      return settled;
    }
    copy_out_written(last);
    if (last_task_.load(std::memory_order_relaxed) == last) break;
  }
  if (summary != nullptr) return *summary;
  return {};
}

Result<void> RemoteBackend::wait_for(const Handle& handle) {
  auto acquired = acquire(handle, AccessMode::read);
  if (!acquired) return acquired.failure();
  give_back(acquired.value().hold);
  return {};
}

Progress RemoteBackend::progress() const {
  // Read the number of ended tasks first: in the other order, the result could have more ended than submitted tasks.
  const std::uint64_t ended = session_->ledger().settled_weight();
  return {session_->ledger().submitted_weight(), ended};
}

Result<RunReport> RemoteBackend::report() const {
  const auto calls = ServiceCalls::connect(folder_);
  if (!calls) return calls.failure();
  const auto jobs = calls.value().jobs();
  if (!jobs) return jobs.failure();
  const auto is_ours = [this](const SessionView& job) { return job.id == session_->greeting().session; };
  const auto job = std::find_if(jobs.value().begin(), jobs.value().end(), is_ours);
  if (job == jobs.value().end()) {
    return Failure{ErrorCode::service_lost, "the service does not know this program's session any more"};
  }
  RunReport report;
  report.submitted = job->submitted;
  report.ended = job->ended;
  WorkerReport& workers = report.workers.emplace_back();
  workers.device = "the workers of the service";
  workers.counts.tasks = job->ended;
  workers.time.busy = job->worker_time;
  return report;
}

Result<Trace> RemoteBackend::take_trace() {
  return Failure{ErrorCode::invalid_argument,
                 "a service gives no traces, as its workers run the tasks of all its clients: run this program with an "
                 "embedded Runtime to trace it"};
}

Result<MetricsSnapshot> RemoteBackend::metrics() const {
  return Failure{ErrorCode::invalid_argument,
                 "the metrics of a service are those of all its clients: `troupe metrics` shows them"};
}

Result<WhyReport> RemoteBackend::why() const {
  return Failure{ErrorCode::invalid_argument,
                 fmt::format("`troupe why {}` says why the tasks of this session do not go "
                             "on",
                             session_->greeting().session)};
}

}  // namespace troupe::remote
