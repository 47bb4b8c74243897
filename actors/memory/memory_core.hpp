/// What is where, and what has to be copied: the memory manager without its actor.
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

/// A replica, one for each handle and node (node 0 begins with `shared`, the others with `invalid`):
///
/// | from             | event                                               | to       | commands                    |
/// |------------------|-----------------------------------------------------|----------|-----------------------------|
/// | invalid          | a request that reads it is admitted here; prefetch  | incoming | start_transfer              |
/// | invalid (host)   | write-back                                          | incoming | start_transfer              |
/// | incoming         | transfer_done                                       | shared   |                             |
/// | incoming         | transfer_failed: a request reads it, others have it | incoming | start_transfer              |
/// | incoming         | transfer_failed: else                               | invalid  | failed, for its readers     |
/// | modified         | transfer_done, from here                            | shared   |                             |
/// | invalid, shared  | a request that writes it is acquired here           | modified | acquired                    |
/// | shared, modified | one that writes it is acquired on another node      | invalid  |                             |
/// | shared, modified | makes room, valid elsewhere                         | invalid  |                             |
/// | shared, modified | makes room, valid nowhere else                      | the same | start_transfer, to the host |
/// | shared           | it became the only valid one, and is not the host's | modified |                             |
/// | any              | forget                                              | as new   |                             |
/// | shared, modified | the node is lost                                    | invalid  |                             |
/// | incoming         | transfer_done or transfer_failed, the node is lost  | invalid  |                             |
/// | incoming         | transfer_done, from the lost node that alone had it | modified |                             |
///
/// Each change gives a `replica_changed`. `modified` thus means: valid here and nowhere else. The host's may be the
/// only valid one and `shared` where it was not written since others had it, or never.
///
/// A request:
///
/// | from     | event                                                          | to       | commands             |
/// |----------|----------------------------------------------------------------|----------|----------------------|
/// | -        | acquire, larger than the node, or a piece than one may be      | -        | cannot_fit           |
/// | -        | acquire                                                        | waiting  |                      |
/// | waiting  | it is the node's first, no use excludes its own, there is room | admitted | start_transfer, each |
/// | waiting  | it is the node's first, what has to go cannot be written back  | -        | failed               |
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
/// room at once beside what is pinned, and no use of another node excludes one of its own (a writer excludes all
/// others; on one node nothing excludes anything, as the task graph orders tasks). So admitted requests wait for
/// transfers alone, which end, and waiting ones for admitted ones: there is no deadlock. Each node admits in the order
/// of arrival, and nobody is admitted to use what the first in an older queue waits to use otherwise.
///
/// **Room** is made for the first request of a node: what the policy names goes, of what is neither pinned nor part
/// of the request; what is being copied goes when that has ended. If there is enough but in pieces, more goes; if
/// nothing is pinned, even what the request itself has there. A prefetch takes free memory; it makes room only at the
/// expense of replicas that are valid elsewhere too and that were used since they came, looks at the 32 oldest only,
/// and is refused while a request waits for the node.
///
/// **Source** of a transfer: the valid replica with the least latency + bytes * seconds per byte + the same, summed, of
/// all transfers under way from that node; of equals the lowest node; nodes that are about to drop theirs come last.
///
/// **Loss** of a node takes all that it had. What it alone had is lost when no copy from it is under way any more
/// (one of those may still end well): who reads it is refused until somebody overwrites it. Requests that are acquired
/// there keep their pins and their memory until they are released, as their tasks may still run.
///
/// A handle is copied to a node once at a time. Equal events give equal commands.
class MemoryCore {
 public:
  explicit MemoryCore(MemoryOptions options, std::unique_ptr<EvictionPolicy> policy = least_recently_used());

  // Events. Each appends to `out` what is to be done, in this order.

  /// A task wants its whole working set, pinned, on a node. Answered by `acquired`, `cannot_fit`, `failed`, `node_lost`
  /// or `content_lost`, at once or later. A handle may be named more than once. `task`: its number in the task graph,
  /// for policies that know what is submitted.
  void acquire(RequestId request, NodeId node, std::span<const Use> uses, std::vector<Command>& out, TaskId task = {});
  /// The same if it can be had now: nothing has to be copied or evicted, nobody excludes it, nobody on the node waits.
  /// True: it is acquired, without a command that says so. False: nothing has happened. Allocates next to no memory in
  /// steady state.
  [[nodiscard]] bool acquire_at_once(RequestId request, NodeId node, std::span<const Use> uses,
                                     std::vector<Command>& out, TaskId task = {});
  /// The program is going to look at data on the host: brings the newest content of each there. Nobody waits for a
  /// turn, as nothing has to make room on the host. Each is a request of its own, numbered from `first` on, and
  /// answered by `acquired`, `failed` or `content_lost`; the last only once for each loss. What somebody is admitted to
  /// write counts as brought.
  void bring_home(RequestId first, std::span<const Use> uses, std::vector<Command>& out);
  /// The task has ended, well or not (what it was to write counts as written), or the request is given up before it was
  /// acquired (then nothing was written). Does nothing where the request has been refused already: who gives it up may
  /// not know yet.
  void release(RequestId request, std::vector<Command>& out);
  /// Fetches what is read if there is room. Never waits, is never pinned, never answered. `task`: the one that is going
  /// to use the data on this node.
  void prefetch(NodeId node, std::span<const Use> uses, std::vector<Command>& out, TaskId task = {});
  void transfer_done(TransferId transfer, std::vector<Command>& out);
  /// What the transfer was to write may hold anything.
  void transfer_failed(TransferId transfer, std::vector<Command>& out);
  /// The program has released the data: all replicas go, and the handle is as new. Content that only a device has is
  /// lost: whoever needs it acquires it at the host first. No request that was admitted may still use the handle, but
  /// those of `bring_home`.
  void forget(HandleId handle, std::vector<Command>& out);
  /// The node's device is gone, and will not come back. Not the host. Transfers from it and to it that are under way
  /// are reported as all others are.
  void node_lost(NodeId node, std::vector<Command>& out);
  /// How much the data are going to be used, for policies that go by it: replicas with low indexes go first. Until the
  /// handle is forgotten.
  void set_reuse(HandleId handle, std::int64_t index);
  /// From now on the handle's replicas make room only when nothing else can: who needs it still gets it. Locks are
  /// counted; `forget` takes them all.
  void lock(HandleId handle);
  /// Does nothing where the handle has no lock, as it was forgotten.
  void unlock(HandleId handle);

  // Queries.

  [[nodiscard]] ReplicaState state(HandleId handle, NodeId node) const;
  /// Where the handle's replica lies in the node's arena. It must be valid, incoming or acquired there.
  [[nodiscard]] std::uint64_t offset(HandleId handle, NodeId node) const;
  /// What is allocated. Zero on a node without a limit.
  [[nodiscard]] Bytes used(NodeId node) const;
  [[nodiscard]] Bytes capacity(NodeId node) const;
  /// How many handles have a row.
  [[nodiscard]] std::size_t handles() const { return directory_.handles(); }
  [[nodiscard]] bool is_lost(NodeId node) const { return nodes_[node.index()].lost; }
  /// Handles that the host does not have, in no order that means anything.
  [[nodiscard]] std::span<const HandleId> away() const { return directory_.away(); }
  /// The handle's content was on lost nodes alone.
  [[nodiscard]] bool content_lost(HandleId handle) const;
  [[nodiscard]] const MemoryStatistics& statistics() const { return statistics_; }
  /// A request waits to be admitted: for room, or for others to be released; or each release may begin a write-back.
  /// Nothing else waits for a release.
  [[nodiscard]] bool awaits_release() const { return waiting_ > 0 || write_back_finished_; }
  /// Every request that was not acquired yet, by node, in the order of their admission.
  [[nodiscard]] std::vector<WaitingRequest> waiting() const;

  // What must hold between events: the first rule that is broken, in words, or nothing (memory_core_check.cpp).

  /// Of one handle on all nodes. O(nodes).
  [[nodiscard]] std::string_view check(HandleId handle) const;
  /// Of all handles, nodes, requests and transfers. O(handles * nodes).
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
    /// Taken by replicas that a request pins.
    Bytes pinned;
    /// Taken by replicas that go as soon as no transfer reads them.
    Bytes evicting;
    /// Transfers under way from it or to it.
    std::uint32_t transfers = 0;
    /// Requests that wait to be admitted, the oldest first.
    std::deque<Place> waiting;
    /// Requests that wait for their transfers.
    std::vector<Place> admitted;
  };

  // Admission (memory_core_admission.cpp).

  /// Looks at the waiting requests again while something changes that they may wait for.
  void settle(Commands& out);
  void admit_waiting(Commands& out);
  /// The oldest request of a queue, until one has to wait on. Waiting requests take their turns by age.
  void admit_first(Node& node, Commands& out);
  Outcome try_to_admit(Place place, Commands& out);
  [[nodiscard]] HandleId lost_content(const Request& request) const;
  /// The first handle that the request cannot have yet because of how others use it; invalid if there is none.
  [[nodiscard]] HandleId excluded(const Request& request) const;
  void admit(Place place, Commands& out);
  /// For policies, figures and logs, before anything of the request is begun.
  void note_admission(const Request& request);
  void note_highest_use(NodeId node);
  void pin(const Request& request, const Use& use);
  void unpin(const Request& request, const Use& use, Commands& out);
  void unpin_all(const Request& request, Commands& out);
  [[nodiscard]] bool is_ready(const Request& request) const;
  void acquired(Request& request, Commands& out);
  void hold(Request& request, Commands& out);
  void overwrite_others(HandleId handle, NodeId writer, Commands& out);
  /// Looks at those that wait on the node for transfers of the handle.
  void transfers_changed(NodeId node, HandleId handle, Commands& out);
  /// Because of a handle that cannot be had or cannot go.
  void fail(Place place, HandleId handle, Commands& out);

  // Room (memory_core_room.cpp).

  /// Allocates all that the request lacks on its node, or does what can be done now to make that possible.
  Outcome make_room(const Request& request, Commands& out);
  /// What has to be allocated for the request yet.
  [[nodiscard]] Bytes missing(const Request& request) const;
  [[nodiscard]] bool can_be_held_beside_pinned(const Request& request) const;
  /// All or none.
  bool allocate_all(const Request& request);
  bool allocate_for_prefetch(HandleId handle, NodeId node, std::span<const Use> batch, Commands& out);
  [[nodiscard]] bool may_go(HandleId handle, NodeId node) const;
  /// Locked ones only where there are no others.
  [[nodiscard]] HandleId next_victim(const Request& request) const;
  [[nodiscard]] HandleId victim_of_its_own(const Request& request) const;
  [[nodiscard]] HandleId cannot_be_written_back(NodeId node) const;
  void evict(HandleId handle, NodeId node, Commands& out);
  void keep(HandleId handle, NodeId node);
  /// A replica that is valid, or only has memory, goes.
  void drop(HandleId handle, NodeId node, Commands& out);
  /// The only valid replica outside the host is modified.
  void mark_only_one(HandleId handle, Commands& out);
  void release_block(HandleId handle, NodeId node);
  /// No transfer reads the replica any more: does it go?
  void finish_eviction(HandleId handle, NodeId node, Commands& out);

  // Loss (memory_core_loss.cpp).

  /// What a lost node has of the handle goes, unless a transfer brings it, which will end.
  void lose(HandleId handle, NodeId node, Commands& out);
  void note_loss(HandleId handle);
  /// What had become the only valid replica may not be that any more, or be it now.
  void came_from_the_lost(HandleId handle, Commands& out);
  void refuse_all(Node& where, NodeId id, Commands& out);
  /// A transfer has ended: serves or refuses those who wait for another one of content in doubt.
  void resolve_doubt(HandleId handle, Commands& out);
  /// Copies that lost nodes had begun are under way.
  [[nodiscard]] bool waits_for_the_lost() const;

  // Transfers (memory_core_transfers.cpp).

  /// Of the nodes that have the handle, but not those in `tried`; invalid if there is none.
  [[nodiscard]] NodeId cheapest_source(HandleId handle, NodeId to, const NodeSet& tried) const;
  void start(HandleId handle, NodeId from, NodeId to, bool waited_for, NodeSet tried, Commands& out);
  void make_urgent(HandleId handle, NodeId to, Commands& out);
  void make_all_urgent(HandleId handle, Commands& out);
  /// What `transfer_done` and `transfer_failed` have in common, before and after.
  Transfer take(TransferId id);
  void after_transfer(const Transfer& transfer, Commands& out);
  void write_back_early(const Request& request, Commands& out);
  void prefetch_one(const Use& use, NodeId node, std::span<const Use> batch, Commands& out);
  void finish_forgetting(HandleId handle, Commands& out);

  void set_state(HandleId handle, NodeId node, ReplicaState state, Commands& out);
  /// The first use of a piece of data that is larger than one may be on the node; null where there is none.
  [[nodiscard]] static const Use* too_large(const Node& node, std::span<const Use> uses);
  [[nodiscard]] Bytes space_of(HandleId handle) const {
    return OffsetAllocator::rounded(directory_.record(handle).bytes);
  }
  void learn_size(const Use& use);
  [[nodiscard]] Node& node(NodeId id) { return nodes_[id.index()]; }
  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[id.index()]; }
  [[nodiscard]] WaitingRequest why_waiting(const Request& request, bool first) const;
  /// Of a transfer that the request waits for, if it does. Sets `why` then.
  bool find_transfer(const Request& request, WaitingRequest& why) const;

  // Parts of check().
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
  /// Of all nodes, waiting to be admitted.
  std::size_t waiting_ = 0;
  /// Something changed that a waiting request may wait for.
  bool changed_ = false;
  /// What `acquire_at_once` looks at, before it is a request.
  Request probe_;
  /// Handles that have locks.
  std::size_t locked_ = 0;
  MemoryStatistics statistics_;
};

}  // namespace troupe::memory
