/// The vocabulary of the memory manager's messages: how tasks use data, and which data a memory node holds.
#pragma once

#include <cstdint>

#include "troupe/access.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::memory {

/// A request for one working set on a node, from `acquire` to `release`. Chosen by the caller; unique among the
/// requests that have not ended.
using RequestId = StrongId<struct RequestTag, std::uint64_t>;
/// One copy between two nodes, from `start_transfer` to its end. Chosen by the core.
using TransferId = StrongId<struct TransferTag, std::uint64_t>;

/// Host memory.
inline constexpr NodeId kHost{0};

/// The state of a handle's data on a memory node.
enum class ReplicaState : std::uint8_t {
  /// Nothing, or something outdated.
  invalid,
  /// Nothing yet; a transfer to it is under way.
  incoming,
  /// The newest content, which other nodes may have as well.
  shared,
  /// The newest content, which no other node has.
  modified,
};

[[nodiscard]] constexpr bool is_valid(ReplicaState state) {
  return state == ReplicaState::shared || state == ReplicaState::modified;
}

/// The use of one handle by a task.
struct Use {
  HandleId handle;
  AccessMode mode = AccessMode::read;
  /// Size of the handle's data; the same in every use until the handle is forgotten.
  Bytes bytes;
  /// True: no task that is submitted writes it later, so it may be written back to the host early.
  bool last_write = false;
};

}  // namespace troupe::memory
