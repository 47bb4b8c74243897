/// The functions of the backend for data: registrations, reductions, and data that the program holds.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>
#include <unordered_set>
#include <utility>

#include "client/remote/connection/wire_text.hpp"
#include "client/remote/remote_backend.hpp"
#include "graph/data/usable.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "graph/tasks/calling_thread.hpp"

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
  if (layout.planes != 1) {
    out.set_planes(layout.planes);
    out.set_plane_stride(layout.plane_stride);
  }
  out.set_element_size(layout.element_size);
  out.set_element_tag(layout.element_tag);
  out.set_name(wire_text(record.name));
  out.set_hidden(record.hidden && !place.is_copy());
  out.set_unwritten(record.content.unwritten);
}

}  // namespace

/// Data that the program has acquired.
struct RemoteBackend::Hold {
  Hold(const graph::DataRecord& held, AccessMode held_mode)
      : mode(held_mode), name(graph::describe(held)), behind(held, held_mode) {}

  std::uint64_t request = 0;
  const AccessMode mode;
  std::shared_ptr<SharedPlace> place;
  Block part;
  /// The number of the newest task when the data were acquired.
  std::uint64_t task = 0;

  // The next members require the submission lock.
  /// The thread that has acquired the data and must not wait for tasks that need them; empty if another thread may give
  /// the data back.
  std::thread::id thread;
  /// True while that thread waits for room.
  bool waits_for_room = false;
  /// The description of the data.
  const std::string name;
  TasksBehindHold behind;
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

Result<Layout> RemoteBackend::layout_of(const Handle& handle) {
  const auto lock = session_->sender().lock();
  const auto record = registry_.find(handle);
  if (!record) return record.failure();
  return record.value()->view.layout;
}

Result<void> RemoteBackend::set_reduction(const Handle& handle, ReductionMethods methods) {
  if (auto allowed = check_wait(); !allowed) return allowed;
  if (methods.name.empty()) {
    return Failure{ErrorCode::no_implementation,
                   "this reduction does not run on the service, which knows sum_reduction and those of its plug-ins "
                   "(ReductionMethods::name, docs/plugins.md)"};
  }
  auto lock = session_->sender().lock();
  const auto record = registry_.find(handle);
  if (!record) return record.failure();
  if (auto valid = graph::check_methods(methods, *record.value()); !valid) return valid;
  if (auto allowed = graph::check_writable(*record.value(), AccessMode::reduce); !allowed) return allowed;
  if (auto ends = check_may_use(record.value()->whole(), AccessMode::read_write); !ends) return ends;
  const auto fill_in = [&](v1::Operation& operation, std::uint64_t request) {
    v1::SetReduction& out = *operation.mutable_set_reduction();
    out.set_request(request);
    out.set_handle(handle.id().value());
    out.set_name(wire_text(methods.name));
  };
  const auto answer = session_->call_interruptibly(std::move(lock), fill_in).answer;
  if (!answer) return answer.failure();
  lock = session_->sender().lock();
  const auto still = registry_.find(handle);
  if (!still) return still.failure();
  // The service has the functions. Here they would be destroyed under a lock.
  still.value()->reduction = std::make_unique<graph::Reduction>(ReductionMethods(), 0);
  return {};
}

void RemoteBackend::forget(const Handle& handle) {
  // Another thread may have replaced this part meanwhile (`repartition`), and forgotten it.
  if (!graph::DataRegistry::exists(handle)) return;
  graph::DataRecord& record = *handle.record();
  for (Hold* hold : holds_) hold->behind.forget(record);
  data_.remove(record);
  registry_.remove(record);
  graph::RemovedReductions removed;
  registry_.take_removed(removed);
}

Result<void> RemoteBackend::release_late(graph::DataRecord& record) {
  record.visit_family([](graph::DataRecord& part) { part.refuse(true); });
  const Handle handle(&record, record.handle_id());
  const std::uint64_t request = session_->requests().begin([this, handle](const PendingRequests::Answer&) {
    const auto end = session_->sender().lock();
    forget(handle);
  });
  if (request == 0) {
    const Failure cause = loss();
    forget(handle);
    return cause;
  }
  v1::ReleaseData& out = *session_->sender().operations().add().mutable_release_data();
  out.set_request(request);
  out.set_handle(handle.id().value());
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
  if (auto ends = check_may_use(record.whole(), AccessMode::read_write); !ends) return ends;
  record.visit_family([](graph::DataRecord& part) { part.refuse(true); });
  const std::uint64_t last = last_task_.load(std::memory_order_relaxed);
  const Block part = SharedData::part_of(record);
  const std::uint64_t written = place->last_writer;
  const auto fill_in = [&](v1::Operation& operation, std::uint64_t request) {
    operation.mutable_release_data()->set_request(request);
    operation.mutable_release_data()->set_handle(handle.id().value());
  };
  const auto answer = session_->call_interruptibly(std::move(lock), fill_in).answer;
  if (answer) place->copy_out(part, written, last);
  if (is_whole && (answer || session_->is_lost())) place->take_back();
  lock = session_->sender().lock();
  if (!answer && !session_->is_lost()) {
    if (graph::DataRegistry::exists(handle)) record.visit_family([](graph::DataRecord& one) { one.refuse(false); });
    return answer.failure();
  }
  forget(handle);
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
  const graph::WaitInterrupt uninterrupted;
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

Result<void> RemoteBackend::discard(const Handle& handle) {
  if (auto here = home_.check(); !here) return here;
  const bool recording = recording_here() != nullptr;
  auto lock = session_->sender().lock();
  const auto found = registry_.find(handle);
  if (!found) return found.failure();
  graph::DataRecord& record = *found.value();
  if (recording) return graph::discards_in_recording(record);
  if (auto allowed = graph::check_halo(record, AccessMode::write); !allowed) return allowed;
  if (record.content.read_only) return graph::discards_const(record);
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

Result<client::Backend::Acquired> RemoteBackend::acquire(const Handle& handle, AccessMode mode) {
  if (auto allowed = graph::check_hold_mode(mode); !allowed) return allowed.failure();
  if (auto allowed = check_wait(); !allowed) return allowed.failure();
  auto lock = session_->sender().lock();
  const auto record = registry_.find(handle);
  if (!record) return record.failure();
  if (auto usable = graph::check_usable(*record.value(), mode); !usable) return usable.failure();
  auto hold = std::make_unique<Hold>(*record.value(), mode);
  hold->place = data_.place_of(*record.value());
  hold->part = SharedData::part_of(*record.value());
  const DataView view = record.value()->view;
  hold->task = last_task_.load(std::memory_order_relaxed);
  if (auto ends = check_may_use(*record.value(), mode); !ends) return ends.failure();
  hold->thread = std::this_thread::get_id();
  const std::uint64_t written = hold->place->last_writer;
  graph::note_written(registry_, *record.value(), mode);
  const auto fill_in = [&](v1::Operation& operation, std::uint64_t request) {
    v1::Acquire& out = *operation.mutable_acquire();
    out.set_request(request);
    out.set_handle(handle.id().value());
    out.set_mode(to_wire(mode));
    hold->request = request;
    // Tasks that other threads submit while this one waits come after the hold.
    holds_.push_back(hold.get());
  };
  const auto [answer, gave_up] = session_->call_interruptibly(std::move(lock), fill_in);
  if (!answer) {
    lock = session_->sender().lock();
    std::erase(holds_, hold.get());
    lock.unlock();
    if (answer.failure().code == ErrorCode::cancelled && !gave_up) session_->ledger().told_all();
    return answer.failure();
  }
  hold->place->hold(hold->part, mode, written, hold->task);
  if (gave_up) {
    give_back(hold.release());
    return graph::gave_up_waiting();
  }
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
  static_cast<Hold*>(hold)->waits_for_room = false;
}

void RemoteBackend::note_behind_holds(std::uint64_t task, std::span<const TasksBehindHold::Use> uses,
                                      std::span<const std::uint64_t> after, std::uint64_t tasks) {
  for (Hold* hold : holds_) hold->behind.note(task, uses, after, tasks);
}

void RemoteBackend::follow_former(const graph::DataRegistry::NewParts& parts, std::span<const Handle> added) {
  if (holds_.empty()) return;
  const std::unordered_set<const graph::DataRecord*> former(parts.former.begin(), parts.former.end());
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (!registry_.find(added[i])) continue;
    for (const graph::DataRecord* one : parts.overlapped[i]) {
      if (!former.contains(one)) continue;
      for (Hold* hold : holds_) hold->behind.follow(*one, *parts.added[i]);
    }
  }
}

Result<void> RemoteBackend::check_own_holds(
    const std::function<std::uint64_t(const TasksBehindHold&, const TasksBehindHold::Pending&)>& find) const {
  const auto pending = [this](std::uint64_t task) { return session_->ledger().status(task) == TaskStatus::pending; };
  for (const Hold* hold : holds_) {
    if (hold->thread != std::this_thread::get_id()) continue;
    if (const std::uint64_t task = find(hold->behind, pending); task != 0) {
      return graph::never_ends(fmt::format("task {} waits for data that this thread holds (acquire), {} in mode {}",
                                           task, hold->name, to_string(hold->mode)));
    }
  }
  return {};
}

Result<void> RemoteBackend::check_may_wait_for_all() const {
  return check_own_holds([](const TasksBehindHold& behind, const auto& pending) { return behind.first(pending); });
}

namespace {

/// Returns how many tasks wait for a hold; `waiting` also has those that wait for holds which were looked at before.
std::uint64_t count_behind(const TasksBehindHold& behind, const TasksBehindHold::Pending& pending,
                           std::map<std::uint64_t, std::uint64_t>& waiting) {
  behind.collect(pending, waiting);
  std::uint64_t tasks = 0;
  for (const auto& [task, count] : waiting) tasks += count;
  return tasks;
}

}  // namespace

Result<void> RemoteBackend::check_may_wait_for_room(std::uint64_t window) const {
  std::map<std::uint64_t, std::uint64_t> waiting;
  return check_own_holds([&](const TasksBehindHold& behind, const auto& pending) -> std::uint64_t {
    return count_behind(behind, pending, waiting) >= window ? behind.first(pending) : 0;
  });
}

bool RemoteBackend::all_wait_for_room(std::uint64_t window) const {
  const auto pending = [this](std::uint64_t task) { return session_->ledger().status(task) == TaskStatus::pending; };
  std::map<std::uint64_t, std::uint64_t> waiting;
  return std::ranges::any_of(holds_, [&](const Hold* hold) {
    return (hold->waits_for_room || hold->thread == std::this_thread::get_id()) &&
           count_behind(hold->behind, pending, waiting) >= window;
  });
}

bool RemoteBackend::holds_here() const {
  return std::ranges::any_of(holds_, [](const Hold* hold) { return hold->thread == std::this_thread::get_id(); });
}

void RemoteBackend::note_wait_for_room(bool waits) {
  for (Hold* hold : holds_) {
    if (hold->thread == std::this_thread::get_id()) hold->waits_for_room = waits;
  }
  ++waits_changed_;
}

Result<void> RemoteBackend::check_may_wait(std::uint64_t task) const {
  return check_own_holds(
      [task](const TasksBehindHold& behind, const auto& pending) { return behind.waits(task, pending) ? task : 0; });
}

Result<void> RemoteBackend::check_may_use(const graph::DataRecord& record, AccessMode mode) const {
  for (const Hold* hold : holds_) {
    if (hold->thread != std::this_thread::get_id() || !hold->behind.holds({&record, mode})) continue;
    return graph::never_ends(
        fmt::format("this thread holds {} in mode {} (acquire)", hold->name, to_string(hold->mode)));
  }
  return check_own_holds([&](const TasksBehindHold& behind, const auto& pending) {
    return behind.find({&record, mode}, pending);
  });
}

}  // namespace troupe::remote
