#include "service/sessions/session_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "graph/tasks/calling_thread.hpp"
#include "service/codelets/reductions.hpp"
#include "service/sessions/wire_checks.hpp"

namespace troupe::service {

SessionRequests::SessionRequests(const Collaborators& collaborators, std::function<void()> wake)
    : collaborators_(collaborators) {
  ready_->wake = std::move(wake);
}

std::function<void()> SessionRequests::ready_callback() {
  // The callback shares the list, because it may still run after the request has been finished.
  return [list = ready_, number = next_] {
    {
      const LockGuard lock(list->mutex);
      list->numbers.push_back(number);
      list->arrived.notify_one();
    }
    list->wake();
  };
}

void SessionRequests::begin(Pending pending, Result<std::unique_ptr<graph::PendingHold>> hold) {
  if (!hold) {
    collaborators_.data.drop_blocks(pending.added);
    if (pending.kind == Kind::release) collaborators_.data.forget(pending.removed);
    if (pending.request != 0) collaborators_.outbox.reply(pending.request, hold.failure());
    return;
  }
  pending.hold = std::move(hold).value();
  if (pending.kind == Kind::acquire) acquiring_.emplace(pending.request, next_);
  pending_.emplace(next_++, std::move(pending));
}

Result<void> SessionRequests::acquire(const v1::Acquire& message) {
  const auto data = collaborators_.data.get("acquire.handle", message.handle());
  if (!data) return data.failure();
  const auto mode = check_mode("acquire.mode", message.mode());
  if (!mode) return mode.failure();
  if (held_.contains(message.request()) || acquiring_.contains(message.request())) {
    return violation("acquire.request",
                     fmt::format("data are held or waited for with request {} already", message.request()));
  }
  begin({.kind = Kind::acquire, .request = message.request(), .hold = nullptr},
        collaborators_.graph.begin_acquire(data.value()->handle, mode.value(), ready_callback()));
  return {};
}

Result<void> SessionRequests::give_back(const v1::GiveBack& message) {
  if (const auto held = held_.find(message.request()); held != held_.end()) {
    graph::Task* const hold = held->second;
    held_.erase(held);
    collaborators_.graph.give_back(hold);
    return {};
  }
  if (const auto acquiring = acquiring_.find(message.request()); acquiring != acquiring_.end()) {
    pending_.at(acquiring->second).returned = true;
    acquiring_.erase(acquiring);
    return {};
  }
  return violation("give_back.request", fmt::format("no data are held for request {}", message.request()));
}

Result<void> SessionRequests::partition(const v1::Partition& message) {
  auto reserved = collaborators_.data.reserve_blocks(message);
  if (!reserved) return reserved.failure();
  SessionData::NewBlocks added = std::move(reserved).value();
  if (const auto allowed = collaborators_.data.allow_blocks(added); !allowed) {
    add_blocks(message.request(), added, allowed.failure());
    return {};
  }
  const Handle whole = collaborators_.data.find(added.whole)->handle;
  if (added.halos) {
    add_blocks(message.request(), added, collaborators_.graph.halos(whole, added.blocks, 0));
  } else if (added.anew) {
    repartition(message.request(), std::move(added), !message.at_once());
  } else {
    begin({.kind = Kind::partition, .request = message.request(), .hold = nullptr, .added = std::move(added)},
          collaborators_.graph.begin_change(whole, false, ready_callback()));
  }
  return {};
}

void SessionRequests::repartition(std::uint64_t request, SessionData::NewBlocks added, bool may_wait) {
  const Handle whole = collaborators_.data.find(added.whole)->handle;
  auto begun = collaborators_.graph.begin_repartition(whole, added.blocks, may_wait, ready_callback());
  if (!begun) return add_blocks(request, added, begun.failure());
  if (begun.value().pending == nullptr) return add_blocks(request, added, std::move(begun.value().parts));
  begin({.kind = Kind::repartition, .request = request, .hold = nullptr, .added = std::move(added)},
        std::move(begun.value().pending));
}

Result<void> SessionRequests::set_reduction(const v1::SetReduction& message) {
  const auto data = collaborators_.data.get("set_reduction.handle", message.handle());
  if (!data) return data.failure();
  if (auto named = check_name("set_reduction.name", message.name()); !named) return named;
  auto methods = find_reduction(message.name(), data.value()->layout, collaborators_.codelets);
  if (!methods) {
    collaborators_.outbox.reply(message.request(), methods.failure());
    return {};
  }
  begin({.kind = Kind::set_reduction,
         .request = message.request(),
         .hold = nullptr,
         .methods = std::move(methods).value()},
        collaborators_.graph.begin_change(data.value()->handle, false, ready_callback()));
  return {};
}

Result<void> SessionRequests::release(const v1::ReleaseData& message) {
  auto removed = collaborators_.data.remove(message.handle());
  if (!removed) return removed.failure();
  const Handle handle = removed.value().handle;
  begin({.kind = Kind::release, .request = message.request(), .hold = nullptr, .removed = std::move(removed).value()},
        collaborators_.graph.begin_change(handle, true, ready_callback()));
  return {};
}

Result<void> SessionRequests::refuse(std::uint64_t task, std::span<const Handle> written, Failure why) {
  auto hold = collaborators_.graph.begin_refusal(written, ready_callback());
  if (!hold) return hold.failure();
  ++refusals_;
  begin({.kind = Kind::refusal, .hold = nullptr, .task = task, .why = std::make_shared<const Failure>(std::move(why))},
        std::move(hold));
  return {};
}

void SessionRequests::take_refused(EndingCollector::Batch& batch) {
  std::move(refused_.begin(), refused_.end(), std::back_inserter(batch.others));
  refused_.clear();
}

Result<void> SessionRequests::wait_all(const v1::WaitAll& message) {
  waits_.push_back(message.request());
  collaborators_.graph.combine_open_reductions();
  return {};
}

Result<void> SessionRequests::withdraw(const v1::Withdraw& message) {
  const std::uint64_t request = message.request();
  if (request == 0) return {};  // requests without a number have no reply
  if (std::erase(waits_, request) == 0) {
    const auto found = std::ranges::find_if(pending_, [request](const auto& entry) {
      const Kind kind = entry.second.kind;
      return entry.second.request == request && kind != Kind::refusal && kind != Kind::withdrawn;
    });
    if (found == pending_.end()) return {};
    Pending& pending = found->second;
    collaborators_.graph.withdraw(*pending.hold);
    if (pending.kind == Kind::acquire && !pending.returned) acquiring_.erase(request);
    if (pending.kind == Kind::partition || pending.kind == Kind::repartition) {
      collaborators_.data.drop_blocks(pending.added);
    }
    if (pending.kind == Kind::release) collaborators_.data.restore(pending.removed);
    pending.kind = Kind::withdrawn;
  }
  collaborators_.outbox.reply(request, graph::gave_up_waiting());
  return {};
}

void SessionRequests::wait_ready() {
  UniqueLock lock(ready_->mutex);
  ready_->arrived.wait(lock, [this]() TROUPE_REQUIRES(ready_->mutex) { return !ready_->numbers.empty(); });
}

void SessionRequests::finish_ready() {
  std::vector<std::uint64_t> ready;
  {
    const LockGuard lock(ready_->mutex);
    ready.swap(ready_->numbers);
  }
  for (const std::uint64_t number : ready) {
    const auto found = pending_.find(number);
    Pending pending = std::move(found->second);
    pending_.erase(found);
    if (pending.kind == Kind::acquire && !pending.returned) acquiring_.erase(pending.request);
    finish(pending);
  }
  if (!waits_.empty()) finish_waits();
}

void SessionRequests::finish(Pending& pending) {
  std::optional<Failure> problem;
  const auto note = [&problem](const Result<void>& outcome) {
    if (!outcome) problem = outcome.failure();
  };
  switch (pending.kind) {
    case Kind::acquire: return finish_acquire(pending);
    case Kind::partition:
      return add_blocks(pending.request, pending.added,
                        collaborators_.graph.finish_partition(*pending.hold, pending.added.blocks));
    case Kind::repartition:
      return add_blocks(pending.request, pending.added,
                        collaborators_.graph.finish_repartition(*pending.hold, pending.added.blocks));
    case Kind::refusal: return finish_refusal(pending);
    case Kind::withdrawn: return collaborators_.graph.finish_withdrawn(*pending.hold);
    case Kind::set_reduction:
      note(collaborators_.graph.finish_set_reduction(*pending.hold, std::move(pending.methods)));
      break;
    case Kind::release:
      note(collaborators_.graph.finish_release(*pending.hold));
      collaborators_.data.forget(pending.removed);
      break;
  }
  if (pending.request != 0) collaborators_.outbox.reply(pending.request, problem);
}

void SessionRequests::finish_acquire(Pending& pending) {
  const auto hold = collaborators_.graph.finish_acquire(*pending.hold);
  std::optional<Failure> problem;
  if (!hold) problem = hold.failure();
  // If the client wrongly uses one number for two requests, the data of the second request are given back at once.
  const bool keep = hold && !pending.returned && !abandoned_ && held_.emplace(pending.request, hold.value()).second;
  if (hold && !keep) collaborators_.graph.give_back(hold.value());
  collaborators_.outbox.reply(pending.request, problem);
}

void SessionRequests::finish_refusal(const Pending& pending) {
  --refusals_;
  const ErrorCode code = pending.why->code;
  // A task that came after a cancellation or a stop counts as cancelled; a task that cannot run counts as failed.
  const bool withdrawn = code == ErrorCode::cancelled || code == ErrorCode::stopped;
  const TaskStatus status = withdrawn ? TaskStatus::cancelled : TaskStatus::failed;
  collaborators_.graph.finish_refusal(*pending.hold, status, pending.why);
  refused_.push_back({pending.task, status, pending.why});
}

void SessionRequests::add_blocks(std::uint64_t request, const SessionData::NewBlocks& added,
                                 const Result<std::vector<Handle>>& handles) {
  if (handles && collaborators_.data.find(added.whole) != nullptr) {
    collaborators_.data.add_blocks(added, handles.value());
  } else {
    collaborators_.data.drop_blocks(added);
  }
  std::optional<Failure> problem;
  if (!handles) problem = handles.failure();
  collaborators_.outbox.reply(request, problem);
}

void SessionRequests::finish_waits() {
  // No task is submitted during this call, because only this thread submits.
  if (!can_finish_waits()) return;
  collaborators_.graph.combine_open_reductions();
  // Check again: if there were reductions, they have become tasks, and this function is called again when they have
  // ended. The result of the call above does not show this, because for a moment the graph still counts tasks as
  // running that have already reported their ends.
  if (!can_finish_waits()) return;
  collaborators_.graph.bring_all_home();
  const auto summary = collaborators_.graph.failures().take_summary();
  std::optional<Failure> problem;
  if (summary) problem = *summary;
  for (const std::uint64_t request : waits_) {
    collaborators_.outbox.reply(request, problem);
    problem.reset();
  }
  waits_.clear();
}

void SessionRequests::abandon() {
  abandoned_ = true;
  waits_.clear();
  for (const auto& [request, hold] : held_) collaborators_.graph.give_back(hold);
  held_.clear();
}

}  // namespace troupe::service
