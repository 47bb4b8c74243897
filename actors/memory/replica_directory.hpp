/// Replica directory: the state of every handle on every node.
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
/// After this many failed write-backs in succession, a replica stays on its node.
inline constexpr std::uint8_t kMostFailedWriteBacks = 3;

/// The state of one handle on one node. The struct has only 16 bytes, because there is one for every handle on every
/// node.
struct Replica {
  /// The number of admitted requests on this node that use the replica.
  std::uint32_t pins = 0;
  /// The replica's memory; `kNone` on a node without a limit.
  OffsetAllocator::Block block = OffsetAllocator::kNone;
  /// The transfer that brings the replica, as a place in the transfer table; `kNoTransfer` if there is none.
  std::uint32_t incoming = kNoTransfer;
  /// The number of transfers under way that read the replica.
  std::uint16_t outgoing = 0;
  ReplicaState state = ReplicaState::invalid;
  /// True if the replica is being evicted: it is dropped as soon as no transfer reads it, unless a request uses it
  /// before that.
  bool evicting : 1 = false;
  /// True if the replica was prefetched, and no request has used it since.
  bool prefetched : 1 = false;
  /// The number of successive failures to write the replica back to make room.
  std::uint8_t failed_write_backs : 2 = 0;
};

/// The state of one handle over all nodes.
struct HandleRecord {
  Bytes bytes;
  /// The number of admitted requests that use the handle.
  std::uint32_t pins = 0;
  /// The number of admitted requests that write the handle. All of these requests are on node `writer`.
  std::uint32_t write_pins = 0;
  NodeId writer;
  /// The number of the handle's transfers under way.
  std::uint16_t transfers = 0;
  /// The number of nodes where the handle is valid.
  std::uint16_t valid = 1;
  /// The handle's index in `ReplicaDirectory::away`, the list of handles whose newest content the host does not have;
  /// `kAtHome` if the handle is not in the list.
  std::uint32_t away = kAtHome;
  /// The number of the program's locks on the handle. A locked handle is evicted only if no other handle can be
  /// evicted.
  std::uint32_t locks : 27 = 0;
  bool size_known : 1 = false;
  /// True if the program has released the handle; the handle is forgotten when its transfers and uses have ended.
  bool leaving : 1 = false;
  /// True if only lost nodes had the content. Cleared when a task overwrites the content.
  bool content_lost : 1 = false;
  /// True if the loss has been reported to the program (`MemoryCore::bring_home`).
  bool loss_told : 1 = false;
  /// True if an admitted request waits because it is not known yet whether a copy from a lost node will succeed.
  bool in_doubt : 1 = false;

  [[nodiscard]] bool may_go() const { return leaving && transfers == 0 && pins == 0; }
};

/// The replicas of all handles; the replicas of one handle are stored side by side. A handle that the directory does
/// not know is valid on the host and nowhere else.
class ReplicaDirectory {
 public:
  explicit ReplicaDirectory(std::size_t nodes) : replicas_(nodes) {}

  /// If the handle is new, adds it as valid on the host.
  void ensure(HandleId handle) {
    if (!knows(handle)) add(handle);
  }
  /// Removes a handle that is valid only on the host, and that no request uses and no transfer copies.
  void remove(HandleId handle) {
    handles_.remove(handle);
    replicas_.remove(handle);
  }
  [[nodiscard]] bool knows(HandleId handle) const { return handles_.contains(handle); }
  /// The next four functions require a handle that the directory knows.
  [[nodiscard]] HandleRecord& record(HandleId handle) { return handles_[handle]; }
  [[nodiscard]] const HandleRecord& record(HandleId handle) const { return handles_[handle]; }
  [[nodiscard]] Replica& at(HandleId handle, NodeId node) { return (&replicas_[handle])[node.index()]; }
  [[nodiscard]] const Replica& at(HandleId handle, NodeId node) const { return (&replicas_[handle])[node.index()]; }
  /// Returns the number of known handles.
  [[nodiscard]] std::size_t handles() const { return handles_.size(); }
  /// Calls `visit(handle)` for each known handle.
  template <class Visit>
  void visit(Visit&& visit) const {
    handles_.visit(visit);
  }

  /// Returns the handles whose newest content the host does not have, in no particular order.
  [[nodiscard]] std::span<const HandleId> away() const { return away_; }

  /// Sets a replica's state, and updates the count of valid replicas and the list `away`. Returns false if the replica
  /// was in this state before.
  bool set_state(HandleId handle, NodeId node, ReplicaState state);

  /// Returns true if a new request on `node` may use the handle in this mode together with the admitted requests. The
  /// directory must know the handle.
  [[nodiscard]] bool allows(HandleId handle, NodeId node, AccessMode mode) const {
    const HandleRecord& all = record(handle);
    if (all.leaving) return false;
    // If no replica is valid, copies from lost nodes are under way, and it is not known yet whether they succeed.
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
