/// Remembers where the elements of registrations lie, to see when two share memory.
#pragma once

#include <cstddef>
#include <map>

#include "graph/data/data_record.hpp"
#include "troupe/layout.hpp"

namespace troupe::graph {

/// Returns true if two blocks have a byte in common. The columns of one block may lie between those of the other: the
/// answer is exact for blocks of one matrix, and if one block has no gaps. If the two blocks have different distances
/// between columns, it looks only at the first column of the block that begins later.
[[nodiscard]] bool share_memory(const DataView& a, const DataView& b);

/// The memory of one registry's data, without their parts. All members are O(log n).
class RegisteredMemory {
 public:
  /// Returns a registration that has a byte in common with the block, or null. Data with gaps are compared with the
  /// nearest ones only, as any number may lie between their columns; data without gaps are found wherever they are.
  [[nodiscard]] const DataRecord* find_overlap(const DataView& view) const;
  void add(const DataRecord& record);
  /// Forgets a record; does nothing if it was not added.
  void remove(const DataRecord& record);

 private:
  /// Records, ordered by their first byte.
  using Places = std::map<const std::byte*, const DataRecord*>;

  [[nodiscard]] static const DataRecord* find_among(const Places& places, const DataView& view, std::size_t nearest);

  /// Records without gaps, no two of which overlap; and records with gaps.
  Places compact_;
  Places spread_;
};

}  // namespace troupe::graph
