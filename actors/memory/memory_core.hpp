/// The memory manager without its actor: knows which node has which data, and decides what has to be copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "actors/memory/eviction/eviction.hpp"
#include "actors/memory/memory_command.hpp"
#include "actors/memory/memory_options.hpp"
#include "actors/memory/memory_statistics.hpp"
#include "actors/memory/offset_allocator.hpp"
#include "actors/memory/replica_directory.hpp"
#include "actors/memory/request_table.hpp"
#include "actors/memory/transfer_table.hpp"
#include "proto/memory.hpp"

namespace troupe::memory {

/// The states of a replica, one for each handle and node (node 0 begins with `shared`, the others with `invalid`):
///
/// | from             | event                                               | to       | commands                    |
/// |------------------|-----------------------------------------------------|----------|-----------------------------|
/// | invalid          | a request that reads it is admitted here; prefetch  | incoming | start_transfer              |
/// | invalid (host)   | write-back                                          | incoming | start_transfer              |
/// | incoming         | transfer_done                                       | shared   |                             |
/// | incoming         | transfer_failed: a request reads it, others have it | incoming | start_transfer              |
/// | incoming         | transfer_failed: otherwise                          | invalid  | failed, for its readers     |
/// | modified         | transfer_done, from here                            | shared   |                             |
/// | invalid, shared  | a request that writes it is acquired here           | modified | acquired                    |
/// | shared, modified | a request that writes it is acquired elsewhere      | invalid  |                             |
/// | shared, modified | makes room, valid elsewhere                         | invalid  |                             |
/// | shared, modified | makes room, valid nowhere else                      | the same | start_transfer, to the host |
/// | shared           | it became the only valid one, and is not the host's | modified |                             |
/// | any              | forget                                              | as new   |                             |
/// | shared, modified | the node is lost                                    | invalid  |                             |
/// | incoming         | transfer_done or transfer_failed, the node is lost  | invalid  |                             |
/// | incoming         | transfer_done, from the lost node that alone had it | modified |                             |
///
/// Each change gives a `replica_changed`. So `modified` means: valid here and nowhere else. The host's replica may be
/// `shared` and still be the only valid one, if it has not been written since other nodes had it, or was never written.
///
/// The states of a request:
///
/// | from     | event                                                          | to       | commands             |
/// |----------|----------------------------------------------------------------|----------|----------------------|
/// | -        | acquire, the set or one piece is too large for the node        | -        | cannot_fit           |
/// | -        | acquire                                                        | waiting  |                      |
/// | waiting  | it is the node's first, no use excludes its own, there is room | admitted | start_transfer, each |
/// | waiting  | it is the node's first, a victim cannot be written back        | -        | failed               |
/// | admitted | all it reads is valid here, no transfer reads what it writes   | acquired | acquired             |
/// | admitted | what it reads cannot be brought here                           | -        | failed               |
/// | any      | release                                                        | -        | early write-backs    |
/// | -        | acquire_at_once, nothing is missing or in the way              | acquired |                      |
/// | -        | bring_home, the host has it, or somebody writes it             | -        | acquired             |
/// | -        | bring_home, its content is lost                                | -        | content_lost, once   |
/// | -        | bring_home                                                     | admitted | start_transfer       |
/// | -        | acquire, the node is lost                                      | -        | node_lost            |
/// | waiting  | the node is lost                                               | -        | node_lost            |
/// | admitted | the node is lost                                               | -        | node_lost            |
/// | waiting  | it is the node's first, and content that it reads is lost      | -        | content_lost         |
/// | admitted | what it reads was to come from a node that is lost             | -        | content_lost         |
///
/// **Admission** is all or nothing: a request is pinned, with its memory allocated, when all of its working set has
/// room at once beside the pinned replicas, and no use of another node excludes one of its own. A writer excludes all
/// others; on one node no use excludes another, because the task graph orders tasks. So admitted requests wait only for
/// transfers, which end, and waiting requests wait for admitted ones: there is no deadlock. Each node admits requests
/// in the order of arrival. No request is admitted to a handle while the first request of another node's queue is older
/// and waits for a use of that handle that excludes it.
///
/// **Room** is made for the first request of a node. The replica that the policy names goes, if it is neither pinned
/// nor part of the request; a replica that is being copied goes when the copy has ended. If there is enough memory but
/// in pieces, more replicas go; if nothing is pinned, even those that the request itself has there. A prefetch takes
/// free memory. It evicts only replicas that are valid elsewhere too and that were used since they came, looks at the
/// 32 oldest only, and is refused while a request waits for the node.
///
/// **Source** of a transfer: a node with a valid replica. Its cost is latency + bytes * seconds per byte, plus the same
/// costs of all transfers under way from it. The node with the lowest cost is taken; among equals, the lowest node.
/// Nodes that are about to drop their replicas come last.
///
/// **Loss** of a node takes all its replicas. Content that it alone had is lost when no copy from it is under way any
/// more (such a copy may still end well): requests that read it are refused until a task overwrites it. Requests that
/// are acquired there keep their pins and their memory until they are released, as their tasks may still run.
///
/// At any time at most one transfer brings a handle to a node. Equal events give equal commands.
class MemoryCore {
 public:
  explicit MemoryCore(MemoryOptions options, std::unique_ptr<EvictionPolicy> policy = least_recently_used());

  // Events. Each appends its commands to `out`, in the order in which they are to be carried out.

  /// Asks for a task's whole working set, pinned, on a node. The answer is `acquired`, `cannot_fit`, `failed`,
  /// `node_lost` or `content_lost`, at once or later. A handle may be named more than once. `task` is the task's number
  /// in the graph, for policies that know the submitted tasks.
  void acquire(RequestId request, NodeId node, std::span<const Use> uses, std::vector<Command>& out, TaskId task = {});
  /// Acquires the working set if that is possible now: nothing has to be copied or evicted, no other use excludes it,
  /// and no request waits on the node. Returns true if it is acquired; no command says so. Returns false if nothing has
  /// happened. Allocates next to no memory in steady state.
  [[nodiscard]] bool acquire_at_once(RequestId request, NodeId node, std::span<const Use> uses,
                                     std::vector<Command>& out, TaskId task = {});
  /// Called before the program looks at data on the host: brings the newest content of each there. No request waits for
  /// a turn, because nothing has to make room on the host. Each use is a request of its own, numbered from `first` on,
  /// and answered by `acquired`, `failed` or `content_lost`; `content_lost` comes only once for each loss. Data that an
  /// admitted request writes count as brought.
  void bring_home(RequestId first, std::span<const Use> uses, std::vector<Command>& out);
  /// Called when the task has ended, well or not (the data that it was to write count as written), or the request is
  /// given up before it was acquired (then nothing was written). Does nothing if the request has been refused already:
  /// the caller may not know that yet.
  void release(RequestId request, std::vector<Command>& out);
  /// Fetches the data that are read, if there is room. A prefetch never waits, is never pinned and never answered.
  /// `task` is the task that is going to use the data on this node.
  void prefetch(NodeId node, std::span<const Use> uses, std::vector<Command>& out, TaskId task = {});
  void transfer_done(TransferId transfer, std::vector<Command>& out);
  /// Called when the transfer has failed: its target may hold anything.
  void transfer_failed(TransferId transfer, std::vector<Command>& out);
  /// Called when the program has released the data: all replicas go, and the handle is as new. Content that only a
  /// device has is lost; a caller who needs it acquires it at the host first. No admitted request may still use the
  /// handle, except requests of `bring_home`.
  void forget(HandleId handle, std::vector<Command>& out);
  /// Called when the node's device is gone for good. The node is not the host. The ends of transfers under way from it
  /// or to it must still be reported.
  void node_lost(NodeId node, std::vector<Command>& out);
  /// Sets how much the data are going to be used, for policies that use this index: replicas with low indexes go first.
  /// It holds until the handle is forgotten.
  void set_reuse(HandleId handle, std::int64_t index);
  /// Locks the handle: its replicas make room only when nothing else can, so that a request that needs the room still
  /// gets it. Locks are counted; `forget` takes them all.
  void lock(HandleId handle);
  /// Takes one lock. Does nothing if the handle has no lock, because it was forgotten.
  void unlock(HandleId handle);

  // Queries.

  [[nodiscard]] ReplicaState state(HandleId handle, NodeId node) const;
  /// Returns the offset of the handle's replica in the node's arena. The replica must be valid, incoming or acquired
  /// there.
  [[nodiscard]] std::uint64_t offset(HandleId handle, NodeId node) const;
  /// Returns the bytes that are allocated; zero on a node without a limit.
  [[nodiscard]] Bytes used(NodeId node) const;
  [[nodiscard]] Bytes capacity(NodeId node) const;
  /// Returns the number of handles that the directory knows.
  [[nodiscard]] std::size_t handles() const { return directory_.handles(); }
  [[nodiscard]] bool is_lost(NodeId node) const { return nodes_[node.index()].lost; }
  /// Returns the handles whose newest content the host does not have, in no particular order.
  [[nodiscard]] std::span<const HandleId> away() const { return directory_.away(); }
  /// Returns true if only lost nodes had the handle's content.
  [[nodiscard]] bool content_lost(HandleId handle) const;
  [[nodiscard]] const MemoryStatistics& statistics() const { return statistics_; }
  /// Returns true if a release may let something begin: a request waits to be admitted (for room, or for other requests
  /// to be released), or each release may begin a write-back. Nothing else waits for a release.
  [[nodiscard]] bool awaits_release() const { return waiting_ > 0 || write_back_finished_; }
  /// Returns every request that has not been acquired yet, by node, in the order of their admission.
  [[nodiscard]] std::vector<WaitingRequest> waiting() const;

  // These functions check the rules that hold between events. Each returns the first rule that is broken, in words, or
  // nothing (memory_core_check.cpp).

  /// Checks one handle on all nodes. O(nodes).
  [[nodiscard]] std::string_view check(HandleId handle) const;
  /// Checks all handles, nodes, requests and transfers. O(handles * nodes).
  [[nodiscard]] std::string_view check() const;

 private:
  using Commands = std::vector<Command>;
  using Place = RequestTable::Place;
  enum class Outcome : std::uint8_t { admitted, waits, failed };

  struct Node {
    bool limited = false;
    bool lost = false;
    Bytes largest_piece;
    OffsetAllocator arena;
    /// The memory of replicas that a request pins.
    Bytes pinned;
    /// The memory of replicas that go as soon as no transfer reads them.
    Bytes evicting;
    /// The number of transfers under way from the node or to it.
    std::uint32_t transfers = 0;
    /// The requests that wait to be admitted, the oldest first.
    std::deque<Place> waiting;
    /// The admitted requests that wait for their transfers.
    std::vector<Place> admitted;
  };

  // Admission (memory_core_admission.cpp).

  /// Looks at the waiting requests again and again, until nothing changes any more for which they may wait.
  void settle(Commands& out);
  void admit_waiting(Commands& out);
  /// Admits the oldest request of a node's queue, if that is possible now. The nodes take turns by the age of their
  /// oldest requests.
  void admit_first(Node& node, Commands& out);
  Outcome try_to_admit(Place place, Commands& out);
  [[nodiscard]] HandleId lost_content(const Request& request) const;
  /// Returns the first handle that the request cannot have yet because of how other requests use it; invalid if there
  /// is none.
  [[nodiscard]] HandleId excluded(const Request& request) const;
  void admit(Place place, Commands& out);
  /// Tells the policy, the statistics and the observers of the request, before anything is done for it.
  void note_admission(const Request& request);
  void note_highest_use(NodeId node);
  void pin(const Request& request, const Use& use);
  void unpin(const Request& request, const Use& use, Commands& out);
  void unpin_all(const Request& request, Commands& out);
  [[nodiscard]] bool is_ready(const Request& request) const;
  void acquired(Request& request, Commands& out);
  void hold(Request& request, Commands& out);
  void overwrite_others(HandleId handle, NodeId writer, Commands& out);
  /// Looks at the admitted requests of the node that wait for transfers of the handle.
  void transfers_changed(NodeId node, HandleId handle, Commands& out);
  /// Fails the request because of a handle that cannot be brought or cannot be evicted.
  void fail(Place place, HandleId handle, Commands& out);

  // Room (memory_core_room.cpp).

  /// Allocates all the memory that the request lacks on its node, or does what is possible now to get it.
  Outcome make_room(const Request& request, Commands& out);
  /// Returns the memory that has still to be allocated for the request.
  [[nodiscard]] Bytes missing(const Request& request) const;
  [[nodiscard]] bool can_be_held_beside_pinned(const Request& request) const;
  /// Allocates memory for all of the request's handles, or for none.
  bool allocate_all(const Request& request);
  bool allocate_for_prefetch(HandleId handle, NodeId node, std::span<const Use> batch, Commands& out);
  [[nodiscard]] bool may_go(HandleId handle, NodeId node) const;
  /// Returns the handle that is to go next. Locked ones are chosen only if there are no others.
  [[nodiscard]] HandleId next_victim(const Request& request) const;
  [[nodiscard]] HandleId victim_of_its_own(const Request& request) const;
  [[nodiscard]] HandleId cannot_be_written_back(NodeId node) const;
  void evict(HandleId handle, NodeId node, Commands& out);
  void keep(HandleId handle, NodeId node);
  /// Drops a replica that is valid or only has memory.
  void drop(HandleId handle, NodeId node, Commands& out);
  /// Marks the only valid replica as modified, if it is outside the host.
  void mark_only_one(HandleId handle, Commands& out);
  void release_block(HandleId handle, NodeId node);
  /// Called when a transfer no longer reads the replica: drops it if it is evicting and no other transfer reads it.
  void finish_eviction(HandleId handle, NodeId node, Commands& out);

  // Loss (memory_core_loss.cpp).

  /// Drops the lost node's replica of the handle. A replica that a transfer is bringing stays until the transfer has
  /// ended.
  void lose(HandleId handle, NodeId node, Commands& out);
  void note_loss(HandleId handle);
  /// Called when a copy from a lost node has ended well: the new replica may be the only valid one, or may stand beside
  /// a replica that had become the only valid one.
  void came_from_the_lost(HandleId handle, Commands& out);
  void refuse_all(Node& where, NodeId id, Commands& out);
  /// Called when a transfer has ended: serves or refuses readers that wait because it is in doubt whether any node gets
  /// the content.
  void resolve_doubt(HandleId handle, Commands& out);
  /// Returns true if copies from or to lost nodes are under way.
  [[nodiscard]] bool waits_for_the_lost() const;

  // Transfers (memory_core_transfers.cpp).

  /// Returns the cheapest node that has the handle and is not in `tried`; invalid if there is none.
  [[nodiscard]] NodeId cheapest_source(HandleId handle, NodeId to, const NodeSet& tried) const;
  void start(HandleId handle, NodeId from, NodeId to, bool waited_for, NodeSet tried, Commands& out);
  void make_urgent(HandleId handle, NodeId to, Commands& out);
  void make_all_urgent(HandleId handle, Commands& out);
  /// Does the common first part of `transfer_done` and `transfer_failed`; `after_transfer` does the common last part.
  Transfer take(TransferId id);
  void after_transfer(const Transfer& transfer, Commands& out);
  void write_back_early(const Request& request, Commands& out);
  void prefetch_one(const Use& use, NodeId node, std::span<const Use> batch, Commands& out);
  void finish_forgetting(HandleId handle, Commands& out);

  void set_state(HandleId handle, NodeId node, ReplicaState state, Commands& out);
  /// Returns the first use of a piece of data that is larger than a piece may be on the node; null if there is none.
  [[nodiscard]] static const Use* too_large(const Node& node, std::span<const Use> uses);
  [[nodiscard]] Bytes space_of(HandleId handle) const {
    return OffsetAllocator::rounded(directory_.record(handle).bytes);
  }
  void learn_size(const Use& use);
  [[nodiscard]] Node& node(NodeId id) { return nodes_[id.index()]; }
  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[id.index()]; }
  [[nodiscard]] WaitingRequest why_waiting(const Request& request, bool first) const;
  /// Finds a transfer that the request waits for, and sets `why`. Returns false if there is none.
  bool find_transfer(const Request& request, WaitingRequest& why) const;

  // These are the parts of check().
  [[nodiscard]] std::string_view check_replica(HandleId handle, NodeId node) const;
  [[nodiscard]] std::string_view check_node(NodeId node) const;
  [[nodiscard]] std::string_view check_requests() const;

  bool write_back_finished_;
  const std::shared_ptr<AccessObserver> access_observer_;
  const std::shared_ptr<ReuseProfile> reuse_profile_;
  std::unique_ptr<EvictionPolicy> policy_;
  std::vector<Node> nodes_;
  ReplicaDirectory directory_;
  TransferTable transfers_;
  RequestTable requests_;
  std::uint64_t arrivals_ = 0;
  /// The number of requests of all nodes that wait to be admitted.
  std::size_t waiting_ = 0;
  /// True if something has changed that a waiting request may wait for.
  bool changed_ = false;
  /// The request that `acquire_at_once` examines before it is added to the table.
  Request probe_;
  /// The number of handles that have locks.
  std::size_t locked_ = 0;
  MemoryStatistics statistics_;
};

}  // namespace troupe::memory
