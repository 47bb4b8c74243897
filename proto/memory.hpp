/// The types in the memory manager's messages: how tasks use data, and which data a memory node holds.
#pragma once

#include <cstdint>

#include "troupe/access.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::memory {

/// The number of a request to the memory manager for all data of a task on one node. The request lasts from `acquire`
/// to `release`. The caller chooses the number, which must be unique among the requests that have not ended.
using RequestId = StrongId<struct RequestTag, std::uint64_t>;
/// The number of one copy between two nodes, from `start_transfer` to its end. The memory manager chooses the number.
using TransferId = StrongId<struct TransferTag, std::uint64_t>;

/// The memory node that is host memory.
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
  /// The size of the handle's data, which is the same in every use.
  Bytes bytes;
  /// True if no task submitted so far writes the data after this one. They may then be copied back to the host early.
  bool last_write = false;
  /// Valid if this use belongs to a halo part that the task reads; then it names the halo part. A halo part has several
  /// uses. In the first, `handle` is the halo part itself, which is a buffer on a device. In each other use, `handle`
  /// is a piece of data that the halo part overlaps, and `overlap` bytes of it are copied into the buffer. In host
  /// memory there is no buffer, so a request there brings the pieces of data whole.
  HandleId halo{};
  Bytes overlap{};

  [[nodiscard]] bool is_buffer() const { return halo.valid() && halo == handle; }
  [[nodiscard]] bool is_overlap() const { return halo.valid() && halo != handle; }
  /// Returns the number of bytes that a copy to this node has if the data are elsewhere.
  [[nodiscard]] Bytes copied_to(NodeId node) const { return is_overlap() && node != kHost ? overlap : bytes; }
};

}  // namespace troupe::memory
