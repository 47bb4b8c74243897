#include "graph/data/halo_overlaps.hpp"

#include <algorithm>

#include "graph/data/blocks.hpp"

namespace troupe::graph {

std::vector<HaloOverlap> overlaps_of(const DataRecord& halo) {
  std::vector<HaloOverlap> overlaps;
  if (elements_of(halo.place) == 0) return overlaps;
  overlaps.reserve(halo.children.size());
  for (const DataRecord* data : halo.children) {
    Block place = whole_block(data->view.layout);
    for (const DataRecord* one = data; one != halo.parent; one = one->parent) place = in_whole(place, one->place);
    const Block common = intersection(place, halo.place);
    overlaps.push_back({data, in_part(common, place), in_part(common, halo.place)});
  }
  return overlaps;
}

bool lies_between_parts(const DataRecord& halo) {
  if (elements_of(halo.place) == 0) return false;
  return std::ranges::any_of(halo.children, [](const DataRecord* data) { return !data->children.empty(); });
}

}  // namespace troupe::graph
