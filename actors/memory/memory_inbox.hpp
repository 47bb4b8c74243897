/// The memory manager's inbox: events that wait until a thread handles them.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/inbox.hpp"
#include "proto/memory.hpp"

namespace troupe::memory {

/// An event: one call of a function of the memory core. Fields that this function does not take have no meaning.
struct MemoryEvent {
  enum class Kind : std::uint8_t {
    acquire,
    bring_home,
    release,
    prefetch,
    transfer_done,
    transfer_failed,
    forget,
    discard,
    node_lost,
    set_reuse,
    lock,
    unlock
  };
  Kind kind = Kind::acquire;
  NodeId node = {};
  /// The request; for `bring_home`, the first of the requests.
  RequestId request = {};
  TransferId transfer = {};
  HandleId handle = {};
  /// For `acquire` and `prefetch`, the task that will use the data; invalid if there is none.
  TaskId task = {};
  std::int64_t reuse = 0;
  std::vector<Use> uses = {};
};

/// The inbox to which workers, the scheduler, copy engines and the program post events.
using MemoryInbox = Inbox<MemoryEvent>;

}  // namespace troupe::memory
