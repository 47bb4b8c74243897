/// Which replica leaves a full memory node first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "proto/handle_table.hpp"
#include "proto/ids.hpp"
#include "proto/memory.hpp"

namespace troupe::memory {

/// Chooses victims. It is told what every node with a limited memory holds; which of that may go at the moment, it
/// asks. Must be deterministic: equal calls, equal victims.
class EvictionPolicy {
 public:
  /// May this handle's replica go now?
  using Candidate = std::function<bool(HandleId)>;

  virtual ~EvictionPolicy() = default;

  /// The node holds the handle from now on. Counts as a use.
  virtual void inserted(NodeId node, HandleId handle) = 0;
  /// A task on the node uses what it holds, or is expected to soon.
  virtual void touched(NodeId node, HandleId handle) = 0;
  /// The node does not hold the handle any more, or it is about to go.
  virtual void removed(NodeId node, HandleId handle) = 0;
  /// The candidate that should go first; an invalid id if there is none among the `look_at` that come first in the
  /// policy's order. Changes nothing that can be seen.
  [[nodiscard]] virtual HandleId next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) = 0;

  // What only some policies care about.

  /// How much the program, or an earlier run, expects the data to be used.
  virtual void set_reuse(HandleId /*handle*/, std::int64_t /*index*/) {}
  /// The task is going to use this on the node, as far as anybody knows.
  virtual void expected(NodeId /*node*/, TaskId /*task*/, std::span<const Use> /*uses*/) {}
  /// The task has its data: it needs them no more than once it has ended.
  virtual void begun(TaskId /*task*/) {}
  /// May what is only prefetched take this one's place, if it is the next victim?
  [[nodiscard]] virtual bool gives_way_to_prefetches(NodeId /*node*/, HandleId /*handle*/) { return true; }
};

/// The replica goes whose last use is longest ago. All operations are O(1), but `next_victim`, which passes over what
/// is no candidate. Memory: 16 bytes for each handle that a node holds.
class LeastRecentlyUsed : public EvictionPolicy {
 public:
  void inserted(NodeId node, HandleId handle) override;
  void touched(NodeId node, HandleId handle) override;
  void removed(NodeId node, HandleId handle) override;
  [[nodiscard]] HandleId next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) override;

 private:
  /// Invalid at an end of the list.
  struct Link {
    HandleId older;
    HandleId newer;
  };
  /// From the oldest to the newest; invalid where there is none.
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
