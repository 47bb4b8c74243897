/// What every node holds of every handle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "actors/memory/offset_allocator.hpp"
#include "proto/handle_table.hpp"
#include "proto/memory.hpp"

namespace troupe::memory {

inline constexpr std::uint32_t kNoTransfer = 0xffffffff;
inline constexpr std::uint32_t kAtHome = 0xffffffff;
/// A replica that could not be written back so often in succession stays.
inline constexpr std::uint8_t kMostFailedWriteBacks = 3;

/// What one node has of one handle. 16 bytes: there is one for every handle and node.
struct Replica {
  /// Admitted requests on this node that use it.
  std::uint32_t pins = 0;
  /// Its memory; none on a node without a limit.
  OffsetAllocator::Block block = OffsetAllocator::kNone;
  /// The transfer that brings it, by its place in the transfer table.
  std::uint32_t incoming = kNoTransfer;
  /// Transfers under way that read it.
  std::uint16_t outgoing = 0;
  ReplicaState state = ReplicaState::invalid;
  /// It goes when no transfer reads it any more, as it has to make room, unless a request wants it before.
  bool evicting : 1 = false;
  /// It was prefetched, and no request has used it since.
  bool prefetched : 1 = false;
  /// How often in succession it could not be written back to make room.
  std::uint8_t failed_write_backs : 2 = 0;
};

/// What is known of a handle on all nodes together.
struct HandleRecord {
  Bytes bytes;
  /// Admitted requests that use it.
  std::uint32_t pins = 0;
  /// Those of them that write it. All are on node `writer`.
  std::uint32_t write_pins = 0;
  NodeId writer;
  /// Transfers of it under way.
  std::uint16_t transfers = 0;
  /// Nodes where it is valid.
  std::uint16_t valid = 1;
  /// Its place in the list of those that the host does not have.
  std::uint32_t away = kAtHome;
  /// How often the program has locked it. It goes when nothing else can.
  std::uint32_t locks : 27 = 0;
  bool size_known : 1 = false;
  /// The program has released it; it is forgotten when its transfers have ended.
  bool leaving : 1 = false;
  /// Nodes that were lost had the only content. Until somebody overwrites it.
  bool content_lost : 1 = false;
  /// A wait for everything has said so.
  bool loss_told : 1 = false;
  /// A copy from a lost node failed, and a request that is admitted waits for how another one ends.
  bool in_doubt : 1 = false;
};

/// By handle, its nodes side by side. Handles that it does not know are valid on the host and nowhere else.
class ReplicaDirectory {
 public:
  explicit ReplicaDirectory(std::size_t nodes) : replicas_(nodes) {}

  /// Makes place for the handle if it is new: valid on the host.
  void ensure(HandleId handle) {
    if (!knows(handle)) add(handle);
  }
  /// The handle is valid on the host alone, and nobody uses it or copies it.
  void remove(HandleId handle) {
    handles_.remove(handle);
    replicas_.remove(handle);
  }
  [[nodiscard]] bool knows(HandleId handle) const { return handles_.contains(handle); }
  /// These are of handles that it knows.
  [[nodiscard]] HandleRecord& record(HandleId handle) { return handles_[handle]; }
  [[nodiscard]] const HandleRecord& record(HandleId handle) const { return handles_[handle]; }
  [[nodiscard]] Replica& at(HandleId handle, NodeId node) { return (&replicas_[handle])[node.index()]; }
  [[nodiscard]] const Replica& at(HandleId handle, NodeId node) const { return (&replicas_[handle])[node.index()]; }
  /// How many handles it knows.
  [[nodiscard]] std::size_t handles() const { return handles_.size(); }
  /// Calls `visit(handle)` for each.
  template <class Visit>
  void visit(Visit&& visit) const {
    handles_.visit(visit);
  }

  /// Handles that the host does not have, in no order that means anything.
  [[nodiscard]] std::span<const HandleId> away() const { return away_; }

  /// Keeps the count of valid replicas, and the list of handles that are away. False if it was in that state already.
  bool set_state(HandleId handle, NodeId node, ReplicaState state);

  /// May a request on `node` use the handle, which it knows, so beside those that are admitted?
  [[nodiscard]] bool allows(HandleId handle, NodeId node, AccessMode mode) const {
    const HandleRecord& all = record(handle);
    if (all.leaving) return false;
    // Copies that lost nodes had begun are under way, and nobody knows yet whether they end well.
    if (reads(mode) && all.valid == 0 && !all.content_lost) return false;
    if (writes(mode)) return all.pins == at(handle, node).pins;
    return all.write_pins == 0 || all.writer == node;
  }

 private:
  void add(HandleId handle);
  void note_away(HandleId handle, bool away);

  HandleTable<Replica> replicas_;
  HandleTable<HandleRecord> handles_;
  std::vector<HandleId> away_;
};

}  // namespace troupe::memory
