/// Where the elements of registrations lie, to see when two share memory.
#pragma once

#include <cstddef>
#include <map>

#include "graph/codelets/layout.hpp"
#include "graph/data/data_record.hpp"

namespace troupe::graph {

/// Whether two blocks have a byte in common. Between the columns of one may lie those of the other: blocks of one
/// matrix are told apart, and so are blocks of which one has no gaps. Where the columns of both are differently far
/// apart it looks at the first of those that begin later only.
[[nodiscard]] bool share_memory(const DataView& a, const DataView& b);

/// Of the wholes of one registry. All members are O(log n).
class RegisteredMemory {
 public:
  /// A registration that has a byte in common with the block, or null. Data with gaps are compared with the nearest
  /// ones only, as any number may lie between their columns; those without are found wherever they are.
  [[nodiscard]] const DataRecord* find_overlap(const DataView& view) const;
  void add(const DataRecord& record);
  /// Nothing where the record was not added.
  void remove(const DataRecord& record);

 private:
  /// By their first byte.
  using Places = std::map<const std::byte*, const DataRecord*>;

  [[nodiscard]] static const DataRecord* find_among(const Places& places, const DataView& view, std::size_t nearest);

  /// Without gaps, so that no two overlap; and with gaps.
  Places compact_;
  Places spread_;
};

}  // namespace troupe::graph
