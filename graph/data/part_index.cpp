#include "graph/data/part_index.hpp"

#include <array>
#include <limits>

#include "graph/data/blocks.hpp"

namespace troupe::graph {

namespace {

constexpr std::size_t kIndexDimensions = 3;

/// The first and the last index of a block in one dimension.
struct Extent {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

Extent extent_of(const Block& block, std::size_t dimension) {
  switch (dimension) {
    case 0: return {block.row, block.row + block.rows - 1};
    case 1: return {block.col, block.col + (block.cols - 1) * block.col_step};
    default: return {block.plane, block.plane + (block.planes - 1) * block.plane_step};
  }
}

}  // namespace

PartIndex::PartIndex(const DataRecord& whole) : whole_(whole) {
  const auto is_empty = [](const DataRecord* part) { return elements_of(part->place) == 0; };
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < kIndexDimensions; ++d) {
    Extent all{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    std::int64_t longest = 0;
    for (const DataRecord* part : whole.children) {
      if (is_empty(part)) continue;
      const Extent extent = extent_of(part->place, d);
      all = {std::min(all.first, extent.first), std::max(all.last, extent.last)};
      longest = std::max(longest, extent.last - extent.first + 1);
    }
    if (longest == 0) return;
    const double portion = static_cast<double>(longest) / static_cast<double>(all.last - all.first + 1);
    if (portion >= best) continue;
    best = portion;
    dimension_ = d;
    longest_ = longest;
  }
  entries_.reserve(whole.children.size());
  for (std::size_t i = 0; i < whole.children.size(); ++i) {
    if (is_empty(whole.children[i])) continue;
    entries_.push_back({extent_of(whole.children[i]->place, dimension_).first, static_cast<std::uint32_t>(i)});
  }
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    return std::pair(a.first, a.place) < std::pair(b.first, b.place);
  });
}

void PartIndex::find(const Block& block, std::vector<std::uint32_t>& places) const {
  const std::size_t before = places.size();
  const Extent extent = extent_of(block, dimension_);
  const auto begin = std::ranges::lower_bound(entries_, extent.first - longest_ + 1, {}, &Entry::first);
  for (auto at = begin; at != entries_.end() && at->first <= extent.last; ++at) {
    if (may_meet(block, whole_.children[at->place]->place)) places.push_back(at->place);
  }
  std::sort(places.begin() + static_cast<std::ptrdiff_t>(before), places.end());
}

}  // namespace troupe::graph
