/// What the memory manager is asked and told, between its messages.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "proto/memory.hpp"

namespace troupe::memory {

/// One call of the memory core; the fields that it does not take have no meaning.
struct MemoryEvent {
  enum class Kind : std::uint8_t { acquire, release, prefetch, transfer_done, transfer_failed, forget };
  Kind kind = Kind::acquire;
  NodeId node;
  RequestId request;
  TransferId transfer;
  HandleId handle;
  std::vector<Use> uses;
};

/// Where workers, scheduler, copy engines and the program leave events. It belongs to the runtime and outlives the
/// actor, so that nothing is lost when that dies. Thread-safe.
class MemoryInbox {
 public:
  /// True: it was empty, so the memory manager has to be told.
  bool post(MemoryEvent event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    return events_.size() == 1;
  }
  /// All events, oldest first, in place of what `events` held.
  void take(std::vector<MemoryEvent>& events) {
    events.clear();
    const std::lock_guard lock(mutex_);
    events.swap(events_);
  }

 private:
  std::mutex mutex_;
  std::vector<MemoryEvent> events_;  // guarded by mutex_
};

}  // namespace troupe::memory
