/// An index of the parts of some data, which finds those that may overlap a block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/data/data_record.hpp"

namespace troupe::graph {

/// The parts in the order of their first index in one dimension, the one in which they are short beside the distance
/// that they are spread over. A search looks at the parts whose index is near the block's: of n parts in a grid, at the
/// square root of n or so, and at all of them only if some part is as long as the whole.
class PartIndex {
 public:
  /// O(n log n). The parts of `whole` must stay as they are while the index is used.
  explicit PartIndex(const DataRecord& whole);

  /// Appends the places, in the list of the whole's parts, of the parts that may overlap the block; in rising order.
  void find(const Block& block, std::vector<std::uint32_t>& places) const;

 private:
  struct Entry {
    std::int64_t first = 0;
    std::uint32_t place = 0;
  };

  const DataRecord& whole_;
  std::size_t dimension_ = 0;
  /// The length of the longest part in this dimension.
  std::int64_t longest_ = 0;
  /// The parts that have elements, by their first index.
  std::vector<Entry> entries_;
};

}  // namespace troupe::graph
