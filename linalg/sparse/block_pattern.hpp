/// The pattern of full blocks of a sparse matrix, and its fill-in in a factorization.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::linalg {

/// A square of blocks, with one bit for each block. With n x n blocks the pattern needs n^2 / 8 bytes.
class BlockPattern {
 public:
  /// Makes a pattern with all blocks empty.
  explicit BlockPattern(int blocks);

  [[nodiscard]] int blocks() const { return blocks_; }
  [[nodiscard]] bool full(int i, int j) const { return (word(i, j) >> (static_cast<unsigned>(j) % 64U) & 1U) != 0; }
  void set(int i, int j) { word(i, j) |= std::uint64_t{1} << (static_cast<unsigned>(j) % 64U); }
  /// Returns the number of full blocks.
  [[nodiscard]] std::int64_t count() const;
  /// Returns the first k whose block on the diagonal is empty; -1 if there is none.
  [[nodiscard]] int first_without_diagonal() const;

  /// Calls `use(j)` for the full blocks of row i from column `first` on, in rising order.
  template <class F>
  void for_row(int i, int first, F use) const {
    for (std::size_t w = static_cast<std::size_t>(first) / 64; w < words_; ++w) {
      std::uint64_t rest = bits_[static_cast<std::size_t>(i) * words_ + w];
      if (w == static_cast<std::size_t>(first) / 64) rest &= ~std::uint64_t{0} << (static_cast<unsigned>(first) % 64U);
      for (; rest != 0; rest &= rest - 1) use(static_cast<int>(w * 64) + std::countr_zero(rest));
    }
  }

  /// Returns the number of columns before `end` that are full both in row i of this pattern and in row j of `other`,
  /// which has the same size.
  [[nodiscard]] std::int64_t common(int i, const BlockPattern& other, int j, int end) const;

  /// Adds the blocks that become full in LU without pivoting: row_i |= row_k from column k + 1 on, for each full block
  /// (i, k) below the diagonal.
  void fill_in();

  friend bool operator==(const BlockPattern&, const BlockPattern&) = default;

 private:
  [[nodiscard]] std::uint64_t& word(int i, int j) {
    return bits_[static_cast<std::size_t>(i) * words_ + static_cast<std::size_t>(j) / 64];
  }
  [[nodiscard]] const std::uint64_t& word(int i, int j) const {
    return bits_[static_cast<std::size_t>(i) * words_ + static_cast<std::size_t>(j) / 64];
  }

  int blocks_;
  /// The number of words per row.
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Returns the pattern of super-blocks of `side` x `side` blocks: a super-block is full if any of its blocks is full.
[[nodiscard]] BlockPattern pattern_of_supers(const BlockPattern& pattern, int side);

/// The operations of LU without pivoting on the full blocks of a pattern. Products whose result is an empty block do
/// not count.
struct BlockWork {
  std::int64_t products = 0;
  std::int64_t solves = 0;
  std::int64_t diagonals = 0;

  [[nodiscard]] double flops(std::int64_t block) const;
};
[[nodiscard]] BlockWork work_of(const BlockPattern& pattern);

}  // namespace troupe::linalg
