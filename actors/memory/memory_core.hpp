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
#include "actors/memory/halo_table.hpp"
#include "actors/memory/memory_command.hpp"
#include "actors/memory/memory_options.hpp"
#include "actors/memory/memory_statistics.hpp"
#include "actors/memory/offset_allocator.hpp"
#include "actors/memory/replica_directory.hpp"
#include "actors/memory/request_table.hpp"
#include "actors/memory/transfer_table.hpp"
#include "proto/memory.hpp"

namespace troupe::memory {

/// The states of a replica. Each handle has one replica on each node; on node 0 the replica begins as `shared`, on all
/// other nodes as `invalid`. In the table, "it" is the replica and "here" its node:
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
/// | shared, modified | is evicted, other nodes have the content            | invalid  |                             |
/// | shared, modified | is evicted, no other node has the content           | the same | start_transfer, to the host |
/// | shared           | all other replicas were dropped (not on the host)   | modified |                             |
/// | any              | forget                                              | as new   |                             |
/// | any              | discard, no request and no transfer uses the handle | as new   |                             |
/// | shared, modified | the node is lost                                    | invalid  |                             |
/// | incoming         | transfer_done or transfer_failed, the node is lost  | invalid  |                             |
/// | incoming         | transfer_done, from a lost node that alone had it   | modified |                             |
///
/// Each change of state gives a `replica_changed` command. A `modified` replica is valid on its node and on no other.
/// The host's replica may be the only valid one and still be `shared`: if all other replicas were dropped, or if the
/// handle was never copied.
///
/// The states of a request. In the table, "it" is the request and "here" its node:
///
/// | from     | event                                                          | to       | commands             |
/// |----------|----------------------------------------------------------------|----------|----------------------|
/// | -        | acquire, the set or one piece is too large for the node        | -        | cannot_fit           |
/// | -        | acquire                                                        | waiting  |                      |
/// | waiting  | it is the node's first, no use excludes its own, there is room | admitted | start_transfer (any) |
/// | waiting  | it is the node's first, a victim cannot be written back        | -        | failed               |
/// | admitted | all it reads is valid here, no transfer reads what it writes   | acquired | acquired             |
/// | admitted | what it reads cannot be brought here                           | -        | failed               |
/// | any      | release                                                        | -        | early write-backs    |
/// | -        | acquire_at_once, nothing is missing or in the way              | acquired |                      |
/// | -        | bring_home, the host has the content, or a request writes it   | -        | acquired             |
/// | -        | bring_home, the content is lost                                | -        | content_lost, once   |
/// | -        | bring_home                                                     | admitted | start_transfer       |
/// | -        | acquire, the node is lost                                      | -        | node_lost            |
/// | waiting  | the node is lost                                               | -        | node_lost            |
/// | admitted | the node is lost                                               | -        | node_lost            |
/// | waiting  | it is the node's first, and content that it reads is lost      | -        | content_lost         |
/// | admitted | what it reads was to come from a node that is lost             | -        | content_lost         |
///
/// **Admission** is all or nothing. A request is admitted when its whole working set has room on the node beside the
/// pinned replicas, and when no admitted request on another node uses one of its handles in a way that excludes its own
/// use. Then its memory is allocated, and its replicas are pinned. A writer excludes all uses on other nodes. On one
/// node no use excludes another, because the task graph orders tasks. So admitted requests wait only for transfers,
/// which end, and waiting requests wait only for admitted requests: there is no deadlock. Each node admits requests in
/// the order of arrival. If the oldest waiting request of another node is older than a request, and the two use a
/// handle in ways that exclude each other, the older request is admitted first.
///
/// **Room** is made for the first waiting request of a node. The eviction policy chooses a replica to drop, among those
/// that neither are pinned nor belong to the request. A replica that is being copied is dropped when the copy has
/// ended. If there is enough free memory but in small pieces, more replicas are dropped; if nothing is pinned, even
/// replicas of the request itself. A prefetch takes free memory. It evicts only replicas that are also valid on another
/// node and that were used since they came. It considers only the first 32 replicas in the policy's order, and is
/// refused while a request waits for the node.
///
/// **Source** of a transfer is a node with a valid replica. The cost of such a node is latency + bytes * seconds per
/// byte, plus the costs of all transfers under way from the node. The node with the lowest cost is taken; at equal
/// costs, the node with the lowest number. A node that is about to drop its replica is taken only if there is no other.
///
/// **Loss** of a node makes all its replicas invalid. Content that only this node had is lost once no copy from the
/// node is under way any more, because such a copy may still succeed. Then requests that read the content are refused
/// until a task overwrites it. Requests that were acquired on the node keep their pins and their memory until they are
/// released, because their tasks may still run.
///
/// **Halo parts** have buffers as their replicas on devices. On the host, a halo part lies inside the data that it
/// overlaps: its replica there is a mere form, and a request on the host brings the overlapped data. To fill a buffer,
/// one transfer for each piece of overlapped data (`start_transfer` with `halo`) copies the bytes that this piece and
/// the halo part have in common, if possible from the buffer's own node. The buffer becomes `shared` when all these
/// transfers have ended. When a request that writes overlapped data is acquired, all buffers over these data become
/// invalid; so a valid buffer may be read again. Because the host's formal replica is always valid, a buffer is dropped
/// without a write-back. The overlapped data need neither memory nor pins on the buffer's node.
///
/// A handle that is no halo part is brought to a node by at most one transfer at a time. The same events always give
/// the same commands.
class MemoryCore {
 public:
  explicit MemoryCore(MemoryOptions options, std::unique_ptr<EvictionPolicy> policy = least_recently_used());

  // Events. Each of these functions appends commands to `out`, in the order in which the commands are to be carried
  // out.

  /// Asks for a task's whole working set to be brought to a node and pinned there. The answer is `acquired`,
  /// `cannot_fit`, `failed`, `node_lost` or `content_lost`, at once or later. A handle may be named more than once.
  /// `task` is the task's number in the graph, for eviction policies that know the submitted tasks.
  void acquire(RequestId request, NodeId node, std::span<const Use> uses, std::vector<Command>& out, TaskId task = {});
  /// Acquires the working set if that is possible now: if nothing has to be copied or evicted, no use on another node
  /// excludes this use, and no request waits for the node. If the working set is acquired, returns true, and appends no
  /// `acquired` command. Otherwise adds no request and returns false. Allocates almost no memory in steady state.
  [[nodiscard]] bool acquire_at_once(RequestId request, NodeId node, std::span<const Use> uses,
                                     std::vector<Command>& out, TaskId task = {});
  /// Called before the program reads data on the host: brings the newest content of each handle to the host. The
  /// requests are admitted at once, because the host needs no room. Each use becomes a request of its own; the requests
  /// are numbered
  /// from `first` on. The answer to each request is `acquired`, `failed` or `content_lost`; `content_lost` comes only
  /// once for each loss. Data that an admitted request writes are not copied, and the answer is `acquired`.
  void bring_home(RequestId first, std::span<const Use> uses, std::vector<Command>& out);
  /// Ends a request. Called when the task has ended or failed (then the data that the task was to write count as
  /// written), or to give up a request that was not acquired yet (then nothing was written). Does nothing if the
  /// request has been refused, because the caller may not know of the refusal yet.
  void release(RequestId request, std::vector<Command>& out);
  /// Copies the data of all uses that read to the node, if there is room. A prefetch does not wait for room, does not
  /// pin its data and has no answer. `task` is the task that is going to use the data on this node.
  void prefetch(NodeId node, std::span<const Use> uses, std::vector<Command>& out, TaskId task = {});
  void transfer_done(TransferId transfer, std::vector<Command>& out);
  /// Called when the transfer has failed: the target's memory may now hold anything.
  void transfer_failed(TransferId transfer, std::vector<Command>& out);
  /// Called when the program has released the data. All replicas are dropped, and the handle counts as new. Content
  /// that only a device has is lost; a caller that needs this content must acquire the data on the host first. If
  /// admitted requests use the handle, it is forgotten when the last of them has been released: these are requests of
  /// `bring_home`, and those of nested tasks whose kernels divide the data anew.
  void forget(HandleId handle, std::vector<Command>& out);
  /// Called when the content of the handle is not needed: all replicas but the host's are dropped, and nothing is
  /// copied. The effects of hints about the handle stay. Has no effect while a request or a transfer uses the handle,
  /// because the next task that writes the handle makes all other replicas invalid anyway.
  void discard(HandleId handle, std::vector<Command>& out);
  /// Called when the node's device is gone for good. The node is not the host. The ends of transfers under way from the
  /// node or to it must still be reported.
  void node_lost(NodeId node, std::vector<Command>& out);
  /// Sets an index of how much the data are going to be used, for eviction policies that use this index: replicas with
  /// low indexes are evicted first. The index holds until the handle is forgotten.
  void set_reuse(HandleId handle, std::int64_t index);
  /// Locks the handle: its replicas are evicted only if no other replica can be evicted. So a request that needs the
  /// room still gets it. Locks are counted; `forget` removes them all.
  void lock(HandleId handle);
  /// Removes one lock. Does nothing if the handle has no lock, because the handle may have been forgotten.
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
  /// Returns true if releases have to be handled soon: a request waits to be admitted (for room, or for other requests
  /// to be released), or each release may begin a write-back. Nothing else waits for a release.
  [[nodiscard]] bool awaits_release() const { return waiting_ > 0 || write_back_finished_; }
  /// Returns all requests that have not been acquired yet: node by node, first admitted requests, then requests that
  /// wait to be admitted, the oldest first.
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
    /// The memory of all pinned replicas.
    Bytes pinned;
    /// The memory of replicas that are dropped as soon as no transfer reads them.
    Bytes evicting;
    /// The number of transfers under way from the node or to it.
    std::uint32_t transfers = 0;
    /// The requests that wait to be admitted, the oldest first.
    std::deque<Place> waiting;
    /// The admitted requests that wait for their transfers.
    std::vector<Place> admitted;
  };

  // These functions admit requests (memory_core_admission.cpp).

  /// Tries to admit waiting requests, and repeats this as long as something changes that a request may wait for.
  void settle(Commands& out);
  void admit_waiting(Commands& out);
  /// Admits the oldest request of a node's queue, if that is possible now. `admit_waiting` calls this for each node;
  /// the node with the oldest request comes first.
  void admit_first(Node& node, Commands& out);
  Outcome try_to_admit(Place place, Commands& out);
  [[nodiscard]] HandleId lost_content(const Request& request) const;
  /// Returns the first handle that the request cannot have yet because other requests use it; invalid if there is none.
  [[nodiscard]] HandleId excluded(const Request& request) const;
  void admit(Place place, Commands& out);
  /// Reports the request to the policy, the statistics and the observers. Called when the request's memory has been
  /// allocated, before the request's replicas are pinned.
  void note_admission(const Request& request);
  void note_highest_use(NodeId node);
  void pin(const Request& request, const Use& use);
  void unpin(const Request& request, const Use& use, Commands& out);
  void unpin_all(const Request& request, Commands& out);
  [[nodiscard]] bool is_ready(const Request& request) const;
  void acquired(Request& request, Commands& out);
  void hold(Request& request, Commands& out);
  void overwrite_others(HandleId handle, NodeId writer, Commands& out);
  /// Called when the transfers of the handle have changed. Admitted requests of the node that waited only for these
  /// transfers become acquired.
  void transfers_changed(NodeId node, HandleId handle, Commands& out);
  /// Fails the request, because `handle` cannot be brought to the request's node, or cannot leave this node to make
  /// room.
  void fail(Place place, HandleId handle, Commands& out);

  // These functions fill the buffers of halo parts (memory_core_halos.cpp).

  /// Returns true if the halo table names the same overlaps for the request's halo parts as the request.
  [[nodiscard]] bool knows_halos(const Request& request) const;
  /// Learns what the halo parts among `uses` overlap. If a halo part overlaps other data than before, outdates its
  /// buffers.
  void learn_halos(std::span<const Use> uses, std::span<const Use> overlaps, Commands& out);
  /// Returns the first handle that the request has to copy from into a halo part's buffer but cannot read yet, because
  /// a request on another node writes it; invalid if there is none.
  [[nodiscard]] HandleId unavailable_overlap(const Request& request) const;
  /// Returns the admitted requests on a node that read the handle and wait for a transfer.
  [[nodiscard]] std::vector<Place> readers_of(HandleId handle, NodeId id) const;
  /// Starts the transfers that fill a buffer, whose memory has been allocated. If some content is lost, fails the
  /// requests that wait for the buffer. If a copy from a lost node may still bring the content, does nothing yet.
  void fill(HandleId halo, NodeId to, bool waited_for, Commands& out);
  [[nodiscard]] NodeId source_of_overlap(const Use& use, NodeId to, const NodeSet& tried) const;
  /// Starts one of the transfers that fill a buffer. Returns false if no node is left to copy from.
  bool start_overlap(const Use& use, NodeId to, bool waited_for, NodeSet tried, Commands& out);
  void overlap_ended(TransferId id, bool arrived, Commands& out);
  void overlap_failed(Transfer& transfer, Commands& out);
  /// Called when no transfer fills the buffer any more.
  void buffer_ended(HandleId halo, NodeId id, Commands& out);
  /// Makes all buffers of a halo part invalid, because their content is out of date. Buffers that are being filled are
  /// marked as spoiled.
  void outdate(HandleId halo, Commands& out);
  /// Outdates all buffers that have been filled from these data.
  void outdate_over(HandleId handle, Commands& out);
  void make_overlaps_urgent(HandleId handle, Commands& out);
  [[nodiscard]] bool may_be_prefetched(HandleId halo) const;

  // These functions make room (memory_core_room.cpp).

  /// Allocates all the memory that the request lacks on its node, and evicts replicas for that. Returns `waits` if this
  /// is not possible yet, and `failed` if no replica can be evicted.
  Outcome make_room(const Request& request, Commands& out);
  /// Returns the memory that has still to be allocated for the request.
  [[nodiscard]] Bytes missing(const Request& request) const;
  [[nodiscard]] bool can_be_held_beside_pinned(const Request& request) const;
  /// Allocates memory for all of the request's handles, or for none.
  bool allocate_all(const Request& request);
  bool allocate_for_prefetch(HandleId handle, NodeId node, std::span<const Use> batch, Commands& out);
  [[nodiscard]] bool may_go(HandleId handle, NodeId node) const;
  /// Returns the handle whose replica is to be evicted next. A locked handle is chosen only if no other handle can be.
  [[nodiscard]] HandleId next_victim(const Request& request) const;
  [[nodiscard]] HandleId victim_of_its_own(const Request& request) const;
  [[nodiscard]] HandleId cannot_be_written_back(NodeId node) const;
  void evict(HandleId handle, NodeId node, Commands& out);
  void keep(HandleId handle, NodeId node);
  /// Drops a valid replica, or an invalid replica that only occupies memory.
  void drop(HandleId handle, NodeId node, Commands& out);
  /// If only one replica is valid, and this replica is not on the host, marks the replica as modified.
  void mark_only_one(HandleId handle, Commands& out);
  void release_block(HandleId handle, NodeId node);
  /// Called when a transfer no longer reads the replica. If the replica is being evicted and no other transfer reads
  /// it, drops the replica.
  void finish_eviction(HandleId handle, NodeId node, Commands& out);

  // These functions react to the loss of a node (memory_core_loss.cpp).

  /// Drops the lost node's replica of the handle. A replica that a transfer is bringing stays until the transfer has
  /// ended.
  void lose(HandleId handle, NodeId node, Commands& out);
  void note_loss(HandleId handle);
  /// Corrects the replicas' states after a copy from a lost node has succeeded. If the new replica is the only valid
  /// one, it becomes `modified`. If another replica had become the only valid one, that replica is no longer
  /// `modified`.
  void came_from_the_lost(HandleId handle, Commands& out);
  void refuse_all(Node& where, NodeId id, Commands& out);
  /// Called when a transfer has ended. Readers wait while it is in doubt whether a copy from a lost node brings the
  /// content. Once this is known, the content is copied to the readers, or they are refused.
  void resolve_doubt(HandleId handle, Commands& out);
  /// Returns true if copies from or to lost nodes are under way.
  [[nodiscard]] bool waits_for_the_lost() const;

  // These functions copy data between nodes (memory_core_transfers.cpp).

  /// Returns the cheapest source of a copy of these bytes to `to`, among the nodes that have the handle's content and
  /// are not in `tried`; invalid if there is none.
  [[nodiscard]] NodeId cheapest_source(HandleId handle, Bytes bytes, NodeId to, const NodeSet& tried) const;
  void start(HandleId handle, NodeId from, NodeId to, bool waited_for, NodeSet tried, Commands& out);
  void make_urgent(HandleId handle, NodeId to, Commands& out);
  void make_urgent(TransferTable::Place transfer, Commands& out);
  void make_all_urgent(HandleId handle, Commands& out);
  /// Does the common first steps of `transfer_done` and `transfer_failed`; `after_transfer` does the common last steps.
  Transfer take(TransferId id);
  void after_transfer(const Transfer& transfer, Commands& out);
  void write_back_early(const Request& request, Commands& out);
  void prefetch_one(const Use& use, NodeId node, std::span<const Use> batch, Commands& out);
  void finish_forgetting(HandleId handle, Commands& out);
  /// Makes the host's replica the only valid one, without copying anything.
  void leave_to_host(HandleId handle, Commands& out);

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

  // These functions do the work of `check`.
  /// Returns the number of transfers under way that copy some of the handle into buffers of halo parts.
  [[nodiscard]] std::uint32_t overlap_copies(HandleId handle) const;
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
  HaloTable halos_;
  std::uint64_t arrivals_ = 0;
  /// The number of requests of all nodes that wait to be admitted.
  std::size_t waiting_ = 0;
  /// True if something has changed that a waiting request may wait for.
  bool changed_ = false;
  /// `acquire_at_once` examines its request here before it adds the request to the table.
  Request probe_;
  /// The number of handles that have locks.
  std::size_t locked_ = 0;
  MemoryStatistics statistics_;
};

}  // namespace troupe::memory
