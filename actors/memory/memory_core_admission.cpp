/// The functions of the memory core that admit and answer requests.
#include <algorithm>
#include <cassert>

#include "actors/memory/memory_core.hpp"

namespace troupe::memory {

void MemoryCore::settle(Commands& out) {
  while (changed_ && waiting_ > 0) {
    changed_ = false;
    admit_waiting(out);
  }
  changed_ = false;
}

void MemoryCore::admit_waiting(Commands& out) {
  std::vector<Node*> by_age;
  for (Node& each : nodes_) {
    if (!each.waiting.empty()) by_age.push_back(&each);
  }
  std::ranges::sort(by_age, {}, [&](const Node* each) { return requests_[each->waiting.front()].arrival; });
  for (Node* each : by_age) admit_first(*each, out);
}

void MemoryCore::admit_first(Node& where, Commands& out) {
  // The directory may have forgotten the handles while the request waited, so they are added again.
  for (const Use& use : requests_[where.waiting.front()].uses) directory_.ensure(use.handle);
  for (const Use& use : requests_[where.waiting.front()].overlaps) directory_.ensure(use.handle);
  if (try_to_admit(where.waiting.front(), out) == Outcome::waits) return;
  where.waiting.pop_front();
  --waiting_;
  changed_ = true;  // the node has another first request, and other nodes no longer wait for this request
}

MemoryCore::Outcome MemoryCore::try_to_admit(Place place, Commands& out) {
  learn_halos(requests_[place].uses, requests_[place].overlaps, out);
  if (excluded(requests_[place]).valid()) return Outcome::waits;
  if (const HandleId lost = lost_content(requests_[place]); lost.valid()) {
    fail(place, lost, out);
    return Outcome::failed;
  }
  // Sizes are learned only now: a handle that was forgotten a moment ago may come back with another size.
  for (const Use& use : requests_[place].uses) learn_size(use);
  const Outcome room = make_room(requests_[place], out);
  if (room == Outcome::admitted) admit(place, out);
  if (room == Outcome::failed) {
    const HandleId content = lost_content(requests_[place]);
    fail(place, content.valid() ? content : cannot_be_written_back(requests_[place].node), out);
  }
  return room;
}

HandleId MemoryCore::lost_content(const Request& request) const {
  for (const Use& use : request.uses) {
    if (reads(use.mode) && directory_.record(use.handle).content_lost) return use.handle;
  }
  for (const Use& use : request.overlaps) {
    const bool copies = directory_.at(use.halo, request.node).state == ReplicaState::invalid;
    if (copies && directory_.record(use.handle).content_lost) return use.handle;
  }
  return {};
}

HandleId MemoryCore::excluded(const Request& request) const {
  for (const Use& use : request.uses) {
    if (!directory_.allows(use.handle, request.node, use.mode)) return use.handle;
  }
  if (const HandleId overlapped = unavailable_overlap(request); overlapped.valid()) return overlapped;
  if (waiting_ == 0) return {};
  for (const Node& other : nodes_) {
    if (other.waiting.empty()) continue;
    const Request& first = requests_[other.waiting.front()];
    if (first.arrival >= request.arrival || first.node == request.node) continue;
    for (const Use& use : request.uses) {
      const Use* theirs = first.use_of(use.handle);
      if (theirs && (writes(use.mode) || writes(theirs->mode))) return use.handle;
    }
  }
  return {};
}

void MemoryCore::admit(Place place, Commands& out) {
  Request& request = requests_[place];
  request.stage = Request::Stage::admitted;
  note_admission(request);
  for (const Use& use : request.uses) pin(request, use);
  for (const Use& use : request.uses) {
    const ReplicaState state = directory_.at(use.handle, request.node).state;
    if (reads(use.mode) && state == ReplicaState::invalid) {
      if (use.is_buffer()) {
        fill(use.handle, request.node, true, out);
      } else if (directory_.record(use.handle).valid > 0) {
        start(use.handle, cheapest_source(use.handle, use.bytes, request.node, {}), request.node, true, {}, out);
      } else {
        directory_.record(use.handle).in_doubt = true;  // the content comes if a copy from a lost node ends well
      }
    }
    if (writes(use.mode)) {
      make_all_urgent(use.handle, out);
    } else {
      make_urgent(use.handle, request.node, out);
    }
  }
  if (is_ready(request)) {
    acquired(request, out);
  } else {
    node(request.node).admitted.push_back(place);
  }
}

void MemoryCore::note_admission(const Request& request) {
  if (request.task.valid()) policy_->begun(request.task);
  if (access_observer_) access_observer_->admitted(request.node, request.uses);
  if (reuse_profile_) {
    for (const Use& use : request.uses) reuse_profile_->used(use.handle);
  }
  if (request.node == kHost) return;
  note_highest_use(request.node);
  for (const Use& use : request.uses) {
    if (!reads(use.mode)) continue;
    ++(is_valid(directory_.at(use.handle, request.node).state) ? statistics_.hits : statistics_.misses);
  }
}

void MemoryCore::note_highest_use(NodeId id) {
  Bytes& highest = statistics_.highest_use[id.index()];
  highest = std::max(highest, used(id));
}

void MemoryCore::pin(const Request& request, const Use& use) {
  Replica& replica = directory_.at(use.handle, request.node);
  HandleRecord& all = directory_.record(use.handle);
  Node& where = node(request.node);
  if (replica.evicting) keep(use.handle, request.node);
  if (where.limited) {
    if (replica.pins == 0) where.pinned += space_of(use.handle);
    policy_->touched(request.node, use.handle);
  }
  ++replica.pins;
  ++all.pins;
  if (writes(use.mode)) {
    ++all.write_pins;
    all.writer = request.node;
  }
  if (replica.prefetched) {
    replica.prefetched = false;
    ++statistics_.prefetches_used;
  }
}

void MemoryCore::unpin(const Request& request, const Use& use, Commands& out) {
  Replica& replica = directory_.at(use.handle, request.node);
  HandleRecord& all = directory_.record(use.handle);
  Node& where = node(request.node);
  --replica.pins;
  --all.pins;
  if (writes(use.mode)) --all.write_pins;
  changed_ = true;
  if (!where.limited) return;
  policy_->touched(request.node, use.handle);
  if (replica.pins > 0) return;
  where.pinned.count -= space_of(use.handle).count;
  if (replica.state == ReplicaState::invalid) drop(use.handle, request.node, out);  // its memory has no content
}

void MemoryCore::unpin_all(const Request& request, Commands& out) {
  for (const Use& use : request.uses) unpin(request, use, out);
}

bool MemoryCore::is_ready(const Request& request) const {
  for (const Use& use : request.uses) {
    if (reads(use.mode) && !is_valid(directory_.at(use.handle, request.node).state)) return false;
    if (writes(use.mode) && directory_.record(use.handle).transfers > 0) return false;
  }
  return true;
}

void MemoryCore::hold(Request& request, Commands& out) {
  request.stage = Request::Stage::acquired;
  for (const Use& use : request.uses) {
    if (!writes(use.mode)) continue;
    directory_.record(use.handle).content_lost = false;
    directory_.record(use.handle).loss_told = false;
    set_state(use.handle, request.node, ReplicaState::modified, out);
    overwrite_others(use.handle, request.node, out);
    if (!halos_.empty()) outdate_over(use.handle, out);
    if (access_observer_) access_observer_->written(request.node, use.handle, use.bytes);
  }
}

void MemoryCore::acquired(Request& request, Commands& out) {
  hold(request, out);
  out.push_back({.kind = Command::Kind::acquired, .node = request.node, .request = request.id});
}

void MemoryCore::overwrite_others(HandleId handle, NodeId writer, Commands& out) {
  if (directory_.record(handle).valid == 1) return;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (NodeId(i) != writer) drop(handle, NodeId(i), out);
  }
}

void MemoryCore::transfers_changed(NodeId where, HandleId handle, Commands& out) {
  std::vector<Place>& admitted = node(where).admitted;
  std::size_t kept = 0;
  for (const Place place : admitted) {
    Request& request = requests_[place];
    if (request.use_of(handle) && is_ready(request)) {
      acquired(request, out);
      if (!request.lets_go) continue;
      unpin_all(request, out);
      requests_.remove(place);
    } else {
      admitted[kept++] = place;
    }
  }
  admitted.resize(kept);
}

void MemoryCore::fail(Place place, HandleId handle, Commands& out) {
  const Request& request = requests_[place];
  if (request.stage == Request::Stage::admitted) {
    std::erase(node(request.node).admitted, place);
    unpin_all(request, out);
  }
  const bool lost = directory_.record(handle).content_lost;
  out.push_back({.kind = lost ? Command::Kind::content_lost : Command::Kind::failed,
                 .node = request.node,
                 .request = request.id,
                 .handle = handle});
  requests_.remove(place);
  changed_ = true;
}

}  // namespace troupe::memory
