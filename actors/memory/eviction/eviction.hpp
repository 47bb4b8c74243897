/// Eviction: chooses the replica that leaves a full memory node first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "proto/handle_table.hpp"
#include "proto/memory.hpp"
#include "troupe/ids.hpp"

namespace troupe::memory {

/// Chooses victims: replicas to evict. The memory core tells the policy which replicas each node with limited memory
/// holds. `next_victim` calls the function `candidate` to learn which replicas may be evicted now. A policy must be
/// deterministic: the same calls give the same victims.
class EvictionPolicy {
 public:
  /// Returns true if this handle's replica may be evicted now.
  using Candidate = std::function<bool(HandleId)>;

  virtual ~EvictionPolicy() = default;

  /// Called when memory for a replica of the handle has been allocated on the node, or when an eviction that was begun
  /// is cancelled. The call counts as a use of the handle.
  virtual void inserted(NodeId node, HandleId handle) = 0;
  /// Called when a task on the node uses the handle, or is expected to use the handle soon. The node holds the handle.
  virtual void touched(NodeId node, HandleId handle) = 0;
  /// Called when the node no longer holds the handle, or when the handle's replica on the node is about to be evicted.
  virtual void removed(NodeId node, HandleId handle) = 0;
  /// Returns the candidate that should be evicted first; an invalid id if there is no candidate among the first
  /// `look_at` replicas in the policy's order. Does not evict anything.
  [[nodiscard]] virtual HandleId next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) = 0;

  // These functions are used only by some policies.

  /// Sets a number that says how much the data will be used. The number comes from the program or from an earlier run.
  virtual void set_reuse(HandleId /*handle*/, std::int64_t /*index*/) {}
  /// Called when the task is expected to use these handles on the node.
  virtual void expected(NodeId /*node*/, TaskId /*task*/, std::span<const Use> /*uses*/) {}
  /// Called when the memory for the task's data is pinned. From now on the task no longer counts as a future use.
  virtual void begun(TaskId /*task*/) {}
  /// Returns true if a prefetch may evict this replica when the replica is the next victim.
  [[nodiscard]] virtual bool gives_way_to_prefetches(NodeId /*node*/, HandleId /*handle*/) { return true; }
};

/// Evicts the replica whose last use is longest ago. All operations are O(1), except `next_victim`, which skips
/// replicas that are no candidates. Memory: 16 bytes for each handle that a node holds.
class LeastRecentlyUsed : public EvictionPolicy {
 public:
  void inserted(NodeId node, HandleId handle) override;
  void touched(NodeId node, HandleId handle) override;
  void removed(NodeId node, HandleId handle) override;
  [[nodiscard]] HandleId next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) override;

 private:
  /// The neighbours of a handle in a list; invalid at an end of the list.
  struct Link {
    HandleId older;
    HandleId newer;
  };
  /// A list from the oldest handle to the newest; both ids are invalid if the list is empty.
  struct List {
    HandleTable<Link> links;
    HandleId oldest;
    HandleId newest;
  };

  static void append(List& list, HandleId handle);
  static void unlink(List& list, HandleId handle);

  std::vector<List> lists_;
};

[[nodiscard]] std::unique_ptr<EvictionPolicy> least_recently_used();

}  // namespace troupe::memory
