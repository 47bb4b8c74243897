/// Stores where the elements of registered data lie, to find data that share memory.
#pragma once

#include <cstddef>
#include <map>

#include "graph/data/data_record.hpp"
#include "troupe/layout.hpp"

namespace troupe::graph {

/// Returns true if two blocks have a byte in common. The answer is exact for blocks of one matrix, and if one block has
/// no gaps; the columns of one block may then lie between the columns of the other. If the two blocks have different
/// distances between columns, the function looks only at the first column of the block that begins later. Volumes are
/// compared plane by plane.
[[nodiscard]] bool share_memory(const DataView& a, const DataView& b);

/// The memory of the data in one registry; parts of data are not included. All members are O(log n).
class RegisteredMemory {
 public:
  /// Returns a registration that has a byte in common with the block, or null. All overlaps of data without gaps are
  /// found. If one of two data has gaps, their overlap may be missed: data with gaps are compared only with the nearest
  /// data, because any number of other data may lie between their columns.
  [[nodiscard]] const DataRecord* find_overlap(const DataView& view) const;
  void add(const DataRecord& record);
  /// Forgets a record; does nothing if it was not added.
  void remove(const DataRecord& record);

 private:
  /// Records, ordered by their first byte.
  using Places = std::map<const std::byte*, const DataRecord*>;

  [[nodiscard]] static const DataRecord* find_among(const Places& places, const DataView& view, std::size_t nearest);

  /// `compact_` has the records without gaps, which do not overlap; `spread_` has the records with gaps.
  Places compact_;
  Places spread_;
};

}  // namespace troupe::graph
