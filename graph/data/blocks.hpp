/// Arithmetic with blocks: where they lie, what they have in common, and whether they overlap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/data.hpp"
#include "troupe/layout.hpp"

namespace troupe::graph {

[[nodiscard]] inline std::int64_t elements_of(const Block& block) { return block.rows * block.cols * block.planes; }

/// Returns the block that has all elements of this layout.
[[nodiscard]] inline Block whole_block(const Layout& layout) {
  return {0, 0, layout.rows, layout.cols, 0, layout.planes};
}

/// Returns true if the block has only elements that the whole has, and steps of at least 1.
[[nodiscard]] bool lies_inside(const Block& block, const Layout& whole);

/// Returns true if, because of its steps, the block leaves out elements that lie between its own.
[[nodiscard]] inline bool has_steps(const Block& block) {
  return (block.col_step != 1 && block.cols > 1) || (block.plane_step != 1 && block.planes > 1);
}

/// Returns the block with `col_step` 1 if it has only one column, and `plane_step` 1 if it has only one plane.
[[nodiscard]] inline Block without_idle_steps(Block block) {
  if (block.cols <= 1) block.col_step = 1;
  if (block.planes <= 1) block.plane_step = 1;
  return block;
}

/// Returns true if the bounding boxes of two blocks of the same whole have elements in common.
[[nodiscard]] inline bool may_meet(const Block& a, const Block& b) {
  const auto apart = [](std::int64_t first, std::int64_t count, std::int64_t step, std::int64_t other) {
    return first + (count - 1) * step < other;
  };
  return !apart(a.row, a.rows, 1, b.row) && !apart(b.row, b.rows, 1, a.row) &&
         !apart(a.col, a.cols, a.col_step, b.col) && !apart(b.col, b.cols, b.col_step, a.col) &&
         !apart(a.plane, a.planes, a.plane_step, b.plane) && !apart(b.plane, b.planes, b.plane_step, a.plane);
}

/// Returns the block together with its rim, without the elements of the rim that lie outside the whole. The block must
/// have no steps.
[[nodiscard]] Block with_rim(const Block& block, const Rim& rim, const Layout& whole);

/// Returns the common elements of two blocks of the same whole; a block without elements if there are none. O(1) for
/// blocks without steps.
[[nodiscard]] Block intersection(const Block& a, const Block& b);

/// These functions translate the place of a block between a whole and one of its parts, which lies at `part` in the
/// whole. `in_part` takes a block of the whole that has only elements of the part; `in_whole` takes a block of the
/// part.
[[nodiscard]] Block in_part(const Block& block, const Block& part);
[[nodiscard]] Block in_whole(const Block& block, const Block& part);

/// Returns the view of a block that lies inside of `whole`. If the whole has no memory, the view has none.
[[nodiscard]] DataView view_of_block(const DataView& whole, const Block& block);

/// Returns a block of the list that overlaps another block of the list, or null. O(n log n) for the boxes of a grid,
/// and for blocks without steps that lie in the same planes (all blocks of a matrix do); at most O(n^2) for other
/// blocks.
[[nodiscard]] const Block* find_overlap(const std::vector<Block>& blocks);

/// These functions return the place of the block's first element as a text: "(2, 3)" by `place_text`, "2,3" by
/// `short_place_text`. The plane is added if `whole` has several planes, or if the block does not lie in the first
/// plane.
[[nodiscard]] std::string place_text(const Block& block, const Layout& whole);
[[nodiscard]] std::string short_place_text(const Block& block, const Layout& whole);
/// Returns a text such as "4 x 3" or "4 x 3 x 2".
[[nodiscard]] std::string size_text(const Block& block, const Layout& whole, const char* by = " x ");

}  // namespace troupe::graph
