#include "actors/memory/memory_actor.hpp"

namespace troupe::memory {

void MemoryState::handle(const MemoryEvent& event) {
  switch (event.kind) {
    case MemoryEvent::Kind::acquire: core_.acquire(event.request, event.node, event.uses, commands_); break;
    case MemoryEvent::Kind::release: core_.release(event.request, commands_); break;
    case MemoryEvent::Kind::prefetch: core_.prefetch(event.node, event.uses, commands_); break;
    case MemoryEvent::Kind::transfer_done: core_.transfer_done(event.transfer, commands_); break;
    case MemoryEvent::Kind::transfer_failed: core_.transfer_failed(event.transfer, commands_); break;
    case MemoryEvent::Kind::forget: core_.forget(event.handle, commands_); break;
  }
}

void MemoryState::perform(const Command& command) {
  switch (command.kind) {
    case Command::Kind::start_transfer: host_.copy(command); break;
    case Command::Kind::urgent: host_.hurry(command.transfer); break;
    case Command::Kind::acquired: host_.acquired(command.request); break;
    case Command::Kind::cannot_fit:
    case Command::Kind::failed: host_.refused(command); break;
    case Command::Kind::replica_changed: host_.replica_changed(command.handle, command.node, command.state); break;
  }
}

void MemoryState::handle_inbox() {
  inbox_.take(events_);
  for (const MemoryEvent& event : events_) {
    commands_.clear();
    handle(event);
    for (const Command& command : commands_) perform(command);
  }
}

caf::behavior memory_behavior(caf::event_based_actor* self, std::shared_ptr<MemoryState> state) {
  // Of one that died before it could look.
  state->handle_inbox();
  return {
      [=](const DataRequested&) { state->handle_inbox(); },
      [=](const Stop&) { self->quit(caf::exit_reason::normal); },
  };
}

}  // namespace troupe::memory
