/// Registration, waiting and progress of the backend. Tasks and recordings are in other files.
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

namespace troupe::remote {

namespace {

/// The largest element, in bytes, that the service accepts.
constexpr std::uint32_t kLargestElement = 1U << 20U;

void fill(v1::RegisterData& out, const graph::DataRecord& record, const SharedPlace& place) {
  const Layout& layout = place.layout();
  out.set_handle(record.handle_id().value());
  out.set_segment(place.address().segment);
  out.set_offset(place.address().offset);
  out.set_rows(layout.rows);
  out.set_cols(layout.cols);
  out.set_ld(layout.ld);
  out.set_element_size(layout.element_size);
  out.set_element_tag(layout.element_tag);
  out.set_name(wire_text(record.name));
  out.set_hidden(record.hidden && !place.is_copy());
  out.set_unwritten(record.unwritten);
}

}  // namespace

/// Data that the program has acquired.
struct RemoteBackend::Hold {
  std::uint64_t request = 0;
  AccessMode mode = AccessMode::read;
  std::shared_ptr<SharedPlace> place;
  SharedPlace::Part part;
  /// The number of the newest task when the data were acquired.
  std::uint64_t task = 0;

  // The next members require the submission lock.
  /// The thread that has acquired the data and must not wait for tasks that need them; empty if another thread may give
  /// the data back.
  std::thread::id thread;
  const graph::DataRecord* record = nullptr;
  /// The first task that waits until the data are given back; 0 if there is none.
  std::uint64_t waiting = 0;
};

/// Keeps data in devices' memories. The destructor tells the service that the data need not be kept any more.
class RemoteBackend::Kept {
 public:
  Kept(Session& session, std::uint64_t number) : session_(session), number_(number) {}
  ~Kept() {
    auto lock = session_.sender().lock();
    session_.sender().operations().add().mutable_let_go()->set_keep(number_);
    session_.sender().send(lock);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

 private:
  Session& session_;
  std::uint64_t number_;
};

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

Result<void> RemoteBackend::check_handles(std::size_t more) const {
  const std::uint64_t most = session_->greeting().most_handles;
  if (most == 0 || registry_.size() + more <= most) return {};
  return Failure{ErrorCode::out_of_memory,
                 fmt::format("{} registered handles and {} more: the service lets a program have {}", registry_.size(),
                             more, most)};
}

Result<Handle> RemoteBackend::register_data(graph::DataDescription description) {
  if (auto here = home_.check(); !here) return here.failure();
  if (description.layout.element_size > kLargestElement) {
    return Failure{ErrorCode::invalid_argument, fmt::format("elements of {} bytes: a service takes at most {}",
                                                            description.layout.element_size, kLargestElement)};
  }
  auto place = SharedPlace::of(description, heap_);
  if (!place) return place.failure();
  auto lock = session_->sender().lock();
  if (session_->is_lost()) return loss();
  if (auto room = check_handles(1); !room) return room.failure();
  const auto added = registry_.add_apart(std::move(description));
  if (!added) return added.failure();
  graph::DataRecord& record = *added.value();
  fill(*session_->sender().operations().add(64 + record.name.size()).mutable_register_data(), record, *place.value());
  data_.add(record, std::move(place).value());
  const Handle handle(&record, record.handle_id());
  session_->sender().send(lock);
  return handle;
}

Result<client::Memory> RemoteBackend::allocate(Bytes size, NumaId /*node*/) {
  if (auto here = home_.check(); !here) return here.failure();
  auto block = heap_.allocate(size);
  if (!block) return block.failure();
  return client::Memory{std::move(block).value(), size};
}

std::shared_ptr<void> RemoteBackend::pin(const void* /*memory*/, Bytes /*size*/) { return nullptr; }

namespace {

Failure runs_no_coroutines() {
  return {ErrorCode::no_implementation,
          "a service runs no code of its clients, so it cannot resume a coroutine: wait for the future instead"};
}

/// Returns true if the records have data in common.
bool meet(const graph::DataRecord& one, const graph::DataRecord& other) {
  const auto contains = [](const graph::DataRecord* above, const graph::DataRecord* below) {
    while (below != nullptr && below != above) below = below->parent;
    return below == above;
  };
  if (one.is_halo && !other.is_halo) return meet(other, one);
  if (!other.is_halo) return contains(&one, &other) || contains(&other, &one);
  return std::ranges::any_of(other.children, [&](const graph::DataRecord* overlapped) {
    return one.is_halo ? std::ranges::find(one.children, overlapped) != one.children.end() : contains(&one, overlapped);
  });
}

}  // namespace

bool RemoteBackend::is_being_recorded(const graph::DataRecord& record) const {
  for (const OpenRecording* open : open_recordings_) {
    for (const graph::Recording::Use& use : open->recording->uses()) {
      if (meet(record, *use.recorded)) return true;
    }
  }
  return false;
}

Result<std::vector<Handle>> RemoteBackend::partition(const Handle& whole, std::span<const Block> blocks) {
  const auto add = [&](graph::DataRecord& record) -> Result<std::vector<graph::DataRecord*>> {
    if (is_being_recorded(record)) return graph::partitioned_while_recorded(record);
    if (auto ends = check_holds(&record, AccessMode::read_write); !ends) return ends.failure();
    return registry_.add_parts(record, blocks);
  };
  return add_blocks(whole, blocks.size(), add);
}

Result<std::vector<Handle>> RemoteBackend::repartition(const Handle& /*whole*/, std::span<const Block> /*blocks*/) {
  return Failure{ErrorCode::no_implementation,
                 "a service cannot divide data anew: release the blocks or the whole, and divide it again"};
}

Result<std::vector<Handle>> RemoteBackend::halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) {
  if (blocks.empty()) return std::vector<Handle>();
  return add_blocks(whole, blocks.size(),
                    [&](graph::DataRecord& record) { return registry_.add_halos(record, blocks, rim); });
}

Result<std::vector<Handle>> RemoteBackend::add_blocks(const Handle& whole, std::size_t count, const AddBlocks& add) {
  if (auto allowed = check_wait(); !allowed) return allowed.failure();
  auto lock = session_->sender().lock();
  const auto record = registry_.find(whole);
  if (!record) return record.failure();
  if (auto room = check_handles(count); !room) return room.failure();
  const auto added = add(*record.value());
  if (!added) return added.failure();
  const std::vector<graph::DataRecord*>& blocks = added.value();
  const auto fill_in = [&](v1::Operation& operation, std::uint64_t request) {
    v1::Partition& out = *operation.mutable_partition();
    out.set_request(request);
    out.set_whole(whole.id().value());
    for (const graph::DataRecord* block : blocks) {
      v1::Block& filled = *out.add_blocks();
      filled.set_row(block->row_in_parent);
      filled.set_col(block->col_in_parent);
      filled.set_rows(block->view.layout.rows);
      filled.set_cols(block->view.layout.cols);
      out.add_handles(block->handle_id().value());
      out.set_halos(block->is_halo);
    }
  };
  const auto answer = session_->call(std::move(lock), fill_in, 32 + 16 * count);
  if (!answer) {
    lock = session_->sender().lock();
    for (graph::DataRecord* block : blocks) registry_.remove(*block);
    return answer.failure();
  }
  std::vector<Handle> handles;
  for (graph::DataRecord* block : blocks) handles.emplace_back(block, block->handle_id());
  return handles;
}

Result<void> RemoteBackend::outcome(const Future& future) {
  return status(future) == TaskStatus::pending ? Failure{ErrorCode::invalid_argument, "the task has not ended"}
                                               : wait(future);
}

Result<void> RemoteBackend::resume_after(const Future& /*future*/, std::coroutine_handle<> /*waiting*/) {
  return runs_no_coroutines();
}

Result<Future> RemoteBackend::begin_event(std::string /*name*/) { return runs_no_coroutines(); }

void RemoteBackend::end_event(const Future& /*event*/, std::optional<Failure> /*failure*/) {}

Result<Layout> RemoteBackend::layout_of(const Handle& handle) {
  const auto lock = session_->sender().lock();
  const auto record = registry_.find(handle);
  if (!record) return record.failure();
  return record.value()->view.layout;
}

Result<void> RemoteBackend::set_reduction(const Handle& handle, ReductionMethods methods) {
  if (auto allowed = check_wait(); !allowed) return allowed;
  if (auto valid = graph::check_methods(methods); !valid) return valid;
  if (methods.name.empty()) {
    return Failure{ErrorCode::no_implementation,
                   "this reduction does not run on the service, which knows sum_reduction and those of its plug-ins "
                   "(ReductionMethods::name, docs/plugins.md)"};
  }
  auto lock = session_->sender().lock();
  const auto record = registry_.find(handle);
  if (!record) return record.failure();
  const auto answer = session_->call(std::move(lock), [&](v1::Operation& operation, std::uint64_t request) {
    v1::SetReduction& out = *operation.mutable_set_reduction();
    out.set_request(request);
    out.set_handle(handle.id().value());
    out.set_name(wire_text(methods.name));
  });
  if (!answer) return answer.failure();
  lock = session_->sender().lock();
  const auto still = registry_.find(handle);
  if (!still) return still.failure();
  still.value()->reduction = std::make_unique<graph::Reduction>(std::move(methods), 0);
  return {};
}

void RemoteBackend::forget(graph::DataRecord& record) {
  data_.remove(record);
  registry_.remove(record);
}

Result<void> RemoteBackend::release_late(graph::DataRecord& record) {
  record.visit_family([](graph::DataRecord& part) { part.releasing = true; });
  const std::uint64_t request = session_->requests().begin([this, &record](const PendingRequests::Answer&) {
    const auto end = session_->sender().lock();
    forget(record);
  });
  if (request == 0) {
    const Failure cause = loss();
    forget(record);
    return cause;
  }
  v1::ReleaseData& out = *session_->sender().operations().add().mutable_release_data();
  out.set_request(request);
  out.set_handle(record.handle_id().value());
  return {};
}

Result<void> RemoteBackend::release(const Handle& handle) { return end_registration(handle, false); }

Result<void> RemoteBackend::end_registration(const Handle& handle, bool finally) {
  if (home_.left()) return {};
  auto lock = session_->sender().lock();
  const auto found = registry_.find(handle);
  if (!found) return found.failure();
  graph::DataRecord& record = *found.value();
  const std::shared_ptr<SharedPlace> place = data_.place_of(record);
  const bool is_whole = record.parent == nullptr;
  const bool inside = !check_outside_callback().ok();
  // If the registration is the only owner of the memory, the program cannot notice when the memory is freed. So there
  // is no wait here, which would be slow for the many tiles of a matrix. A wait is also not needed if the program's
  // memory has the newest content.
  const bool goes_too = record.owned && record.owned.use_count() == 1;
  if (is_whole && (goes_too || (finally && inside && !place->is_outdated()))) {
    if (!goes_too) place->take_back();
    if (auto begun = release_late(record); !begun) return begun;
    session_->sender().send(lock);
    return {};
  }
  if (inside) return graph::waits_in_kernel();
  if (auto ends = check_holds(&record, AccessMode::read_write); !ends) return ends;
  record.visit_family([](graph::DataRecord& part) { part.releasing = true; });
  const std::uint64_t last = last_task_.load(std::memory_order_relaxed);
  const SharedPlace::Part part = SharedData::part_of(record);
  const std::uint64_t written = place->last_writer;
  const auto answer = session_->call(std::move(lock), [&](v1::Operation& operation, std::uint64_t request) {
    operation.mutable_release_data()->set_request(request);
    operation.mutable_release_data()->set_handle(handle.id().value());
  });
  if (answer) place->copy_out(part, written, last);
  if (is_whole && (answer || session_->is_lost())) place->take_back();
  lock = session_->sender().lock();
  if (!answer && !session_->is_lost()) {
    record.visit_family([](graph::DataRecord& one) { one.releasing = false; });
    return answer.failure();
  }
  forget(record);
  if (!answer) return answer.failure();
  return {};
}

void RemoteBackend::abandon(const Handle& handle, const Failure& why) {
  auto lock = session_->sender().lock();
  const auto found = registry_.find(handle);
  if (!found) return;
  graph::DataRecord& record = *found.value();
  const std::string name = graph::describe(record);
  data_.place_of(record)->take_back();
  if (release_late(record)) session_->sender().send(lock);
  session_->ledger().callback_failures().add(
      {why.code, "the registration of " + name +
                     " ended before its last use, so that the program's memory does not get " +
                     "what tasks write there: " + why.message});
}

void RemoteBackend::let_go(const Handle& handle) noexcept {
  try {
    const Result<void> released = end_registration(handle, true);
    if (released) return;
    // These two failures are ignored: the program has already released the data, or the service is lost, which every
    // later call reports.
    const ErrorCode code = released.failure().code;
    if (code != ErrorCode::invalid_handle && code != ErrorCode::service_lost) abandon(handle, released.failure());
  } catch (...) {
    session_->ledger().callback_failures().add(
        {ErrorCode::out_of_memory,
         "no memory was left to end the registration of handle " + std::to_string(handle.id().value())});
  }
}

Result<void> RemoteBackend::regroup(const std::string& /*clusters*/) {
  return Failure{ErrorCode::invalid_argument,
                 "the cores of a service are grouped by whoever starts it: see runtime.clusters of its configuration"};
}

Result<void> RemoteBackend::discard(const Handle& handle) {
  if (auto here = home_.check(); !here) return here;
  const bool recording = recording_here() != nullptr;
  auto lock = session_->sender().lock();
  const auto found = registry_.find(handle);
  if (!found) return found.failure();
  graph::DataRecord& record = *found.value();
  if (recording) return graph::discards_in_recording(record);
  if (auto allowed = graph::check_halo(record, AccessMode::write); !allowed) return allowed;
  if (record.read_only) return graph::discards_const(record);
  if (graph::DataRegistry::is_discarded(record)) return {};
  session_->sender().operations().add().mutable_discard()->set_handle(handle.id().value());
  registry_.note_discarded(record);
  session_->sender().send(lock);
  return {};
}

Result<void> RemoteBackend::set_reuse(const Handle& handle, std::int64_t index) {
  auto lock = session_->sender().lock();
  const auto record = registry_.find(handle);
  if (!record) return record.failure();
  v1::SetReuse& out = *session_->sender().operations().add().mutable_set_reuse();
  out.set_handle(handle.id().value());
  out.set_index(index);
  session_->sender().send(lock);
  return {};
}

Result<std::shared_ptr<void>> RemoteBackend::keep(const Handle& handle) {
  auto lock = session_->sender().lock();
  const auto record = registry_.find(handle);
  if (!record) return record.failure();
  v1::Keep& out = *session_->sender().operations().add().mutable_keep();
  out.set_keep(++last_keep_);
  out.set_handle(handle.id().value());
  const std::uint64_t number = last_keep_;
  session_->sender().send(lock);
  return std::shared_ptr<void>(std::make_shared<Kept>(*session_, number));
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
  const Result<void> ended = wait_until_ended();
  session_->ledger().told_all();
  const auto callbacks = session_->ledger().callback_failures().take_summary();
  if (callbacks == nullptr) return ended;
  if (ended) return *callbacks;
  return Failure{ended.failure().code, ended.failure().message + "; " + callbacks->message};
}

Result<void> RemoteBackend::wait_until_ended() {
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
    if (auto ends = check_holds(nullptr, AccessMode::read); !ends) return ends;
    const std::uint64_t last = last_task_.load(std::memory_order_relaxed);
    const auto answer = session_->call(std::move(lock), [](v1::Operation& operation, std::uint64_t request) {
      operation.mutable_wait_all()->set_request(request);
    });
    if (!answer && session_->is_lost()) return loss();
    if (!answer) add(answer.failure());
    // Some callbacks may not have been called yet, and may submit further tasks.
    if (auto settled = session_->ledger().wait_up_to(last); !settled) return settled;
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

Result<client::Backend::Acquired> RemoteBackend::acquire(const Handle& handle, AccessMode mode) {
  if (auto allowed = graph::check_hold_mode(mode); !allowed) return allowed.failure();
  if (auto allowed = check_wait(); !allowed) return allowed.failure();
  auto lock = session_->sender().lock();
  const auto record = registry_.find(handle);
  if (!record) return record.failure();
  if (auto usable = graph::check_usable(*record.value(), mode); !usable) return usable.failure();
  auto hold = std::make_unique<Hold>();
  hold->mode = mode;
  hold->place = data_.place_of(*record.value());
  hold->part = SharedData::part_of(*record.value());
  const DataView view = record.value()->view;
  hold->task = last_task_.load(std::memory_order_relaxed);
  if (auto ends = check_holds(record.value(), mode); !ends) return ends.failure();
  hold->thread = std::this_thread::get_id();
  hold->record = record.value();
  const std::uint64_t written = hold->place->last_writer;
  graph::note_written(registry_, *record.value(), mode);
  const auto answer = session_->call(std::move(lock), [&](v1::Operation& operation, std::uint64_t request) {
    v1::Acquire& out = *operation.mutable_acquire();
    out.set_request(request);
    out.set_handle(handle.id().value());
    out.set_mode(to_wire(mode));
    hold->request = request;
  });
  if (!answer) {
    if (answer.failure().code == ErrorCode::cancelled) session_->ledger().told_all();
    return answer.failure();
  }
  hold->place->hold(hold->part, mode, written, hold->task);
  lock = session_->sender().lock();
  holds_.push_back(hold.get());
  return Acquired{hold.release(), view};
}

void RemoteBackend::give_back(void* hold) noexcept {
  if (home_.left()) return;
  const std::unique_ptr<Hold> held(static_cast<Hold*>(hold));
  held->place->give_back(held->part, held->mode, held->task);
  auto lock = session_->sender().lock();
  std::erase(holds_, held.get());
  if (session_->is_lost()) return;
  session_->sender().urgent().mutable_give_back()->set_request(held->request);
  session_->sender().send(lock);
}

void RemoteBackend::hand_on(void* hold) noexcept {
  const auto lock = session_->sender().lock();
  static_cast<Hold*>(hold)->thread = {};
}

void RemoteBackend::note_use(const graph::DataRecord& record, AccessMode mode, std::uint64_t number) {
  for (Hold* hold : holds_) {
    const bool conflicts = (writes(mode) || writes(hold->mode)) && meet(record, *hold->record);
    if (conflicts && hold->waiting == 0) hold->waiting = number;
  }
}

Result<void> RemoteBackend::check_holds(const graph::DataRecord* record, AccessMode mode) const {
  for (const Hold* hold : holds_) {
    if (hold->thread != std::this_thread::get_id()) continue;
    const bool own = record != nullptr && meet(*record, *hold->record) && (writes(mode) || writes(hold->mode));
    if (!own && (record != nullptr || hold->waiting == 0)) continue;
    const std::string who = own ? "this thread" : fmt::format("task {} waits for data that this thread", hold->waiting);
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("this wait would never end: {} holds (acquire), {} in mode {}: give that back before "
                               "(HostAccess::give_back, or the end of its scope)",
                               who, graph::describe(*hold->record), to_string(hold->mode))};
  }
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
