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
  /// True if some of the blocks are halo parts.
  bool has_halos = false;
  /// The number of levels of partitions above this block.
  std::size_t depth = 0;
  /// The size of the workers' partial results of a reduction.
  std::uint64_t partial_bytes = 0;
};

/// Maps the client's numbers to handles. Only one thread may use this class.
class SessionData {
 public:
  /// The limit for levels of blocks within blocks, because the graph walks the trees of blocks recursively.
  static constexpr std::size_t kDeepest = 64;

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

  /// Returns the blocks of a partition. The client's numbers for these blocks are reserved until `add_blocks` or
  /// `drop_blocks`.
  Result<std::vector<Block>> reserve_blocks(const v1::Partition& message);
  void add_blocks(std::uint64_t whole, std::span<const std::uint64_t> numbers, std::span<const Handle> handles,
                  std::span<const Block> blocks);
  /// Returns true if the client may have `count` more blocks of this whole. There is a limit only if some blocks are
  /// halo parts: each has a list of the parts that it overlaps, which takes memory and time that no other limit counts.
  /// If `halos` is true and the result is true, notes that the whole has halo parts.
  [[nodiscard]] bool allows_blocks(std::uint64_t whole, std::uint64_t count, bool halos);
  void drop_blocks(std::span<const std::uint64_t> numbers);

  /// The result of `remove`. The removed handle and its blocks cannot be used any more, but are counted until `forget`.
  struct Removed {
    Handle handle;
    /// Keeps the memory until the graph has forgotten the data.
    std::shared_ptr<SharedSegment> segment;
    std::size_t count = 0;
  };
  Result<Removed> remove(std::uint64_t number);
  void forget(const Removed& removed) { count_ -= removed.count; }

  /// Counts the bytes of the workers' partial results for a handle; does nothing if there is no such handle.
  void note_partials(std::uint64_t number, std::uint64_t bytes);
  /// Returns the number of handles that are registered or reserved, or whose release is in progress.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Returns the estimated size of handles and partial results.
  [[nodiscard]] std::uint64_t bytes() const { return count_ * costs::kHandle + partial_bytes_; }

 private:
  Result<void> check_new(std::string_view field, std::uint64_t number) const;
  std::size_t erase_tree(std::uint64_t number);

  graph::TaskGraph& graph_;
  const ClientMemory& memory_;
  const std::uint64_t most_;
  /// The number of handles that are registered or reserved, or whose release is in progress.
  std::uint64_t count_ = 0;
  std::uint64_t partial_bytes_ = 0;
  std::unordered_map<std::uint64_t, SessionHandle> handles_;
  std::unordered_set<std::uint64_t> reserved_;
};

}  // namespace troupe::service
