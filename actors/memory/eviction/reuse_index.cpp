#include "actors/memory/eviction/reuse_index.hpp"

namespace troupe::memory {

void ReuseIndex::set_reuse(HandleId handle, std::int64_t index) {
  if (index == 0) {
    indexes_.remove(handle);
  } else {
    indexes_.make(handle) = index;
  }
  changed(handle);
}

std::uint64_t ReuseIndex::rank(NodeId /*node*/, HandleId handle) const {
  const std::int64_t* const known = indexes_.find(handle);
  const std::int64_t index = known != nullptr ? *known : 0;
  // Flipping the sign bit turns signed numbers into unsigned numbers in the same order.
  return static_cast<std::uint64_t>(index) ^ (std::uint64_t{1} << 63U);
}

}  // namespace troupe::memory
