#include "actors/memory/eviction/reuse_index.hpp"

namespace troupe::memory {

void ReuseIndex::set_reuse(HandleId handle, std::int64_t index) {
  if (handle.index() >= indexes_.size()) {
    if (index == 0) return;
    indexes_.resize(handle.index() + 1);
  }
  indexes_[handle.index()] = index;
  changed(handle);
}

std::uint64_t ReuseIndex::rank(NodeId /*node*/, HandleId handle) const {
  const std::int64_t index = handle.index() < indexes_.size() ? indexes_[handle.index()] : 0;
  // In the order of signed numbers.
  return static_cast<std::uint64_t>(index) ^ (std::uint64_t{1} << 63U);
}

}  // namespace troupe::memory
