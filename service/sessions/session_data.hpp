/// The data that one client has registered.
#pragma once

#include <troupe/v1/troupe.pb.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/task_graph.hpp"
#include "service/memory/client_memory.hpp"
#include "service/sessions/session_costs.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

struct SessionHandle {
  Handle handle;
  Layout layout;
  /// The segment with the data; kept as long as the data are registered.
  std::shared_ptr<SharedSegment> segment;
  /// If this handle is a block, `whole` is the client's number of the whole. `blocks` has the client's numbers of the
  /// handle's own blocks.
  std::optional<std::uint64_t> whole = std::nullopt;
  std::vector<std::uint64_t> blocks = {};
  /// True if this handle is a halo part, or if some of its own blocks are halo parts.
  bool is_halo = false;
  bool has_halos = false;
  /// True if some of the blocks are boxes of a volume, or have steps.
  bool has_boxes = false;
  /// The number of levels of partitions above this block.
  std::size_t depth = 0;
  /// The size of the workers' partial results of a reduction.
  std::uint64_t partial_bytes = 0;
  /// The number of the handle's blocks, their blocks, and so on.
  std::uint64_t below = 0;
  /// The number of blocks that are reserved and not added yet, because their division waits.
  std::uint64_t pending = 0;
};

/// Maps the client's numbers to handles. Only one thread may use this class.
class SessionData {
 public:
  /// The limit for levels of blocks within blocks, because the graph walks the trees of blocks recursively.
  static constexpr std::size_t kDeepest = 64;

  /// An entry of the table of handles, taken out of it.
  using Node = std::unordered_map<std::uint64_t, SessionHandle>::node_type;

  SessionData(graph::TaskGraph& graph, const ClientMemory& memory, std::uint64_t most)
      : graph_(graph), memory_(memory), most_(most) {}

  /// Registers the data of a message. Unless a comment says otherwise, a failure of this function and of the functions
  /// below means that the client broke the protocol.
  Result<void> add(const v1::RegisterData& message);
  /// Returns the data with this number; null if there are none.
  [[nodiscard]] const SessionHandle* find(std::uint64_t number) const {
    const auto found = handles_.find(number);
    return found == handles_.end() ? nullptr : &found->second;
  }
  /// Returns the data with this number; `field` is the message's field that has the number.
  Result<const SessionHandle*> get(std::string_view field, std::uint64_t number) const;

  /// The blocks of a partition. The client's numbers for them are reserved until `add_blocks` or `drop_blocks`.
  struct NewBlocks {
    std::uint64_t whole = 0;
    std::vector<Block> blocks;
    std::vector<std::uint64_t> numbers;
    bool halos = false;
    /// True if they replace all present blocks that are no halo parts.
    bool anew = false;
  };
  Result<NewBlocks> reserve_blocks(const v1::Partition& message);
  /// Adds the blocks, whose handles the graph has made, and removes the blocks that they replace.
  void add_blocks(const NewBlocks& added, std::span<const Handle> handles);
  /// Fails with `invalid_argument` if the client may not have these blocks beside those of their whole, because it
  /// would take long to find which of them overlap, and lists of them would take much memory. Notes what kinds of
  /// blocks the whole has.
  [[nodiscard]] Result<void> allow_blocks(const NewBlocks& added);
  void drop_blocks(const NewBlocks& added);

  /// The result of `remove`. The removed handle and its blocks cannot be used any more, but are counted until `forget`.
  struct Removed {
    Handle handle;
    /// The handle itself, and then the blocks below it. They keep the memory until the graph has forgotten the data.
    std::vector<Node> tree;
  };
  Result<Removed> remove(std::uint64_t number);
  void forget(const Removed& removed) { count_ -= removed.tree.size(); }
  /// Takes back a `remove`, so that the handle and its blocks can be used again. Does nothing but `forget` if the
  /// client has removed the whole of the handle meanwhile.
  void restore(Removed& removed);

  /// Counts the bytes of the workers' partial results for a handle; does nothing if there is no such handle.
  void note_partials(std::uint64_t number, std::uint64_t bytes);
  /// Returns the number of handles that are registered or reserved, or whose release is in progress.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Returns the estimated size of handles and partial results.
  [[nodiscard]] std::uint64_t bytes() const {
    const std::uint64_t former = any_former_ ? graph_.late_divisions() * costs::kDivision + former_partial_bytes_ : 0;
    return count_ * costs::kHandle + partial_bytes_ + former;
  }
  /// Called now and then: notes whether tasks still use blocks that were replaced.
  void settle_former();

 private:
  Result<void> check_new(std::string_view field, std::uint64_t number) const;
  /// Moves the handle and all blocks below it to `tree`. `take_out` also tells the handles around it.
  void extract_tree(std::uint64_t number, std::vector<Node>& tree);
  std::vector<Node> take_out(std::uint64_t number);
  /// Adds to `below` of the handle and of all handles around it.
  void count_below(std::optional<std::uint64_t> number, std::int64_t more);
  /// Removes the blocks of a whole that are no halo parts, because others have replaced them.
  void erase_replaced(SessionHandle& whole);

  graph::TaskGraph& graph_;
  const ClientMemory& memory_;
  const std::uint64_t most_;
  /// The number of handles that are registered or reserved, or whose release is in progress.
  std::uint64_t count_ = 0;
  std::uint64_t partial_bytes_ = 0;
  /// True if tasks may still use blocks that were replaced; and the size of the partial results of these blocks.
  bool any_former_ = false;
  std::uint64_t former_partial_bytes_ = 0;
  std::unordered_map<std::uint64_t, SessionHandle> handles_;
  std::unordered_set<std::uint64_t> reserved_;
};

}  // namespace troupe::service
