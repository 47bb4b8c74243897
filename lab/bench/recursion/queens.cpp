#include "lab/bench/recursion/queens.hpp"

#include <algorithm>
#include <array>

namespace troupe::bench {
namespace {

/// The numbers of ways on boards of 0 to 16 columns (sequence A000170 of the OEIS).
constexpr std::array<std::int64_t, Queens::kMostColumns + 1> kWays{
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};

}  // namespace

std::int64_t count_without_tasks(const QueensBoard& board, std::uint32_t all) {
  if (board.columns == all) return 1;
  std::int64_t ways = 0;
  for (std::uint32_t free = all & ~board.attacked(); free != 0; free &= free - 1) {
    ways += count_without_tasks(board.with(free & -free), all);
  }
  return ways;
}

Queens::Queens(const RecursionCase& options)
    : n_(options.n),
      depth_(std::min(options.cutoff, options.n)),
      all_((1U << std::min<std::int64_t>(options.n, kMostColumns)) - 1) {
  if (n_ > kMostColumns) throw BadParameter("n: a board has at most 16 columns");
}

void Queens::check() const { require_right(result_ == kWays[static_cast<std::size_t>(n_)], Recursion::queens); }

}  // namespace troupe::bench
