#include "kernels/sparse/super_block_batches.hpp"

#include <cstddef>

namespace troupe::kernels {
namespace {

using Kind = BlockBatch::Kind;

/// The full blocks of a super-block, as its mask describes them.
struct MaskedBlocks {
  [[nodiscard]] bool full(int i, int j) const { return is_full(mask, i, j, side); }
  [[nodiscard]] int place(int i, int j) const { return place_of(mask, i, j, side); }

  BlockMask mask;
  int side;
};

/// Adds the products of column k of A and row k of B that change full blocks of C from (`row`, `col`) on.
void add_products(BlockBatches& batches, int k, const MaskedBlocks& a, const MaskedBlocks& b, const MaskedBlocks& c,
                  int row, int col) {
  for (int j = col; j < c.side; ++j) {
    if (!b.full(k, j)) continue;
    for (int i = row; i < c.side; ++i) {
      if (!a.full(i, k) || !c.full(i, j)) continue;
      batches.add(Kind::multiply, k, a.place(i, k), b.place(k, j), c.place(i, j));
    }
  }
}

/// Adds solves with the diagonal block k of D for the full blocks in column k of A, from row `row` on.
void add_upper_solves(BlockBatches& batches, int k, const MaskedBlocks& d, const MaskedBlocks& a, int row) {
  for (int i = row; i < a.side; ++i) {
    if (a.full(i, k)) batches.add(Kind::solve_upper, k, 0, d.place(k, k), a.place(i, k));
  }
}

/// Adds solves with the diagonal block k of D for the full blocks in row k of B, from column `col` on.
void add_lower_solves(BlockBatches& batches, int k, const MaskedBlocks& d, const MaskedBlocks& b, int col) {
  for (int j = col; j < b.side; ++j) {
    if (b.full(k, j)) batches.add(Kind::solve_lower, k, d.place(k, k), 0, b.place(k, j));
  }
}

}  // namespace

void BlockBatches::add(Kind kind, int k, int left, int right, int result) {
  if (calls_.empty() || calls_.back().kind != kind || calls_.back().k != k) calls_.push_back({kind, k, count_, 0});
  const auto at = static_cast<std::size_t>(count_++);
  places_.left[at] = static_cast<std::uint8_t>(left);
  places_.right[at] = static_cast<std::uint8_t>(right);
  places_.result[at] = static_cast<std::uint8_t>(result);
  ++calls_.back().count;
}

BlockBatches factorization_batches(BlockMask mask, int side) {
  const MaskedBlocks d{mask, side};
  BlockBatches batches;
  for (int k = 0; k < side && d.full(k, k); ++k) {
    batches.add(Kind::factorize, k, 0, 0, d.place(k, k));
    add_upper_solves(batches, k, d, d, k + 1);
    add_lower_solves(batches, k, d, d, k + 1);
    add_products(batches, k, d, d, d, k + 1, k + 1);
  }
  return batches;
}

BlockBatches upper_solve_batches(BlockMask of_d, BlockMask of_a, int side) {
  const MaskedBlocks d{of_d, side};
  const MaskedBlocks a{of_a, side};
  BlockBatches batches;
  for (int k = 0; k < side; ++k) {
    add_upper_solves(batches, k, d, a, 0);
    add_products(batches, k, a, d, a, 0, k + 1);
  }
  return batches;
}

BlockBatches lower_solve_batches(BlockMask of_d, BlockMask of_b, int side) {
  const MaskedBlocks d{of_d, side};
  const MaskedBlocks b{of_b, side};
  BlockBatches batches;
  for (int k = 0; k < side; ++k) {
    add_lower_solves(batches, k, d, b, 0);
    add_products(batches, k, d, b, b, k + 1, 0);
  }
  return batches;
}

BlockBatches product_batches(BlockMask of_a, BlockMask of_b, BlockMask of_c, int side) {
  BlockBatches batches;
  for (int k = 0; k < side; ++k) {
    add_products(batches, k, {of_a, side}, {of_b, side}, {of_c, side}, 0, 0);
  }
  return batches;
}

}  // namespace troupe::kernels
