#include "kernels/tiles/column_codelets.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "kernels/block_column.hpp"
#include "kernels/breakdown.hpp"
#include "kernels/checks/pivots.hpp"
#include "kernels/factor.hpp"
#include "kernels/fortran.hpp"

namespace troupe::kernels::tiles {

namespace {

/// Makes a codelet whose last handles are the tiles of a block column, in this mode. Its arguments are `offset` and
/// `first`.
template <class T, class F, class Flops>
Codelet make_on_column(const char* name, std::vector<HandleGroup> groups, AccessMode mode, F kernel, Flops flops) {
  groups.push_back(HandleGroup::of<MatrixView<T>>(mode, HandleGroup::any_number));
  const auto position = ArgumentType::of<std::int64_t>();
  return Codelet::variadic(name, std::move(groups))
      .cpu_team(kernel)
      .takes({position, position})
      .flops(flops)
      .environment(tile_environment);
}

/// The position of a block column in the whole matrix: row `offset` of the column is row `first` of the matrix.
struct Position {
  explicit Position(const KernelContext& c) : offset(c.argument<std::int64_t>(0)), first(c.argument<std::int64_t>(1)) {}
  /// The number of rows of the whole matrix above the column.
  [[nodiscard]] std::int64_t above() const { return first - offset; }

  std::int64_t offset;
  std::int64_t first;
};

/// Exchanges, in order, the rows of C from `offset` on with the rows that the pivots name.
template <class T>
void exchange(Team& team, const BlockColumn<T>& c, std::span<const std::span<const int>> given,
              const Position& position) {
  const std::int64_t above = position.above();
  const CheckedPivots pivots(given, above, above + c.rows());
  const std::int64_t count = pivots.size();
  // Work on a few columns at a time, so that their rows stay in the cache for any leading dimension.
  constexpr std::int64_t kStrip = 8;
  const auto exchange_all = [&](auto element) {
    split_among(team, c.cols(), kStrip, [&](std::int64_t first, std::int64_t cols) {
      for (std::int64_t strip = first; strip < first + cols; strip += kStrip) {
        const std::int64_t end = std::min(strip + kStrip, first + cols);
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t row = position.offset + i;
          const std::int64_t other = pivots[i] - above;
          if (other != row) element(i, row, other, strip, end);
        }
      }
    });
  };
  if (const auto whole = c.whole()) {
    return exchange_all(
        [&whole = *whole](auto, std::int64_t row, std::int64_t other, std::int64_t j, std::int64_t end) {
          for (; j < end; ++j) std::swap(whole(row, j), whole(other, j));
        });
  }
  std::vector<std::pair<MatrixView<T>, MatrixView<T>>> rows;
  for (std::int64_t i = 0; i < count; ++i) rows.emplace_back(c.row(position.offset + i), c.row(pivots[i] - above));
  exchange_all([&rows](std::int64_t i, auto, auto, std::int64_t j, std::int64_t end) {
    const auto& [row, other] = rows[static_cast<std::size_t>(i)];
    for (; j < end; ++j) std::swap(row(0, j), other(0, j));
  });
}

/// Calls `work` with the rows of a block column from `offset` on, as one block. If the tiles do not lie one below the
/// other in memory, the block is a copy, which is copied back afterwards.
template <class T, class F>
void as_one_block(const BlockColumn<T>& a, std::int64_t offset, F work) {
  if (const auto whole = a.whole()) return work(rows_below(*whole, offset));
  const std::int64_t rows = a.rows() - offset;
  std::vector<T> copied(static_cast<std::size_t>(rows * a.cols()));
  const auto for_each_part = [&](auto copy) {
    for (std::size_t i = 0; i < a.tiles().size(); ++i) {
      const std::int64_t hidden = std::clamp<std::int64_t>(offset - a.begin_of(i), 0, a.tiles()[i].rows);
      const Out<T> part = rows_below(a.tiles()[i], hidden);
      for (std::int64_t j = 0; j < a.cols(); ++j) {
        copy(part.data + j * part.ld, part.rows, copied.data() + (a.begin_of(i) + hidden - offset) + j * rows);
      }
    }
  };
  for_each_part([](const T* part, std::int64_t count, T* copy) { std::copy_n(part, count, copy); });
  work(Out<T>{copied.data(), rows, a.cols(), std::max<std::int64_t>(rows, 1)});
  for_each_part([](T* part, std::int64_t count, const T* copy) { std::copy_n(copy, count, part); });
}

/// The number of rows of all handles from number `begin` on.
double rows_from_handle(const KernelContext& c, std::size_t begin) {
  double all = 0;
  for (std::size_t i = begin; i < c.size(); ++i) all += rows(c, i);
  return all;
}

/// Checks a block column, whose tiles must have equally many columns, and returns its number of rows. The arguments
/// `offset` and `first` must give a place for `exchanged` rows, in the column and in the whole matrix.
std::int64_t block_column(Conditions& c, std::span<const Layout> tiles, std::int64_t exchanged) {
  std::int64_t rows = 0;
  for (const Layout& tile : tiles) {
    c.require(tile.cols == tiles.front().cols, "all tiles must have as many columns");
    rows += tile.rows;
    c.require(rows <= kLargestSize, "the tiles must have at most 2147483647 rows together");
    if (!c.ok()) return 0;
  }
  const std::int64_t above = offset_of(c, 0, exchanged, rows);
  // Row numbers of the whole matrix must fit into 32 bits.
  const std::int64_t first = c.argument_up_to(1, kLargestSize - rows, "first");
  c.require(first >= above, "first must be at least offset");
  return rows;
}

}  // namespace

template <class T>
Codelet getrf_panel(const Modes& modes) {
  const auto kernel = [](const KernelContext& context) {
    const auto pivots = context.vector<int>(0);
    const Position position(context);
    // LAPACK writes the pivots and reads them again. Let it use memory of this task, because another process, such as a
    // client of a service, could change pivots in shared memory meanwhile.
    std::vector<int> own(pivots.size());
    int info = 0;
    as_one_block(BlockColumn<T>(context, 1), position.offset,
                 [&](Out<T> panel) { info = factor_panel(context.team(), panel, std::span<int>(own)); });
    for (std::size_t i = 0; i < pivots.size(); ++i) pivots[i] = own[i] + fortran::as_int(position.first);
    if (info != 0) singular(position.first + info);
  };
  return make_on_column<T>(
      "getrf", {HandleGroup::of<std::span<int>>(modes[0])}, modes[1], kernel, [](const KernelContext& c) {
        return panel_flops(rows_from_handle(c, 1) - static_cast<double>(c.argument<std::int64_t>(0)), cols(c, 1));
      });
}

void check_getrf_panel(Conditions& c) {
  const auto tiles = c.group(1);
  c.require(c.data(0).elements() == tiles.front().cols, "P must have as many elements as A has columns");
  block_column(c, tiles, tiles.front().cols);
}

template <class T>
Codelet swap_and_solve(const Modes& modes) {
  const auto kernel = [](const KernelContext& context) {
    const auto d = context.matrix<const T>(0);
    const std::span<const int> pivots = context.vector<const int>(1);
    const BlockColumn<T> c(context, 2);
    const Position position(context);
    exchange(context.team(), c, {&pivots, 1}, position);
    for_columns(context.team(), rows_from(c.tiles().front(), 0, d.rows),
                [&d, offset = position.offset](Out<T> columns) { solve_forward('U', d, columns, offset); });
  };
  return make_on_column<T>(
      "swap_solve", {HandleGroup::of<MatrixView<const T>>(modes[0]), HandleGroup::of<std::span<const int>>(modes[1])},
      modes[2], kernel, [](const KernelContext& c) {
        return cols(c, 0) * cols(c, 0) * cols(c, 2) + 2 * rows_below_block(c) * cols(c, 0) * cols(c, 2);
      });
}

void check_swap_and_solve(Conditions& c) {
  const Layout& d = c.data(0);
  const auto tiles = c.group(2);
  const std::int64_t pivots = c.data(1).elements();
  block_column(c, tiles, pivots);
  offset_of(c, 0, d.cols, d.rows);
  c.require(tiles.front().rows >= d.rows, "the first tile of C must have the rows that face D");
}

template <class T>
Codelet swap_rows(const Modes& modes) {
  const auto kernel = [](const KernelContext& context) {
    const auto pivots = pivots_from(context, 0);
    exchange(context.team(), BlockColumn<T>(context, pivots.size()), pivots, Position(context));
  };
  return make_on_column<T>("swap", {HandleGroup::of<std::span<const int>>(modes[0], HandleGroup::any_number)}, modes[1],
                           kernel, [](const KernelContext&) { return 0.0; });
}

void check_swap_rows(Conditions& c) {
  std::int64_t pivots = 0;
  for (const Layout& piece : c.group(0)) {
    pivots += piece.elements();
    c.require(pivots <= kLargestSize, "there must be at most 2147483647 pivots");
    if (!c.ok()) return;
  }
  block_column(c, c.group(1), pivots);
}

#define TROUPE_INSTANTIATE(T)                       \
  template Codelet getrf_panel<T>(const Modes&);    \
  template Codelet swap_and_solve<T>(const Modes&); \
  template Codelet swap_rows<T>(const Modes&);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels::tiles
