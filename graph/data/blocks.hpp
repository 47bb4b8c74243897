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

/// Returns true if there are elements between those of the block, because of its steps.
[[nodiscard]] inline bool has_steps(const Block& block) {
  return (block.col_step != 1 && block.cols > 1) || (block.plane_step != 1 && block.planes > 1);
}

/// Returns the block with step 1 in each direction in which it has only one column or plane.
[[nodiscard]] inline Block without_idle_steps(Block block) {
  if (block.cols <= 1) block.col_step = 1;
  if (block.planes <= 1) block.plane_step = 1;
  return block;
}

/// Returns false if the boxes around two blocks of the same whole have nothing in common.
[[nodiscard]] inline bool may_meet(const Block& a, const Block& b) {
  const auto apart = [](std::int64_t first, std::int64_t count, std::int64_t step, std::int64_t other) {
    return first + (count - 1) * step < other;
  };
  return !apart(a.row, a.rows, 1, b.row) && !apart(b.row, b.rows, 1, a.row) &&
         !apart(a.col, a.cols, a.col_step, b.col) && !apart(b.col, b.cols, b.col_step, a.col) &&
         !apart(a.plane, a.planes, a.plane_step, b.plane) && !apart(b.plane, b.planes, b.plane_step, a.plane);
}

/// Returns a block without steps together with its rim, as far as the whole goes.
[[nodiscard]] Block with_rim(const Block& block, const Rim& rim, const Layout& whole);

/// Returns the common elements of two blocks of the same whole; a block without elements if there are none. O(1) for
/// blocks without steps.
[[nodiscard]] Block intersection(const Block& a, const Block& b);

/// Translate the place of a block between a whole and a part of it, which lies at `part` in the whole. `in_part` takes
/// a block of the whole that has only elements of the part, and `in_whole` takes a block of the part.
[[nodiscard]] Block in_part(const Block& block, const Block& part);
[[nodiscard]] Block in_whole(const Block& block, const Block& part);

/// Returns the view of a block that lies inside of `whole`. If the whole has no memory, neither has the block.
[[nodiscard]] DataView view_of_block(const DataView& whole, const Block& block);

/// Returns a block of the list that overlaps another, or null. O(n log n) for blocks without steps that lie in the same
/// planes, as those of a matrix, and for the boxes of a grid; at most O(n^2) for others.
[[nodiscard]] const Block* find_overlap(const std::vector<Block>& blocks);

/// Return texts such as "(2, 3)" and "2,3": the place of the first element. The plane is added if `whole` has several
/// planes, or if the block does not lie in the first plane.
[[nodiscard]] std::string place_text(const Block& block, const Layout& whole);
[[nodiscard]] std::string short_place_text(const Block& block, const Layout& whole);
/// Returns a text such as "4 x 3" or "4 x 3 x 2".
[[nodiscard]] std::string size_text(const Block& block, const Layout& whole, const char* by = " x ");

}  // namespace troupe::graph
