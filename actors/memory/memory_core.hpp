/// What is where, and what has to be copied: the memory manager without its actor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "actors/memory/eviction.hpp"
#include "actors/memory/memory_command.hpp"
#include "actors/memory/memory_options.hpp"
#include "actors/memory/memory_statistics.hpp"
#include "proto/memory.hpp"

namespace troupe::memory {

/// A replica, one for each handle and node (node 0 begins with `shared`, the others with `invalid`):
///
/// | from             | event                                                  | to       | commands |
/// |------------------|--------------------------------------------------------|----------|----------------------------|
/// | invalid          | a request that reads it is admitted here; prefetch;    | incoming | start_transfer | | |
/// write-back (host)                                      |          |                            | | incoming |
/// transfer_done                                          | shared   |                            | | incoming |
/// transfer_failed, another node has it, waited for       | incoming | start_transfer             | | incoming |
/// transfer_failed, else                                  | invalid  | failed, for those who wait | | modified |
/// transfer_done, from here                               | shared   |                            | | invalid, shared
/// | a request that writes it is acquired here              | modified | acquired                   | | shared,
/// modified | a request that writes it is acquired on another node   | invalid  |                            | |
/// shared, modified | makes room, valid elsewhere                            | invalid  |                            |
/// | shared, modified | makes room, valid nowhere else                         | the same | start_transfer to the host
/// | | shared           | it became the only valid one, not the host's           | modified | | | any              |
/// forget                                                 | as new   |                            |
///
/// Each change gives a `replica_changed`. `modified` thus means: valid here and nowhere else, and the host's is
/// outdated.
///
/// A request:
///
/// | from    | event                                                                | to       | commands             |
/// |---------|----------------------------------------------------------------------|----------|----------------------|
/// | -       | acquire, larger than the node                                        | -        | cannot_fit           |
/// | -       | acquire                                                              | waiting  |                      |
/// | waiting | it is the node's first, no use excludes its own, there is room       | admitted | start_transfer, each |
/// | admitted| all it reads is valid here, nothing it writes is read by a transfer  | acquired | acquired             |
/// | admitted| what it waits for cannot be brought here                             | -        | failed               |
/// | any     | release                                                              | -        | early write-backs    |
///
/// **Admission** is all or nothing: a request is pinned, with its memory allocated, when all of its working set has
/// room at once beside what is pinned, and no use of another node excludes one of its own (a writer excludes all
/// others; on one node nothing excludes anything, as the task graph orders tasks). So admitted requests wait for
/// transfers alone, which end, and waiting ones for admitted ones: there is no deadlock. Each node admits in the order
/// of arrival, and nobody is admitted to use what the first in an older queue waits to use otherwise.
///
/// **Room** is made for the first request of a node: what the policy names goes, of what is neither pinned nor being
/// copied nor part of the request. If there is enough but in pieces, more goes; if nothing is pinned, even what the
/// request itself has there. A prefetch takes free memory; it makes room only at the expense of replicas that are valid
/// elsewhere too and that were used since they came, looks at the 32 oldest only, and is refused while a request waits
/// for the node.
///
/// **Source** of a transfer: the valid replica with the least latency + bytes * seconds per byte + the same, summed, of
/// all transfers under way from that node; of equals the lowest node; nodes that are about to drop theirs come last.
///
/// A handle is copied to a node once at a time. Equal events give equal commands.
class MemoryCore {
 public:
  explicit MemoryCore(MemoryOptions options, std::unique_ptr<EvictionPolicy> policy = least_recently_used());
  ~MemoryCore();
  MemoryCore(const MemoryCore&) = delete;
  MemoryCore& operator=(const MemoryCore&) = delete;

  // Events. Each appends to `out` what is to be done, in this order.

  /// A task wants its whole working set, pinned, on a node. Answered by `acquired`, `cannot_fit` or `failed`, at once
  /// or later. A handle may be named more than once.
  void acquire(RequestId request, NodeId node, std::span<const Use> uses, std::vector<Command>& out);
  /// The task has ended, well or not (what it was to write counts as written), or the request is given up before it was
  /// acquired (then nothing was written).
  void release(RequestId request, std::vector<Command>& out);
  /// Fetches what is read if there is room. Never waits, is never pinned, never answered.
  void prefetch(NodeId node, std::span<const Use> uses, std::vector<Command>& out);
  void transfer_done(TransferId transfer, std::vector<Command>& out);
  /// What the transfer was to write may hold anything.
  void transfer_failed(TransferId transfer, std::vector<Command>& out);
  /// The program has released the data: all replicas go, and the handle is as new. Content that only a device has is
  /// lost: whoever needs it acquires it at the host first. No request may use the handle.
  void forget(HandleId handle, std::vector<Command>& out);

  // Queries.

  [[nodiscard]] ReplicaState state(HandleId handle, NodeId node) const;
  /// Where the handle's replica lies in the node's arena. It must be valid, incoming or acquired there.
  [[nodiscard]] std::uint64_t offset(HandleId handle, NodeId node) const;
  /// What is allocated. Zero on a node without a limit.
  [[nodiscard]] Bytes used(NodeId node) const;
  [[nodiscard]] Bytes capacity(NodeId node) const;
  [[nodiscard]] const MemoryStatistics& statistics() const;
  /// Every request that was not acquired yet, by node, in the order of their admission.
  [[nodiscard]] std::vector<WaitingRequest> waiting() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace troupe::memory
