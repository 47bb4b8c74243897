#include "linalg/sparse/block_pattern.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace troupe::linalg {

BlockPattern::BlockPattern(int blocks)
    : blocks_(blocks),
      words_((static_cast<std::size_t>(blocks) + 63) / 64),
      bits_(words_ * static_cast<std::size_t>(blocks)) {}

std::int64_t BlockPattern::count() const {
  return std::transform_reduce(bits_.begin(), bits_.end(), std::int64_t{0}, std::plus<>(),
                               [](std::uint64_t bits) { return std::int64_t{std::popcount(bits)}; });
}

int BlockPattern::first_without_diagonal() const {
  for (int k = 0; k < blocks_; ++k) {
    if (!full(k, k)) return k;
  }
  return -1;
}

std::int64_t BlockPattern::common(int i, const BlockPattern& other, int j, int end) const {
  const std::uint64_t* const mine = &bits_[static_cast<std::size_t>(i) * words_];
  const std::uint64_t* const others = &other.bits_[static_cast<std::size_t>(j) * words_];
  const std::size_t whole = static_cast<std::size_t>(end) / 64;
  std::int64_t sum = 0;
  for (std::size_t w = 0; w < whole; ++w) sum += std::popcount(mine[w] & others[w]);
  const auto left = static_cast<unsigned>(end) % 64U;
  if (left > 0) sum += std::popcount(mine[whole] & others[whole] & ((std::uint64_t{1} << left) - 1));
  return sum;
}

void BlockPattern::fill_in() {
  for (int k = 0; k + 1 < blocks_; ++k) {
    const std::uint64_t* const source = &bits_[static_cast<std::size_t>(k) * words_];
    const auto next = static_cast<unsigned>(k) + 1;
    const std::size_t first = next / 64;
    for (int i = k + 1; i < blocks_; ++i) {
      if (!full(i, k)) continue;
      std::uint64_t* const row = &bits_[static_cast<std::size_t>(i) * words_];
      row[first] |= source[first] & (~std::uint64_t{0} << (next % 64U));
      for (std::size_t w = first + 1; w < words_; ++w) row[w] |= source[w];
    }
  }
}

BlockPattern pattern_of_supers(const BlockPattern& pattern, int side) {
  if (side == 1) return pattern;
  BlockPattern supers((pattern.blocks() + side - 1) / side);
  for (int i = 0; i < pattern.blocks(); ++i) {
    pattern.for_row(i, 0, [&](int j) { supers.set(i / side, j / side); });
  }
  return supers;
}

double BlockWork::flops(std::int64_t block) const {
  const auto b = static_cast<double>(block);
  return (2 * static_cast<double>(products) + static_cast<double>(solves) + 2.0 / 3 * static_cast<double>(diagonals)) *
         b * b * b;
}

BlockWork work_of(const BlockPattern& pattern) {
  BlockWork work;
  BlockPattern transposed(pattern.blocks());
  for (int i = 0; i < pattern.blocks(); ++i) {
    pattern.for_row(i, 0, [&](int j) { transposed.set(j, i); });
  }
  // Block (i, j) gets a product for each k before both i and j for which (i, k) and (k, j) are full.
  for (int i = 0; i < pattern.blocks(); ++i) {
    pattern.for_row(i, 0, [&](int j) {
      if (i == j) {
        ++work.diagonals;
      } else {
        ++work.solves;
      }
      work.products += pattern.common(i, transposed, j, std::min(i, j));
    });
  }
  return work;
}

}  // namespace troupe::linalg
