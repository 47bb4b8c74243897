#include "actors/memory/memory_core.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace troupe::memory {

MemoryCore::MemoryCore(MemoryOptions options, std::unique_ptr<EvictionPolicy> policy)
    : write_back_finished_(options.write_back_finished),
      access_observer_(options.access_observer),
      reuse_profile_(options.reuse_profile),
      policy_(std::move(policy)),
      directory_(options.nodes.size()),
      transfers_(options.nodes.size(), std::move(options.costs)),
      halos_(options.nodes.size()) {
  assert(!options.nodes.empty() && !options.nodes[0].limited && "data lie on the host at first");
  for (const NodeDescription& description : options.nodes) {
    nodes_.push_back({description.limited,
                      false,
                      description.largest_piece,
                      OffsetAllocator(description.limited ? description.capacity : Bytes{}),
                      {},
                      {},
                      0,
                      {},
                      {}});
  }
  statistics_.moved.resize(nodes_.size() * nodes_.size());
  statistics_.highest_use.resize(nodes_.size());
}

void MemoryCore::acquire(RequestId id, NodeId where, std::span<const Use> uses, Commands& out, TaskId task) {
  assert(where.index() < nodes_.size() && "the node exists");
  if (node(where).lost) {
    out.push_back({.kind = Command::Kind::node_lost, .node = where, .request = id});
    return;
  }
  const Place place = requests_.add(id);
  Request& request = requests_[place];
  request.node = where;
  request.task = task;
  request.lets_go = false;
  request.stage = Request::Stage::waiting;
  request.arrival = arrivals_++;
  merge_uses(uses, where, request.uses, request.overlaps);
  request.needed = {};
  for (const Use& use : request.uses) {
    directory_.ensure(use.handle);
    request.needed += OffsetAllocator::rounded(use.bytes);
  }
  for (const Use& use : request.overlaps) directory_.ensure(use.handle);
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
  if (const Use* const piece = too_large(target, request.uses); piece != nullptr) {
    out.push_back({.kind = Command::Kind::cannot_fit,
                   .node = where,
                   .request = id,
                   .handle = piece->handle,
                   .needed = piece->bytes,
                   .capacity = target.largest_piece});
    requests_.remove(place);
    return;
  }
  const Outcome outcome = target.waiting.empty() ? try_to_admit(place, out) : Outcome::waits;
  if (outcome == Outcome::waits) {
    if (task.valid()) policy_->expected(where, task, request.uses);
    target.waiting.push_back(place);
    ++waiting_;
  }
  settle(out);
}

const Use* MemoryCore::too_large(const Node& node, std::span<const Use> uses) {
  if (node.largest_piece.count == 0) return nullptr;
  const auto found = std::ranges::find_if(uses, [&](const Use& use) { return use.bytes > node.largest_piece; });
  return found == uses.end() ? nullptr : &*found;
}

bool MemoryCore::acquire_at_once(RequestId id, NodeId where, std::span<const Use> uses, Commands& out, TaskId task) {
  Node& target = node(where);
  if (target.lost || !target.waiting.empty()) return false;
  merge_uses(uses, where, probe_.uses, probe_.overlaps);
  probe_.node = where;
  probe_.arrival = arrivals_;
  probe_.needed = {};
  for (const Use& use : probe_.uses) {
    directory_.ensure(use.handle);
    probe_.needed += OffsetAllocator::rounded(use.bytes);
  }
  if (too_large(target, probe_.uses) != nullptr || !is_ready(probe_) || excluded(probe_).valid()) return false;
  if (!knows_halos(probe_)) [[unlikely]]
    return false;
  for (const Use& use : probe_.uses) learn_size(use);
  if (target.limited && !allocate_all(probe_)) return false;
  Request& request = requests_[requests_.add(id)];
  request.node = where;
  request.task = task;
  request.lets_go = false;
  request.arrival = arrivals_++;
  request.needed = probe_.needed;
  request.uses.swap(probe_.uses);
  request.overlaps.swap(probe_.overlaps);
  note_admission(request);
  for (const Use& use : request.uses) pin(request, use);
  hold(request, out);
  settle(out);
  return true;
}

void MemoryCore::bring_home(RequestId first, std::span<const Use> uses, Commands& out) {
  std::uint64_t number = first.value();
  for (const Use& use : uses) {
    const RequestId id(number++);
    if (!directory_.knows(use.handle)) {  // the handle was forgotten, perhaps after the caller had made the list
      out.push_back({.kind = Command::Kind::acquired, .node = kHost, .request = id});
      continue;
    }
    HandleRecord& all = directory_.record(use.handle);
    const bool here = is_valid(directory_.at(use.handle, kHost).state);
    if (all.content_lost && !all.loss_told) {
      all.loss_told = true;
      out.push_back({.kind = Command::Kind::content_lost, .node = kHost, .request = id, .handle = use.handle});
    } else if (here || all.leaving || all.write_pins > 0 || all.content_lost) {
      out.push_back({.kind = Command::Kind::acquired, .node = kHost, .request = id});
    } else {
      const Place place = requests_.add(id);
      Request& request = requests_[place];
      request.node = kHost;
      request.task = {};
      request.lets_go = true;
      request.arrival = arrivals_++;
      request.needed = OffsetAllocator::rounded(use.bytes);
      request.uses.assign(1, use);
      request.overlaps.clear();
      learn_size(use);
      admit(place, out);
    }
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
    for (const Use& use : request.uses) {
      if (directory_.knows(use.handle) && directory_.record(use.handle).may_go()) finish_forgetting(use.handle, out);
    }
  }
  requests_.remove(place);
  settle(out);
}

void MemoryCore::forget(HandleId handle, Commands& out) {
  // Removes the reuse index, which may have been set even though no task ever used the data.
  policy_->set_reuse(handle, 0);
  if (!directory_.knows(handle)) return;
  HandleRecord& all = directory_.record(handle);
  all.leaving = true;
  if (all.may_go()) finish_forgetting(handle, out);
  settle(out);
}

void MemoryCore::discard(HandleId handle, Commands& out) {
  if (!directory_.knows(handle)) return;
  HandleRecord& all = directory_.record(handle);
  if (all.leaving || all.pins > 0 || all.transfers > 0) return;
  leave_to_host(handle, out);
  all.content_lost = all.loss_told = false;
  settle(out);
}

void MemoryCore::leave_to_host(HandleId handle, Commands& out) {
  // The host's replica is set first, so that no other replica becomes the only valid one for a moment.
  set_state(handle, kHost, ReplicaState::shared, out);
  for (std::uint32_t i = 1; i < nodes_.size(); ++i) drop(handle, NodeId(i), out);
}

void MemoryCore::finish_forgetting(HandleId handle, Commands& out) {
  leave_to_host(handle, out);
  Replica& host = directory_.at(handle, kHost);
  statistics_.prefetches_wasted += host.prefetched ? 1 : 0;
  host.prefetched = false;
  if (directory_.record(handle).locks > 0) --locked_;
  assert(directory_.record(handle).pins == 0 && "data that are released are not in use");
  if (!halos_.empty()) {
    outdate_over(handle, out);
    halos_.remove(handle);
  }
  directory_.remove(handle);
  changed_ = true;
}

void MemoryCore::set_reuse(HandleId handle, std::int64_t index) { policy_->set_reuse(handle, index); }

void MemoryCore::lock(HandleId handle) {
  directory_.ensure(handle);
  if (directory_.record(handle).locks++ == 0) ++locked_;
}

void MemoryCore::unlock(HandleId handle) {
  if (!directory_.knows(handle) || directory_.record(handle).locks == 0) return;
  if (--directory_.record(handle).locks == 0) --locked_;
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

bool MemoryCore::content_lost(HandleId handle) const {
  return directory_.knows(handle) && directory_.record(handle).content_lost;
}

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
    const bool nowhere = why.handle.valid() && directory_.record(why.handle).valid == 0;
    if (nowhere && find_transfer(request, why)) return why;
    why.reason = why.handle.valid() ? Reason::handle_in_use : Reason::memory;
    return why;
  }
  why.reason = Reason::transfer;
  find_transfer(request, why);
  return why;
}

bool MemoryCore::find_transfer(const Request& request, WaitingRequest& why) const {
  for (const Use& use : request.uses) {
    // A writer waits for all transfers of the handle. A reader waits for the transfer to its node. If the content is in
    // doubt, because a node was lost, a reader waits for any transfer of the handle.
    const bool any = writes(use.mode) || directory_.record(use.handle).valid == 0;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      const std::uint32_t incoming = directory_.at(use.handle, NodeId(i)).incoming;
      if (incoming == kNoTransfer || (!any && NodeId(i) != request.node)) continue;
      why.reason = WaitingRequest::Reason::transfer;
      why.handle = use.handle;
      why.transfer = transfers_.id(incoming);
      return true;
    }
    if (!writes(use.mode)) continue;
    for (const HandleId halo : halos_.over(use.handle)) {
      for (const HaloTable::Buffer& buffer : halos_.find(halo)->buffers) {
        if (buffer.copies.empty()) continue;
        why.reason = WaitingRequest::Reason::transfer;
        why.handle = halo;
        why.transfer = transfers_.id(buffer.copies.back());
        return true;
      }
    }
  }
  return false;
}

}  // namespace troupe::memory
