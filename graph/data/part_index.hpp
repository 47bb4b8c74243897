/// An index of the parts of some data, which finds those that may overlap a block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/data/data_record.hpp"

namespace troupe::graph {

/// The parts, ordered by their first index in one dimension: the dimension in which the longest part is shortest,
/// compared with the distance over which all parts are spread. A search looks only at parts that are near the block in
/// this dimension: at about the square root of n if n parts form a grid, and at all parts only if some part is as long
/// as the whole.
class PartIndex {
 public:
  /// O(n log n). The parts of `whole` must stay as they are while the index is used.
  explicit PartIndex(const DataRecord& whole);

  /// Appends, in rising order, the indices (into `DataRecord::children`) of the parts that may overlap the block.
  void find(const Block& block, std::vector<std::uint32_t>& places) const;

 private:
  struct Entry {
    std::int64_t first = 0;
    std::uint32_t place = 0;
  };

  const DataRecord& whole_;
  std::size_t dimension_ = 0;
  /// The length of the longest part in the dimension `dimension_`.
  std::int64_t longest_ = 0;
  /// The parts that have elements, ordered by their first index in the dimension.
  std::vector<Entry> entries_;
};

}  // namespace troupe::graph
