/// The ways to place queens on a board where none attacks another: many tasks, of which some end at once.
#pragma once

#include <cstdint>

#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

/// A board with queens in its first rows. In each of the three sets, bit `i` says that a queen there attacks column `i`
/// of the next row: along the column and along the two diagonals.
struct QueensBoard {
  std::uint32_t columns = 0;
  std::uint32_t left = 0;
  std::uint32_t right = 0;

  [[nodiscard]] std::uint32_t attacked() const { return columns | left | right; }
  /// Returns the board with one more queen, in the column of this bit.
  [[nodiscard]] QueensBoard with(std::uint32_t bit) const {
    return {columns | bit, (left | bit) << 1U, (right | bit) >> 1U};
  }
};

/// Counts the ways to fill the board, whose columns are the bits of `all`.
[[nodiscard]] std::int64_t count_without_tasks(const QueensBoard& board, std::uint32_t all);

/// Counts the ways on a board of `n` columns. Every place of the first `cutoff` queens has a task.
class Queens {
 public:
  static constexpr int kMostColumns = 16;

  explicit Queens(const RecursionCase& options);

  void prepare() { result_ = 0; }
  template <class Tasks>
  void run(Tasks& tasks) {
    result_ = count(tasks, {}, 0);
  }
  void check() const;
  [[nodiscard]] std::uint64_t checksum() const { return static_cast<std::uint64_t>(result_); }

 private:
  template <class Tasks>
  std::int64_t count(Tasks& tasks, const QueensBoard& board, std::int64_t depth) const {
    if (depth == depth_) return count_without_tasks(board, all_);
    typename Tasks::template Sum<kMostColumns> sum(tasks);
    for (std::uint32_t bit = 1; bit <= all_; bit <<= 1U) {
      if ((board.attacked() & bit) != 0) continue;
      sum.add([this, &tasks, next = board.with(bit), depth] { return count(tasks, next, depth + 1); });
    }
    return sum.wait();
  }

  std::int64_t n_ = 0;
  std::int64_t depth_ = 0;
  std::uint32_t all_ = 0;
  std::int64_t result_ = 0;
};

}  // namespace troupe::bench
