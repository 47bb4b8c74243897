#include "actors/memory/replica_directory.hpp"

namespace troupe::memory {

static_assert(sizeof(Replica) <= 16 && sizeof(HandleRecord) <= 32);

void ReplicaDirectory::add(HandleId handle) {
  replicas_.make(handle).state = ReplicaState::shared;  // the host's replica
  handles_.make(handle);
}

bool ReplicaDirectory::set_state(HandleId handle, NodeId node, ReplicaState state) {
  Replica& replica = at(handle, node);
  if (replica.state == state) return false;
  HandleRecord& all = record(handle);
  all.valid = static_cast<std::uint16_t>(all.valid + static_cast<int>(is_valid(state)) -
                                         static_cast<int>(is_valid(replica.state)));
  replica.state = state;
  if (node == kHost) note_away(handle, !is_valid(state));
  return true;
}

void ReplicaDirectory::note_away(HandleId handle, bool away) {
  HandleRecord& all = record(handle);
  if (away == (all.away != kAtHome)) return;
  if (away) {
    all.away = static_cast<std::uint32_t>(away_.size());
    away_.push_back(handle);
    return;
  }
  record(away_.back()).away = all.away;
  away_[all.away] = away_.back();
  away_.pop_back();
  all.away = kAtHome;
}

}  // namespace troupe::memory
