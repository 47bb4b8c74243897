/// What the memory core asks its shell to do, or tells it.
#pragma once

#include <cstdint>

#include "proto/memory.hpp"

namespace troupe::memory {

/// One command. Only the fields that its kind names have a meaning.
struct Command {
  enum class Kind : std::uint8_t {
    /// Copy `bytes` of `handle` from `from` (at `from_offset`) to `to` (at `to_offset`), and report the end of
    /// `transfer`. `waited_for`: a request waits for it; else it is a prefetch or an early write-back, which may be
    /// delayed for others. The order of transfers is the shell's choice.
    start_transfer,
    /// `transfer`, which was started as one that nobody waits for, is waited for now. If it is queued, move it forward.
    urgent,
    /// The working set of `request` is on `node` and stays there until it is released.
    acquired,
    /// The working set of `request` can never be held on `node`: `needed` is more than `capacity`. Where `handle` is
    /// valid, it alone is more than one piece of data may have there. The request is forgotten; it must not be
    /// released.
    cannot_fit,
    /// The working set of `request` cannot be had: `handle` could not be brought to `node` from any node that has it,
    /// or nothing can be written back to make room (then `handle` is what could not be written back). The request is
    /// forgotten; it must not be released.
    failed,
    /// `node` is lost, so the working set of `request` cannot be there: it may be had on another node. The request is
    /// forgotten; it must not be released.
    node_lost,
    /// The content of `handle`, which `request` reads, was on a node alone that is lost. It is nowhere until somebody
    /// overwrites it. The request is forgotten; it must not be released.
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
  Bytes bytes{};
  /// In the arena of the node, in bytes. Zero on a node without a limit.
  std::uint64_t from_offset = 0;
  std::uint64_t to_offset = 0;
  Bytes needed{};
  Bytes capacity{};
};

}  // namespace troupe::memory
