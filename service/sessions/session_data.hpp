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
  /// Where the data lie, for as long as they are registered.
  std::shared_ptr<SharedSegment> segment;
  /// The client's numbers of the whole that it is a block of, and of its own blocks.
  std::optional<std::uint64_t> whole = std::nullopt;
  std::vector<std::uint64_t> blocks = {};
  /// Wholes above it.
  std::size_t depth = 0;
  /// The size of the workers' partial results.
  std::uint64_t partial_bytes = 0;
};

/// The client's numbers of handles, and what they mean. One thread.
class SessionData {
 public:
  /// Trees of blocks are walked recursively.
  static constexpr std::size_t kDeepest = 64;

  SessionData(graph::TaskGraph& graph, const ClientMemory& memory, std::uint64_t most)
      : graph_(graph), memory_(memory), most_(most) {}

  /// A failure is a violation of the protocol, here and below, unless it says otherwise.
  Result<void> add(const v1::RegisterData& message);
  /// Null where there is none.
  [[nodiscard]] const SessionHandle* find(std::uint64_t number) const {
    const auto found = handles_.find(number);
    return found == handles_.end() ? nullptr : &found->second;
  }
  /// `field`: what named it.
  Result<const SessionHandle*> get(std::string_view field, std::uint64_t number) const;

  /// The blocks of a partition, whose numbers are reserved until `add_blocks` or `drop_blocks`.
  Result<std::vector<Block>> reserve_blocks(const v1::Partition& message);
  void add_blocks(std::uint64_t whole, std::span<const std::uint64_t> numbers, std::span<const Handle> handles,
                  std::span<const Block> blocks);
  void drop_blocks(std::span<const std::uint64_t> numbers);

  /// Takes a handle and its blocks out, so that they cannot be used any more; they count until `forget`.
  struct Removed {
    Handle handle;
    /// Keeps the memory until the graph has forgotten the data.
    std::shared_ptr<SharedSegment> segment;
    std::size_t count = 0;
  };
  Result<Removed> remove(std::uint64_t number);
  void forget(const Removed& removed) { count_ -= removed.count; }

  /// Notes the bytes that workers keep for a handle that they reduce into; does nothing if there is no such handle.
  void note_partials(std::uint64_t number, std::uint64_t bytes);
  /// Returns the estimated size of handles and partial results.
  [[nodiscard]] std::uint64_t bytes() const { return count_ * costs::kHandle + partial_bytes_; }

 private:
  Result<void> check_new(std::string_view field, std::uint64_t number) const;
  std::size_t erase_tree(std::uint64_t number);

  graph::TaskGraph& graph_;
  const ClientMemory& memory_;
  const std::uint64_t most_;
  /// Registered, reserved, and those whose release is under way.
  std::uint64_t count_ = 0;
  std::uint64_t partial_bytes_ = 0;
  std::unordered_map<std::uint64_t, SessionHandle> handles_;
  std::unordered_set<std::uint64_t> reserved_;
};

}  // namespace troupe::service
