#include "actors/memory/memory_core.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace troupe::memory {

namespace {

/// A use of its own for each handle: what is done to it taken together.
void merge(std::span<const Use> uses, std::vector<Use>& merged) {
  merged.clear();
  for (const Use& use : uses) {
    const auto same = std::ranges::find(merged, use.handle, &Use::handle);
    if (same == merged.end()) {
      merged.push_back(use);
      continue;
    }
    if (same->mode != use.mode) {
      same->mode = writes(same->mode) || writes(use.mode) ? AccessMode::read_write : AccessMode::read;
    }
    same->last_write = same->last_write || use.last_write;
  }
}

}  // namespace

MemoryCore::MemoryCore(MemoryOptions options, std::unique_ptr<EvictionPolicy> policy)
    : write_back_finished_(options.write_back_finished),
      policy_(std::move(policy)),
      directory_(options.nodes.size()),
      transfers_(options.nodes.size(), std::move(options.costs)) {
  assert(!options.nodes.empty() && options.nodes.size() <= 64 && "a bit for each node");
  assert(!options.nodes[0].limited && "data lie on the host at first");
  for (const NodeDescription& description : options.nodes) {
    nodes_.push_back({description.limited,
                      OffsetAllocator(description.limited ? description.capacity : Bytes{}),
                      {},
                      {},
                      0,
                      {},
                      {}});
  }
  statistics_.moved.resize(nodes_.size() * nodes_.size());
}

void MemoryCore::acquire(RequestId id, NodeId where, std::span<const Use> uses, Commands& out) {
  assert(where.index() < nodes_.size() && "the node exists");
  const Place place = requests_.add(id);
  Request& request = requests_[place];
  request.node = where;
  request.stage = Request::Stage::waiting;
  request.arrival = arrivals_++;
  merge(uses, request.uses);
  request.needed = {};
  for (const Use& use : request.uses) {
    directory_.ensure(use.handle);
    request.needed += OffsetAllocator::rounded(use.bytes);
  }
  Node& target = node(where);
  if (target.limited && request.needed > target.arena.capacity()) {
    out.push_back({.kind = Command::Kind::cannot_fit,
                   .node = where,
                   .request = id,
                   .needed = request.needed,
                   .capacity = target.arena.capacity()});
    requests_.remove(place);
    return;
  }
  const Outcome outcome = target.waiting.empty() ? try_to_admit(place, out) : Outcome::waits;
  if (outcome == Outcome::waits) {
    target.waiting.push_back(place);
    ++waiting_;
  }
  settle(out);
}

void MemoryCore::release(RequestId id, Commands& out) {
  const Place place = requests_.find(id);
  if (place == RequestTable::kNone) return;
  Request& request = requests_[place];
  Node& where = node(request.node);
  if (request.stage == Request::Stage::waiting) {
    where.waiting.erase(std::ranges::find(where.waiting, place));
    --waiting_;
    changed_ = true;
  } else {
    if (request.stage == Request::Stage::admitted) where.admitted.erase(std::ranges::find(where.admitted, place));
    unpin_all(request, out);
    if (write_back_finished_ && request.stage == Request::Stage::acquired) write_back_early(request, out);
  }
  requests_.remove(place);
  settle(out);
}

void MemoryCore::forget(HandleId handle, Commands& out) {
  if (!directory_.knows(handle)) return;
  HandleRecord& all = directory_.record(handle);
  assert(all.pins == 0 && "data that are released are not in use");
  all.leaving = true;
  if (all.transfers == 0) finish_forgetting(handle, out);
  settle(out);
}

void MemoryCore::finish_forgetting(HandleId handle, Commands& out) {
  // The host's first, so that no other becomes the last one for a moment.
  set_state(handle, kHost, ReplicaState::shared, out);
  for (std::uint32_t i = 1; i < nodes_.size(); ++i) drop(handle, NodeId(i), out);
  Replica& host = directory_.at(handle, kHost);
  statistics_.prefetches_wasted += host.prefetched ? 1 : 0;
  host.prefetched = false;
  directory_.record(handle) = {};
  changed_ = true;
}

void MemoryCore::learn_size(const Use& use) {
  directory_.ensure(use.handle);
  HandleRecord& all = directory_.record(use.handle);
  assert((!all.size_known || all.leaving || all.bytes == use.bytes) && "a handle keeps its size");
  if (all.size_known) return;
  all.bytes = use.bytes;
  all.size_known = true;
}

void MemoryCore::set_state(HandleId handle, NodeId where, ReplicaState state, Commands& out) {
  if (!directory_.set_state(handle, where, state)) return;
  out.push_back({.kind = Command::Kind::replica_changed, .state = state, .node = where, .handle = handle});
}

ReplicaState MemoryCore::state(HandleId handle, NodeId where) const {
  if (directory_.knows(handle)) return directory_.at(handle, where).state;
  return where == kHost ? ReplicaState::shared : ReplicaState::invalid;
}

std::uint64_t MemoryCore::offset(HandleId handle, NodeId where) const {
  if (!node(where).limited) return 0;
  const OffsetAllocator::Block block = directory_.at(handle, where).block;
  assert(block != OffsetAllocator::kNone && "the replica has memory");
  return node(where).arena.offset(block);
}

Bytes MemoryCore::used(NodeId where) const { return node(where).arena.used(); }

Bytes MemoryCore::capacity(NodeId where) const { return node(where).arena.capacity(); }

std::vector<WaitingRequest> MemoryCore::waiting() const {
  std::vector<WaitingRequest> all;
  for (const Node& where : nodes_) {
    for (const Place place : where.admitted) all.push_back(why_waiting(requests_[place], false));
    for (const Place place : where.waiting) {
      all.push_back(why_waiting(requests_[place], place == where.waiting.front()));
    }
  }
  return all;
}

WaitingRequest MemoryCore::why_waiting(const Request& request, bool first) const {
  using Reason = WaitingRequest::Reason;
  WaitingRequest why{request.id, request.node, Reason::turn, {}, {}, request.needed};
  if (request.stage == Request::Stage::waiting) {
    if (!first) return why;
    why.handle = excluded(request);
    why.reason = why.handle.valid() ? Reason::handle_in_use : Reason::memory;
    return why;
  }
  why.reason = Reason::transfer;
  for (const Use& use : request.uses) {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      const std::uint32_t incoming = directory_.at(use.handle, NodeId(i)).incoming;
      if (incoming == kNoTransfer || (!writes(use.mode) && NodeId(i) != request.node)) continue;
      why.handle = use.handle;
      why.transfer = transfers_.id(incoming);
      return why;
    }
  }
  return why;
}

}  // namespace troupe::memory
