/// Eviction by reuse index: J.-Y. Vet, P. Carribault and A. Cohen, Multigrain Affinity for Heterogeneous Work Stealing,
/// 2012, section 4 (guided software cache).
#pragma once

#include <cstdint>

#include "actors/memory/eviction/ranked_eviction.hpp"
#include "proto/handle_table.hpp"

namespace troupe::memory {

/// Each handle has an index, which says how much the data will be used during the whole run. The program sets the
/// index, or an earlier run has learned it; an unknown index is 0. The handle with the lowest index is evicted first;
/// among equals, the handle whose last use is longest ago.
class ReuseIndex final : public RankedEviction {
 public:
  void set_reuse(HandleId handle, std::int64_t index) override;

 protected:
  [[nodiscard]] std::uint64_t rank(NodeId node, HandleId handle) const override;

 private:
  /// The indexes that were set, by handle. Zero is not stored.
  HandleTable<std::int64_t> indexes_;
};

}  // namespace troupe::memory
