#include "graph/data/blocks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace troupe::graph {

namespace {

/// `count` indexes of one dimension: `first`, `first + step`, and so on.
struct IndexRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;

  [[nodiscard]] std::int64_t last() const { return first + (count - 1) * step; }
  [[nodiscard]] bool has(std::int64_t index) const {
    return count > 0 && index >= first && index <= last() && (index - first) % step == 0;
  }
};

constexpr std::size_t kDimensions = 3;
using IndexRanges = std::array<IndexRange, kDimensions>;

IndexRanges ranges_of(const Block& b) {
  return {IndexRange{b.row, b.rows, 1}, IndexRange{b.col, b.cols, b.col_step},
          IndexRange{b.plane, b.planes, b.plane_step}};
}

Block block_of_ranges(const IndexRanges& r) {
  return {r[0].first, r[1].first, r[0].count, r[1].count, r[2].first, r[2].count, r[1].step, r[2].step};
}

std::array<std::int64_t, kDimensions> extents_of(const Layout& layout) {
  return {layout.rows, layout.cols, layout.planes};
}

/// Products of indexes and steps fit into this type.
__extension__ using Wide = __int128;

/// Returns the inverse of `a` modulo `m`; the two must have no common divisor.
std::int64_t inverse(std::int64_t a, std::int64_t m) {
  Wide before = 0;
  Wide now = 1;
  std::int64_t rest = m;
  for (std::int64_t value = a % m; value > 1;) {
    before = std::exchange(now, before - rest / value * now);
    rest = std::exchange(value, rest % value);
  }
  return static_cast<std::int64_t>((now % m + m) % m);
}

/// Returns the common indexes of two ranges that have at least two indexes each. The distance between neighbouring
/// common indexes is the least common multiple of the steps. The first one follows from the Chinese remainder theorem:
/// a client of a service may choose the ranges, so a search would take as long as the client likes.
IndexRange common_of_stepped(const IndexRange& a, const IndexRange& b) {
  const std::int64_t begin = std::max(a.first, b.first);
  const std::int64_t end = std::min(a.last(), b.last());
  const std::int64_t divisor = std::gcd(a.step, b.step);
  if (end < begin || (b.first - a.first) % divisor != 0) return {begin, 0, 1};
  const std::int64_t cycle = b.step / divisor;
  const Wide distance = ((b.first - a.first) / divisor % cycle + cycle) % cycle;
  const Wide steps = distance * inverse(a.step / divisor % cycle, cycle) % cycle;
  const Wide step = Wide{a.step} * cycle;
  Wide first = a.first + steps * a.step;
  if (first < begin) first += (begin - first + step - 1) / step * step;
  if (first > end) return {begin, 0, 1};
  const auto count = static_cast<std::int64_t>((end - first) / step + 1);
  const Wide most = std::numeric_limits<std::int64_t>::max();
  return {static_cast<std::int64_t>(first), count, static_cast<std::int64_t>(std::min(step, most))};
}

IndexRange common(const IndexRange& a, const IndexRange& b) {
  if (a.step == 1 && b.step == 1) {
    const std::int64_t first = std::max(a.first, b.first);
    return {first, std::max<std::int64_t>(0, std::min(a.first + a.count, b.first + b.count) - first), 1};
  }
  if (a.count == 0 || b.count == 0) return {std::max(a.first, b.first), 0, 1};
  if (a.count == 1) return {a.first, b.has(a.first) ? 1 : 0, 1};
  if (b.count == 1) return {b.first, a.has(b.first) ? 1 : 0, 1};
  return common_of_stepped(a, b);
}

/// Calls `change(range of a, range of b)` for each dimension, and returns the block that has the results as its ranges.
template <class Change>
Block by_dimension(const Block& a, const Block& b, const Change& change) {
  const IndexRanges first = ranges_of(a);
  const IndexRanges second = ranges_of(b);
  IndexRanges result;
  for (std::size_t i = 0; i < kDimensions; ++i) result[i] = change(first[i], second[i]);
  return block_of_ranges(result);
}

using BlockList = std::vector<const Block*>;

/// A cut across one dimension. Blocks that begin before index `at` are on one side; blocks that end at or behind it are
/// on the other side. A block may be on both sides.
struct Cut {
  std::size_t dimension = 0;
  std::int64_t at = 0;
  /// The sum of the numbers of blocks on the two sides.
  std::size_t on_both_sides = 0;
};

bool begins_before(const Block& block, const Cut& cut) { return ranges_of(block)[cut.dimension].first < cut.at; }
bool ends_behind(const Block& block, const Cut& cut) { return ranges_of(block)[cut.dimension].last() >= cut.at; }

/// Returns the cut at the median of the blocks' beginnings in one dimension. Returns nothing if one side still has more
/// than three quarters of the blocks, or if more than a quarter of the blocks are on both sides: two searches could
/// then take longer than one.
std::optional<Cut> cut_across(const BlockList& blocks, std::size_t dimension) {
  std::vector<std::int64_t> begins;
  for (const Block* block : blocks) begins.push_back(ranges_of(*block)[dimension].first);
  const auto middle = begins.begin() + static_cast<std::ptrdiff_t>(begins.size() / 2);
  std::nth_element(begins.begin(), middle, begins.end());
  Cut cut{dimension, *middle};
  const std::int64_t least = *std::min_element(begins.begin(), middle + 1);
  if (cut.at == least) {
    std::erase(begins, least);
    if (begins.empty()) return std::nullopt;
    cut.at = *std::ranges::min_element(begins);
  }
  const auto count = [&](bool (*is_on)(const Block&, const Cut&)) {
    const auto found = std::ranges::count_if(blocks, [&](const Block* block) { return is_on(*block, cut); });
    return static_cast<std::size_t>(found);
  };
  const std::size_t before = count(begins_before);
  const std::size_t behind = count(ends_behind);
  cut.on_both_sides = before + behind;
  const std::size_t all = blocks.size();
  if (std::max(before, behind) > all - all / 4 || cut.on_both_sides > all + all / 4) return std::nullopt;
  return cut;
}

const Block* find_overlap_among(const BlockList& blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (elements_of(intersection(*blocks[i], *blocks[k])) > 0) return blocks[i];
    }
  }
  return nullptr;
}

/// Returns true if the blocks have no steps and lie in the same planes.
bool are_flat(const BlockList& blocks) {
  return std::ranges::all_of(blocks, [first = blocks.front()](const Block* block) {
    return !has_steps(*block) && block->plane == first->plane && block->planes == first->planes;
  });
}

/// Finds an overlap of blocks for which `are_flat` is true. Sweeps over the columns, and keeps the blocks that reach
/// into the current column, ordered by row. O(n log n).
const Block* find_flat_overlap(BlockList blocks) {
  std::ranges::sort(blocks, {}, [](const Block* block) { return block->col; });
  std::map<std::int64_t, const Block*> active;     // the keys are first rows; the blocks' rows do not overlap
  std::multimap<std::int64_t, std::int64_t> ends;  // maps last column + 1 to the block's first row
  for (const Block* block : blocks) {
    while (!ends.empty() && ends.begin()->first <= block->col) {
      active.erase(ends.begin()->second);
      ends.erase(ends.begin());
    }
    const auto below = active.lower_bound(block->row);
    if (below != active.end() && below->first < block->row + block->rows) return block;
    if (below != active.begin()) {
      const Block& above = *std::prev(below)->second;
      if (above.row + above.rows > block->row) return block;
    }
    active.emplace(block->row, block);
    ends.emplace(block->col + block->cols, block->row);
  }
  return nullptr;
}

/// Cuts the space in which the blocks lie into halves until the blocks of a half are flat (`are_flat`). If no cut makes
/// the lists of blocks much shorter (`cut_across`), compares all pairs of blocks.
const Block* find_overlap_in(const BlockList& blocks) {
  constexpr std::size_t kFew = 12;
  if (blocks.size() <= kFew) return find_overlap_among(blocks);
  if (are_flat(blocks)) return find_flat_overlap(blocks);
  std::optional<Cut> best;
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const std::optional<Cut> cut = cut_across(blocks, i);
    if (cut && (!best || cut->on_both_sides < best->on_both_sides)) best = cut;
  }
  if (!best) return find_overlap_among(blocks);
  const auto side = [&](bool (*is_on)(const Block&, const Cut&)) {
    BlockList chosen;
    for (const Block* block : blocks) {
      if (is_on(*block, *best)) chosen.push_back(block);
    }
    return chosen;
  };
  if (const Block* found = find_overlap_in(side(begins_before))) return found;
  return find_overlap_in(side(ends_behind));
}

bool is_deep(const Block& block, const Layout& whole) {
  return whole.planes != 1 || block.plane != 0 || block.planes != 1;
}

std::string joined(std::span<const std::int64_t> numbers, const char* by) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : by) + std::to_string(number);
  return text;
}

std::string first_of(const Block& block, const Layout& whole, const char* by) {
  const std::array numbers{block.row, block.col, block.plane};
  return joined(std::span(numbers).first(is_deep(block, whole) ? 3 : 2), by);
}

}  // namespace

bool lies_inside(const Block& block, const Layout& whole) {
  const IndexRanges ranges = ranges_of(block);
  const auto extents = extents_of(whole);
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const auto& [first, count, step] = ranges[i];
    if (first < 0 || count < 0 || step < 1 || first > extents[i]) return false;
    if (count > 0 && (first == extents[i] || count - 1 > (extents[i] - 1 - first) / step)) return false;
  }
  return true;
}

Block with_rim(const Block& block, const Rim& rim, const Layout& whole) {
  const auto extents = extents_of(whole);
  const std::array widths{rim.rows, rim.cols, rim.planes};
  IndexRanges ranges = ranges_of(block);
  for (std::size_t i = 0; i < kDimensions; ++i) {
    auto& [first, count, step] = ranges[i];
    const std::int64_t before = std::min(first, widths[i]);
    const std::int64_t behind = std::min(extents[i] - first - count, widths[i]);
    first -= before;
    count += before + behind;
  }
  return block_of_ranges(ranges);
}

Block intersection(const Block& a, const Block& b) { return by_dimension(a, b, common); }

Block in_part(const Block& block, const Block& part) {
  return by_dimension(block, part, [](const IndexRange& of_block, const IndexRange& of_part) -> IndexRange {
    return {(of_block.first - of_part.first) / of_part.step, of_block.count,
            std::max<std::int64_t>(of_block.step / of_part.step, 1)};
  });
}

Block in_whole(const Block& block, const Block& part) {
  return by_dimension(block, part, [](const IndexRange& of_block, const IndexRange& of_part) -> IndexRange {
    const std::int64_t step = of_block.count > 1 ? of_block.step * of_part.step : 1;
    return {of_part.first + of_block.first * of_part.step, of_block.count, step};
  });
}

DataView view_of_block(const DataView& whole, const Block& block) {
  DataView view = whole;
  Layout& layout = view.layout;
  layout.rows = block.rows;
  layout.cols = block.cols;
  layout.planes = block.planes;
  // The distance between columns has no meaning if there is only one column.
  if (block.cols > 1) layout.ld *= block.col_step;
  if (block.planes > 1) layout.plane_stride *= block.plane_step;
  if (view.data != nullptr) {
    const std::int64_t first = block.row + block.col * whole.layout.ld + block.plane * whole.layout.plane_stride;
    view.data += first * static_cast<std::int64_t>(layout.element_size);
  }
  return view;
}

const Block* find_overlap(const std::vector<Block>& blocks) {
  BlockList all;
  for (const Block& block : blocks) {
    if (elements_of(block) != 0) all.push_back(&block);
  }
  return find_overlap_in(all);
}

std::string place_text(const Block& block, const Layout& whole) { return "(" + first_of(block, whole, ", ") + ")"; }

std::string short_place_text(const Block& block, const Layout& whole) { return first_of(block, whole, ","); }

std::string size_text(const Block& block, const Layout& whole, const char* by) {
  const std::array numbers{block.rows, block.cols, block.planes};
  return joined(std::span(numbers).first(is_deep(block, whole) ? 3 : 2), by);
}

}  // namespace troupe::graph
