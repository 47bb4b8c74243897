/// What the memory manager is asked and told, between its messages.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/inbox.hpp"
#include "proto/memory.hpp"

namespace troupe::memory {

/// One call of the memory core; the fields that it does not take have no meaning.
struct MemoryEvent {
  enum class Kind : std::uint8_t {
    acquire,
    bring_home,
    release,
    prefetch,
    transfer_done,
    transfer_failed,
    forget,
    node_lost,
    set_reuse,
    lock,
    unlock
  };
  Kind kind = Kind::acquire;
  NodeId node;
  /// Of bring_home: the first one's.
  RequestId request;
  TransferId transfer;
  HandleId handle;
  /// Of acquire and prefetch: the task that will use the data; invalid if there is none.
  TaskId task;
  std::int64_t reuse = 0;
  std::vector<Use> uses;
};

/// Where workers, scheduler, copy engines and the program leave events.
using MemoryInbox = Inbox<MemoryEvent>;

}  // namespace troupe::memory
