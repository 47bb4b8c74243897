/// Halo parts and the data that they overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/data/data_record.hpp"
#include "troupe/ids.hpp"
#include "troupe/layout.hpp"
#include "troupe/units.hpp"

namespace troupe::graph {

/// The elements that a halo part has in common with one piece of data.
struct HaloOverlap {
  const DataRecord* data = nullptr;
  /// The place of these elements, in the data and in the halo part.
  Block in_data;
  Block in_halo;

  [[nodiscard]] Bytes bytes() const {
    const auto elements = static_cast<std::uint64_t>(in_data.rows * in_data.cols * in_data.planes);
    return {elements * data->view.layout.element_size};
  }
};

/// Returns what a halo part overlaps, in the order of `DataRecord::children`; nothing if it has no elements. Called
/// while a task uses the halo part, or under the submission lock.
[[nodiscard]] std::vector<HaloOverlap> overlaps_of(const DataRecord& halo);

/// Returns true if the halo part overlaps elements of divided data that no part of these data contains. Such elements
/// exist in host memory only.
[[nodiscard]] bool lies_between_parts(const DataRecord& halo);

}  // namespace troupe::graph
