#include "linalg/sparse/sparse_analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "troupe/errors.hpp"

namespace troupe::linalg {
namespace {

/// The block sizes that an automatic choice considers.
constexpr std::int64_t kBlockSizes[] = {16, 24, 32, 48, 64, 96, 128, 192};
/// The block size at which orderings are compared.
constexpr std::int64_t kComparedBlock = 64;
/// The largest number of blocks on a side in an automatic choice: a larger pattern might take more memory than the
/// blocks.
constexpr std::int64_t kMostBlocks = 8192;

/// The largest number of blocks on a side that options may give. A larger number is not useful: with this number, the
/// pattern alone takes 32 MiB, and finding the fill-in takes minutes.
constexpr std::int64_t kMostGivenBlocks = 1 << 14;

/// The number of rows of a super-block. It gives each task enough work, and a few cores enough tasks.
constexpr std::int64_t kSuperRows = 256;

/// From this block size on, products run at full speed.
constexpr double kFullSpeedBlock = 32;

/// Returns the predicted time on one core with blocks of this size, up to a factor that is the same for all sizes. The
/// formula is fitted to measurements (docs/notes/measurements.md).
double predicted_seconds(const BlockWork& work, std::int64_t block) {
  const auto b = static_cast<double>(block);
  const double cube = b * b * b;
  const double product = 2 * cube / std::min(1.0, std::pow(b / kFullSpeedBlock, 0.6));
  const double solve = cube / (0.5 * b / (b + 24));
  const double diagonal = 2.0 / 3 * cube / (0.2 * b / (b + 48));
  return static_cast<double>(work.products) * product + static_cast<double>(work.solves) * solve +
         static_cast<double>(work.diagonals) * diagonal;
}

struct BlockChoice {
  std::int64_t block = 0;
  std::int64_t before = 0;
  BlockPattern pattern{0};
  BlockWork work;
  double seconds = std::numeric_limits<double>::infinity();
};

BlockChoice fill_in(const CompressedMatrix& a, const SparseAnalysis& places, std::int64_t block) {
  BlockChoice choice;
  choice.block = block;
  choice.pattern = BlockPattern(static_cast<int>((a.order + block - 1) / block));
  for (std::int64_t row = 0; row < a.order; ++row) {
    const auto i = static_cast<int>(places.place_of_row[static_cast<std::size_t>(row)] / block);
    const auto cols = a.cols_of(row);
    for (std::size_t k = 0; k < cols.size(); ++k) {
      if (a.values_of(row)[k] == 0) continue;
      choice.pattern.set(i, static_cast<int>(places.place_of_col[static_cast<std::size_t>(cols[k])] / block));
    }
  }
  choice.before = choice.pattern.count();
  choice.pattern.fill_in();
  choice.work = work_of(choice.pattern);
  choice.seconds = predicted_seconds(choice.work, block);
  return choice;
}

/// Sets the places of rows and columns so that the columns are in the given order.
void place_by(const std::vector<std::int32_t>& order, const std::vector<std::int32_t>& row_of, SparseAnalysis& result) {
  result.place_of_row.resize(order.size());
  result.place_of_col.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto col = static_cast<std::size_t>(order[k]);
    result.place_of_col[col] = static_cast<std::int32_t>(k);
    result.place_of_row[static_cast<std::size_t>(row_of[col])] = static_cast<std::int32_t>(k);
  }
}

std::int64_t least_block(std::int64_t order) {
  return std::max<std::int64_t>(1, (order + kMostBlocks - 1) / kMostBlocks);
}

void choose_order(const CompressedMatrix& a, const SparseOptions& options, const std::vector<std::int32_t>& row_of,
                  SparseAnalysis& result) {
  const Adjacency graph = adjacency(a, row_of);
  if (options.ordering != Ordering::automatic) {
    result.ordering = options.ordering;
    return place_by(order_by(options.ordering, graph), row_of, result);
  }
  const std::int64_t block =
      options.block > 0 ? options.block : std::max(std::min(kComparedBlock, a.order), least_block(a.order));
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::int32_t> best;
  for (const Ordering ordering : {Ordering::natural, Ordering::rcm, Ordering::amd}) {
    if (!is_available(ordering)) continue;
    std::vector<std::int32_t> order = order_by(ordering, graph);
    place_by(order, row_of, result);
    const double seconds = fill_in(a, result, block).seconds;
    if (seconds >= least) continue;
    least = seconds;
    best = std::move(order);
    result.ordering = ordering;
  }
  place_by(best, row_of, result);
}

BlockChoice choose_block(const CompressedMatrix& a, const SparseOptions& options, const SparseAnalysis& places) {
  if (options.block > 0) return fill_in(a, places, options.block);
  BlockChoice best;
  for (const std::int64_t size : kBlockSizes) {
    const std::int64_t block = std::max(size, least_block(a.order));
    if (block == best.block) continue;
    BlockChoice choice = fill_in(a, places, block);
    if (choice.seconds < best.seconds) best = std::move(choice);
    // Blocks larger than the matrix would only have more padding.
    if (block >= a.order) break;
  }
  return best;
}

}  // namespace

std::int64_t SparseAnalysis::row_at(std::int64_t place) const {
  const auto row = std::ranges::find(place_of_row, static_cast<std::int32_t>(place));
  if (row == place_of_row.end()) {
    throw Error(ErrorCode::invalid_argument, "place " + std::to_string(place) + " is in none of the " +
                                                 std::to_string(place_of_row.size()) + " rows");
  }
  return row - place_of_row.begin();
}

SparseAnalysis analyse(const CompressedMatrix& a, const SparseOptions& options) {
  check_cut({options.block != 0 ? options.block : 1, options.side != 0 ? options.side : 1});
  const std::int64_t least = (a.order + kMostGivenBlocks - 1) / kMostGivenBlocks;
  if (options.block > 0 && options.block < least) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("blocks of {} rows are too many on a side of a matrix of order {}: give {} rows or more, "
                            "for {} blocks at most",
                            options.block, a.order, least, kMostGivenBlocks));
  }
  SparseAnalysis result;
  DiagonalMatching matching = match_diagonal(a);
  choose_order(a, options, matching.row_of, result);
  BlockChoice choice = choose_block(a, options, result);
  result.row_scale = std::move(matching.row_scale);
  result.col_scale = std::move(matching.col_scale);
  result.cut.block = choice.block;
  result.cut.side = options.side > 0 ? options.side
                                     : static_cast<int>(std::clamp<std::int64_t>(kSuperRows / choice.block, 1,
                                                                                 std::int64_t{kernels::kLargestSide}));
  result.pattern = std::move(choice.pattern);
  result.blocks_before = choice.before;
  result.work = choice.work;
  return result;
}

template <class T>
double scatter(const CompressedMatrix& a, const SparseAnalysis& analysis, BlockMatrix<T>& blocks) {
  double largest = 0;
  for (std::int64_t row = 0; row < a.order; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const auto cols = a.cols_of(row);
    for (std::size_t k = 0; k < cols.size(); ++k) {
      const double value = a.values_of(row)[k];
      if (value == 0) continue;
      const auto j = static_cast<std::size_t>(cols[k]);
      // Add the exponents of the scales, because the product of both scales might be beyond the range of a double.
      const double scaled = std::ldexp(value, std::ilogb(analysis.row_scale[i]) + std::ilogb(analysis.col_scale[j]));
      blocks(analysis.place_of_row[i], analysis.place_of_col[j]) = static_cast<T>(scaled);
      largest = std::max(largest, std::abs(scaled));
    }
  }
  for (std::int64_t row = a.order; row < blocks.rows(); ++row) blocks(row, row) = T{1};
  return largest;
}

template double scatter(const CompressedMatrix&, const SparseAnalysis&, BlockMatrix<float>&);
template double scatter(const CompressedMatrix&, const SparseAnalysis&, BlockMatrix<double>&);

}  // namespace troupe::linalg
