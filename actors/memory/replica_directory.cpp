#include "actors/memory/replica_directory.hpp"

#include <algorithm>

namespace troupe::memory {

static_assert(sizeof(Replica) <= 16 && sizeof(HandleRecord) <= 32);

void ReplicaDirectory::grow(std::size_t handles) {
  const std::size_t before = handles_.size();
  // Handles come one by one; vectors that grow to a given size grow to just that.
  if (handles > handles_.capacity()) {
    const std::size_t room = std::max(handles, 2 * before);
    handles_.reserve(room);
    replicas_.reserve(room * nodes_);
  }
  handles_.resize(handles);
  replicas_.resize(handles * nodes_);
  for (std::size_t i = before; i < handles; ++i) replicas_[i * nodes_].state = ReplicaState::shared;
}

bool ReplicaDirectory::set_state(HandleId handle, NodeId node, ReplicaState state) {
  Replica& replica = at(handle, node);
  if (replica.state == state) return false;
  HandleRecord& all = record(handle);
  all.valid = static_cast<std::uint16_t>(all.valid + static_cast<int>(is_valid(state)) -
                                         static_cast<int>(is_valid(replica.state)));
  replica.state = state;
  return true;
}

}  // namespace troupe::memory
