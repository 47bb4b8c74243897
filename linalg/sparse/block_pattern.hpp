/// Which blocks of a sparse matrix are full, and what becomes of that in a factorization.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::linalg {

/// A square of blocks, a bit for each. Memory: blocks squared / 8 bytes.
class BlockPattern {
 public:
  /// All empty.
  explicit BlockPattern(int blocks);

  [[nodiscard]] int blocks() const { return blocks_; }
  [[nodiscard]] bool full(int i, int j) const { return (word(i, j) >> (static_cast<unsigned>(j) % 64U) & 1U) != 0; }
  void set(int i, int j) { word(i, j) |= std::uint64_t{1} << (static_cast<unsigned>(j) % 64U); }
  /// Full blocks.
  [[nodiscard]] std::int64_t count() const;
  /// The first k whose block on the diagonal is empty; -1 where none is.
  [[nodiscard]] int first_without_diagonal() const;

  /// Calls `use(j)` for the full blocks of row i from column `first` on, ascending.
  template <class F>
  void for_row(int i, int first, F use) const {
    for (std::size_t w = static_cast<std::size_t>(first) / 64; w < words_; ++w) {
      std::uint64_t rest = bits_[static_cast<std::size_t>(i) * words_ + w];
      if (w == static_cast<std::size_t>(first) / 64) rest &= ~std::uint64_t{0} << (static_cast<unsigned>(first) % 64U);
      for (; rest != 0; rest &= rest - 1) use(static_cast<int>(w * 64) + std::countr_zero(rest));
    }
  }

  /// How many of the columns before `end` are full both in row i of this and in row j of the other, as large.
  [[nodiscard]] std::int64_t common(int i, const BlockPattern& other, int j, int end) const;

  /// Makes those full that LU without pivoting fills in: row_i |= row_k from column k + 1 on, for each full (i, k)
  /// below the diagonal.
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
  /// Of a row.
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// The super-blocks of `side` x `side` blocks that have a full one.
[[nodiscard]] BlockPattern pattern_of_supers(const BlockPattern& pattern, int side);

/// What LU without pivoting does with the full blocks of a pattern: products that would fill an empty one are left out.
struct BlockWork {
  std::int64_t products = 0;
  std::int64_t solves = 0;
  std::int64_t diagonals = 0;

  [[nodiscard]] double flops(std::int64_t block) const;
};
[[nodiscard]] BlockWork work_of(const BlockPattern& pattern);

}  // namespace troupe::linalg
