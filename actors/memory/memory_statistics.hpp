/// Statistics of the memory core, and explanations why requests wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/memory.hpp"

namespace troupe::memory {

struct MemoryStatistics {
  /// The bytes of all transfers that succeeded, for each pair of nodes, row by row as in `MemoryOptions::costs`.
  std::vector<Bytes> moved;
  std::uint64_t transfers = 0;
  std::uint64_t failed_transfers = 0;
  /// The number of replicas that were evicted to make room, with or without a copy to the host.
  std::uint64_t evictions = 0;
  /// The number of transfers to the host that were started to make room, or started early because no task writes the
  /// data again.
  std::uint64_t write_backs = 0;
  /// The number of replicas that prefetches began to copy.
  std::uint64_t prefetches = 0;
  /// The number of prefetched replicas that a request later found on the node, or on their way to the node.
  std::uint64_t prefetches_used = 0;
  /// The number of prefetched replicas that were dropped unused. Replicas in neither of these two counts are still on
  /// their nodes.
  std::uint64_t prefetches_wasted = 0;
  /// The number of handles that were to be prefetched but found no room.
  std::uint64_t prefetches_without_room = 0;
  /// The number of handles that tasks read on devices with a memory of their own: `hits` counts handles whose content
  /// was on the device when the task was admitted, `misses` all others.
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  /// The most memory that was allocated on each node at any one time.
  std::vector<Bytes> highest_use;

  [[nodiscard]] std::size_t nodes() const { return highest_use.size(); }
  /// Returns the bytes that were copied to the node, including copies into buffers of halo parts from the node itself.
  [[nodiscard]] Bytes loaded(NodeId node) const {
    Bytes sum;
    for (std::size_t from = 0; from < nodes(); ++from) sum += moved[from * nodes() + node.index()];
    return sum;
  }
};

/// Says what a request for data waits for.
struct WaitingRequest {
  enum class Reason : std::uint8_t {
    /// Another request that came earlier waits to be admitted to the same node.
    turn,
    /// `handle` is used on another node in a way that excludes this use, or an earlier request gets `handle` first.
    handle_in_use,
    /// The node's memory is pinned by requests that have not ended, or is being made free by write-backs.
    memory,
    /// The request waits for `transfer` of `handle`, and perhaps for more transfers.
    transfer,
  };

  RequestId request;
  NodeId node;
  Reason reason = Reason::turn;
  HandleId handle;
  TransferId transfer;
  /// The size of the whole working set.
  Bytes needed;
};

}  // namespace troupe::memory
