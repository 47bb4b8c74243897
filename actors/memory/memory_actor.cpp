#include "actors/memory/memory_actor.hpp"

#include <algorithm>
#include <cassert>

namespace troupe::memory {

void MemoryState::handle(const MemoryEvent& event) {
  switch (event.kind) {
    case MemoryEvent::Kind::acquire: core_.acquire(event.request, event.node, event.uses, commands_, event.task); break;
    case MemoryEvent::Kind::bring_home: core_.bring_home(event.request, event.uses, commands_); break;
    case MemoryEvent::Kind::release: core_.release(event.request, commands_); break;
    case MemoryEvent::Kind::prefetch: core_.prefetch(event.node, event.uses, commands_, event.task); break;
    case MemoryEvent::Kind::transfer_done: core_.transfer_done(event.transfer, commands_); break;
    case MemoryEvent::Kind::transfer_failed: core_.transfer_failed(event.transfer, commands_); break;
    case MemoryEvent::Kind::forget: core_.forget(event.handle, commands_); break;
    case MemoryEvent::Kind::discard: core_.discard(event.handle, commands_); break;
    case MemoryEvent::Kind::node_lost: core_.node_lost(event.node, commands_); break;
    case MemoryEvent::Kind::set_reuse: core_.set_reuse(event.handle, event.reuse); break;
    case MemoryEvent::Kind::lock: core_.lock(event.handle); break;
    case MemoryEvent::Kind::unlock: core_.unlock(event.handle); break;
  }
}

void MemoryState::perform(const Command& command) {
  switch (command.kind) {
    case Command::Kind::start_transfer: host_.copy(command); break;
    case Command::Kind::urgent: host_.hurry(command.transfer); break;
    case Command::Kind::acquired: host_.acquired(command.request); break;
    case Command::Kind::cannot_fit:
    case Command::Kind::failed:
    case Command::Kind::node_lost:
    case Command::Kind::content_lost: host_.refused(command); break;
    case Command::Kind::replica_changed: host_.replica_changed(command.handle, command.node, command.state); break;
  }
}

void MemoryState::perform_all() {
  for (const Command& command : commands_) perform(command);
  commands_.clear();
}

bool MemoryState::holds(const MemoryEvent& event) {
  const auto fine = [&](HandleId handle)
                        TROUPE_REQUIRES(mutex_) { return !handle.valid() || core_.check(handle).empty(); };
  if (!fine(event.handle)) return false;
  if (!std::ranges::all_of(event.uses, fine, &Use::handle)) return false;
  if (!std::ranges::all_of(commands_, fine, &Command::handle)) return false;
  if (events_left_-- > 0) return true;
  // A check of everything takes time in proportion to the number of handles. So if there are n handles, everything is
  // checked only once in about n events. Per event, this takes no longer than the check of the event's own handles.
  events_left_ = 64 + core_.handles();
  return core_.check().empty();
}

void MemoryState::empty_inbox() {
  ++passes_;
  do {
    inbox_.take(events_);
    for (const MemoryEvent& event : events_) {
      handle(event);
      assert(holds(event) && "the memory core's state is consistent");
      perform_all();
    }
  } while (awaits_what_is_left());
}

// No release may stay in the inbox while a request waits for a release. `Inbox::leave` and `Inbox::set_awaited` take
// the same lock. So the next round of `empty_inbox` handles each release that was left before `set_awaited`, and a
// thread that leaves a release later learns that it has to wake the actor. Requests begin to wait only in
// `empty_inbox`, which calls this function last.
bool MemoryState::awaits_what_is_left() {
  if (core_.awaits_release() == awaits_release_) return false;
  awaits_release_ = !awaits_release_;
  inbox_.set_awaited(awaits_release_);
  return awaits_release_;
}

void MemoryState::handle_inbox() {
  const LockGuard lock(mutex_);
  empty_inbox();
}

bool MemoryState::try_to_handle_inbox() {
  if (!mutex_.try_lock()) return false;
  const LockGuard lock(mutex_, std::adopt_lock);
  empty_inbox();
  return true;
}

bool MemoryState::try_to_acquire(const MemoryEvent& acquire) {
  empty_inbox();
  if (!core_.acquire_at_once(acquire.request, acquire.node, acquire.uses, commands_, acquire.task)) return false;
  assert(holds(acquire) && "the memory core's state is consistent");
  perform_all();
  return true;
}

caf::behavior memory_behavior(caf::event_based_actor* self, std::shared_ptr<MemoryState> state) {
  // Handles the events that the previous actor had not handled when it died.
  state->handle_inbox();
  return {
      [=](const DataRequested&) { state->handle_inbox(); },
      [=](const Stop&) { self->quit(caf::exit_reason::normal); },
  };
}

}  // namespace troupe::memory
