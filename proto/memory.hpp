/// The types in the memory manager's messages: how tasks use data, and which data a memory node holds.
#pragma once

#include <cstdint>

#include "troupe/access.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::memory {

/// The number of a request for one working set on a node, from `acquire` to `release`. Chosen by the caller; unique
/// among the requests that have not ended.
using RequestId = StrongId<struct RequestTag, std::uint64_t>;
/// The number of one copy between two nodes, from `start_transfer` to its end. Chosen by the core of the memory
/// manager.
using TransferId = StrongId<struct TransferTag, std::uint64_t>;

/// The node of host memory.
inline constexpr NodeId kHost{0};

/// The state of a handle's data on a memory node.
enum class ReplicaState : std::uint8_t {
  /// The node has no content, or outdated content.
  invalid,
  /// The node has no content yet; a transfer to it is under way.
  incoming,
  /// The node has the newest content, which other nodes may have as well.
  shared,
  /// The node has the newest content, which no other node has.
  modified,
};

[[nodiscard]] constexpr bool is_valid(ReplicaState state) {
  return state == ReplicaState::shared || state == ReplicaState::modified;
}

/// The use of one handle by a task.
struct Use {
  HandleId handle;
  AccessMode mode = AccessMode::read;
  /// The size of the handle's data; the same in every use until the handle is forgotten.
  Bytes bytes;
  /// True if no submitted task writes the data later, so that they may be written back to the host early.
  bool last_write = false;
  /// Valid if the task reads a halo part. One use then names the halo part itself, with this same number: on a device
  /// it stands for a buffer. The others name the data that the halo part overlaps, of which `overlap` bytes are copied
  /// into the buffer. In host memory the halo part lies in these data, so a request there brings them whole.
  HandleId halo{};
  Bytes overlap{};

  [[nodiscard]] bool is_buffer() const { return halo.valid() && halo == handle; }
  [[nodiscard]] bool is_overlap() const { return halo.valid() && halo != handle; }
  /// Returns the bytes that are copied to this node if the data are elsewhere.
  [[nodiscard]] Bytes copied_to(NodeId node) const { return is_overlap() && node != kHost ? overlap : bytes; }
};

}  // namespace troupe::memory
