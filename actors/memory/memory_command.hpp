/// Commands and reports that the memory core gives to the memory manager's actor.
#pragma once

#include <cstdint>

#include "proto/memory.hpp"

namespace troupe::memory {

/// One command. A field has a meaning only if the comment on the command's kind names it.
struct Command {
  enum class Kind : std::uint8_t {
    /// Copy `bytes` of `handle` from `from` (at `from_offset`) to `to` (at `to_offset`), and report the end of
    /// `transfer`. If `halo` is valid, copy only the bytes that this halo part overlaps, to the halo part's buffer at
    /// `to_offset`; `from` and `to` may then be the same node. `waited_for` is true if a request waits for the
    /// transfer. It is false for a prefetch or an early write-back, which other transfers may overtake. The receiver of
    /// the commands chooses the order of transfers.
    start_transfer,
    /// A request now waits for `transfer`, which was started as a prefetch or an early write-back. If the transfer is
    /// still queued, move the transfer forward.
    urgent,
    /// The working set of `request` is on `node` and stays there until the request is released.
    acquired,
    /// The working set of `request` can never be held on `node`: `needed` is more than `capacity`. If `handle` is
    /// valid, this handle alone is larger than the largest piece that the node may hold. The request is forgotten, and
    /// must not be released.
    cannot_fit,
    /// The working set of `request` cannot be brought to `node`. Either `handle` could not be copied from any node that
    /// has its content. Or there is no room, because `handle`, which would have to leave the node, could not be written
    /// back to the host. The request is forgotten, and must not be released.
    failed,
    /// `node` is lost, so the working set of `request` cannot be brought to `node`. Another node may still be able to
    /// get the working set. The request is forgotten, and must not be released.
    node_lost,
    /// `request` reads `handle`, whose content was only on a node that is lost. No node has the content until a task
    /// overwrites `handle`. The request is forgotten, and must not be released.
    content_lost,
    /// `handle` is in `state` on `node` from now on.
    replica_changed,
  };

  Kind kind = Kind::acquired;
  ReplicaState state = ReplicaState::invalid;
  bool waited_for = false;
  NodeId node{};
  NodeId from{};
  NodeId to{};
  RequestId request{};
  TransferId transfer{};
  HandleId handle{};
  HandleId halo{};
  Bytes bytes{};
  /// The offsets from the beginning of each node's arena, in bytes; zero on a node without a limit.
  std::uint64_t from_offset = 0;
  std::uint64_t to_offset = 0;
  Bytes needed{};
  Bytes capacity{};
};

}  // namespace troupe::memory
