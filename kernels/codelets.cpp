#include "kernels/codelets.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/block_column.hpp"
#include "kernels/block_rows.hpp"
#include "kernels/breakdown.hpp"
#include "kernels/checks/pivots.hpp"
#include "kernels/checks/tile_conditions.hpp"
#include "kernels/cuda/generated_elements.hpp"
#include "kernels/cuda/gpu_codelets.hpp"
#include "kernels/factor.hpp"
#include "kernels/fortran.hpp"
#include "kernels/incremental_pivoting.hpp"
#include "kernels/products.hpp"
#include "kernels/tile_kernels.hpp"
#include "kernels/tiles/codelet_making.hpp"
#include "kernels/tiles/pair_codelets.hpp"

namespace troupe::kernels {

namespace {

using fortran::as_int;
using tiles::cols;
using tiles::for_columns;
using tiles::In;
using tiles::make;
using tiles::Out;
using tiles::panel_flops;
using tiles::r;
using tiles::rows;
using tiles::rw;
using tiles::tile_environment;
using tiles::w;

/// Makes a codelet whose last handles are the tiles of a block column. Its arguments are `offset` and `first`.
template <class T, class F, class Flops>
Codelet make_on_column(const char* name, std::vector<HandleGroup> groups, F kernel, Flops flops) {
  groups.push_back(HandleGroup::of<MatrixView<T>>(rw, HandleGroup::any_number));
  const auto position = ArgumentType::of<std::int64_t>();
  return Codelet::variadic(name, std::move(groups))
      .cpu_team(kernel)
      .takes({position, position})
      .flops(flops)
      .environment(tile_environment);
}

/// C <- C - op(A) op(B).
template <class T>
void update(Team& team, char ta, char tb, In<T> a, In<T> b, Out<T> c) {
  multiply(team, ta, tb, T{-1}, a, b, T{1}, c);
}

template <class T>
Codelet gemm_nt() {
  const auto kernel = [](Team& team, In<T> a, In<T> b, Out<T> c, std::int64_t offset) {
    update<T>(team, 'N', 'T', a, rows_from(b, offset, c.cols), c);
  };
  return make("gemm", {r, r, rw}, kernel,
              [](const KernelContext& c) { return 2 * rows(c, 2) * cols(c, 2) * cols(c, 0); });
}

template <class T>
Codelet gemm_nn() {
  const auto kernel = [](Team& team, In<T> a, In<T> b, Out<T> c, std::int64_t offset) {
    update<T>(team, 'N', 'N', a, rows_from(b, offset, a.cols), c);
  };
  return make("gemm", {r, r, rw}, kernel,
              [](const KernelContext& c) { return 2 * rows(c, 2) * cols(c, 2) * cols(c, 0); });
}

template <class T>
Codelet gemm_tn() {
  const auto kernel = [](Team& team, In<T> a, In<T> b, Out<T> c, std::int64_t offset) {
    update<T>(team, 'T', 'N', a, b, rows_from(c, offset, a.cols));
  };
  return make("gemm", {r, r, rw}, kernel,
              [](const KernelContext& c) { return 2 * rows(c, 0) * cols(c, 0) * cols(c, 2); });
}

template <class T>
Codelet syrk() {
  const auto kernel = [](Team& team, In<T> a, Out<T> c, std::int64_t offset) {
    subtract_square(team, rows_below(a, offset), rows_below(c, offset));
  };
  return make("syrk", {r, rw}, kernel, [](const KernelContext& c) {
    const double below = rows(c, 1) - static_cast<double>(c.argument<std::int64_t>(0)) - cols(c, 1);
    return cols(c, 1) * (cols(c, 1) + 1) * cols(c, 0) + 2 * below * cols(c, 1) * cols(c, 0);
  });
}

/// A <- A op(triangle)^-1, where the triangle is in D from row `offset` on.
template <class T>
Codelet trsm_right(char uplo, char trans) {
  const auto kernel = [=](Team& team, In<T> d, Out<T> a, std::int64_t offset) {
    solve_triangular(team, 'R', uplo, trans, 'N', rows_from(d, offset, d.cols), a);
  };
  return make("trsm", {r, rw}, kernel, [](const KernelContext& c) { return rows(c, 1) * cols(c, 1) * cols(c, 1); });
}

/// Returns the number of operations of a solve with the diagonal block of handle 0, and of the update of `other_rows`
/// other rows.
double solve_flops(const KernelContext& c, double other_rows) {
  return cols(c, 0) * cols(c, 0) * cols(c, 1) + 2 * other_rows * cols(c, 0) * cols(c, 1);
}
double rows_below_block(const KernelContext& c) {
  return rows(c, 0) - static_cast<double>(c.argument<std::int64_t>(0)) - cols(c, 0);
}

/// B <- B - op(A) X.
template <class T>
void subtract(char trans, In<T> a, Out<T> x, Out<T> b) {
  multiply(trans, 'N', T{-1}, a, constant(x), T{1}, b);
}

template <class T>
void solve_forward(char diag, In<T> d, Out<T> b, std::int64_t offset) {
  const Out<T> facing = rows_from(b, offset, d.cols);
  solve_triangular('L', 'L', 'N', diag, rows_from(d, offset, d.cols), facing);
  subtract<T>('N', rows_below(d, offset + d.cols), facing, rows_below(b, offset + d.cols));
}

template <class T>
Codelet solve_lower(char diag) {
  const auto kernel = [diag](Team& team, In<T> d, Out<T> b, std::int64_t offset) {
    for_columns(team, b, [&](Out<T> columns) { solve_forward(diag, d, columns, offset); });
  };
  return make("trsm", {r, rw}, kernel, [](const KernelContext& c) { return solve_flops(c, rows_below_block(c)); });
}

template <class T>
Codelet solve_lower_transposed() {
  const auto kernel = [](Team& team, In<T> d, Out<T> b, std::int64_t offset) {
    for_columns(team, b, [&](Out<T> columns) {
      const Out<T> facing = rows_from(columns, offset, d.cols);
      subtract<T>('T', rows_below(d, offset + d.cols), rows_below(columns, offset + d.cols), facing);
      solve_triangular('L', 'L', 'T', 'N', rows_from(d, offset, d.cols), facing);
    });
  };
  return make("trsm", {r, rw}, kernel, [](const KernelContext& c) { return solve_flops(c, rows_below_block(c)); });
}

template <class T>
Codelet solve_upper() {
  const auto kernel = [](Team& team, In<T> d, Out<T> b, std::int64_t offset) {
    for_columns(team, b, [&](Out<T> columns) {
      const Out<T> facing = rows_from(columns, offset, d.cols);
      solve_triangular('L', 'U', 'N', 'N', rows_from(d, offset, d.cols), facing);
      subtract<T>('N', rows_from(d, 0, offset), facing, rows_from(columns, 0, offset));
    });
  };
  return make("trsm", {r, rw}, kernel,
              [](const KernelContext& c) { return solve_flops(c, static_cast<double>(c.argument<std::int64_t>(0))); });
}

template <class T>
Codelet potrf() {
  const auto kernel = [](Team& team, Out<T> d, std::int64_t offset, std::int64_t first) {
    if (const int info = kernels::potrf(team, rows_below(d, offset)); info != 0) not_positive_definite(first + info);
  };
  return make("potrf", {rw}, kernel, [](const KernelContext& c) {
    return panel_flops(rows_below_block(c) + cols(c, 0), cols(c, 0)) - cols(c, 0) * cols(c, 0) * cols(c, 0) / 3;
  });
}

template <class T>
Codelet getrf_without_pivoting() {
  const auto kernel = [](Team& team, Out<T> d, std::int64_t offset, std::int64_t first) {
    const int info = kernels::getrf_without_pivoting(team, rows_below(d, offset));
    if (info != 0) singular(first + info);
  };
  return make("getrf_nopiv", {rw}, kernel,
              [](const KernelContext& c) { return panel_flops(rows_below_block(c) + cols(c, 0), cols(c, 0)); });
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

template <class T>
Codelet getrf_panel() {
  const auto kernel = [](const KernelContext& context) {
    const auto pivots = context.vector<int>(0);
    const Position position(context);
    // LAPACK writes the pivots and then reads them. So they are written to memory of this task first: in shared memory,
    // another process, such as a client of a service, could change them meanwhile.
    std::vector<int> own(pivots.size());
    int info = 0;
    as_one_block(BlockColumn<T>(context, 1), position.offset,
                 [&](Out<T> panel) { info = factor_panel(context.team(), panel, std::span<int>(own)); });
    for (std::size_t i = 0; i < pivots.size(); ++i) pivots[i] = own[i] + as_int(position.first);
    if (info != 0) singular(position.first + info);
  };
  return make_on_column<T>("getrf", {HandleGroup::of<std::span<int>>(w)}, kernel, [](const KernelContext& c) {
    return panel_flops(rows_from_handle(c, 1) - static_cast<double>(c.argument<std::int64_t>(0)), cols(c, 1));
  });
}

template <class T>
Codelet swap_and_solve() {
  const auto kernel = [](const KernelContext& context) {
    const auto d = context.matrix<const T>(0);
    const std::span<const int> pivots = context.vector<const int>(1);
    const BlockColumn<T> c(context, 2);
    const Position position(context);
    exchange(context.team(), c, {&pivots, 1}, position);
    for_columns(context.team(), rows_from(c.tiles().front(), 0, d.rows),
                [&](Out<T> columns) { solve_forward('U', d, columns, position.offset); });
  };
  return make_on_column<T>(
      "swap_solve", {HandleGroup::of<MatrixView<const T>>(r), HandleGroup::of<std::span<const int>>(r)}, kernel,
      [](const KernelContext& c) {
        return cols(c, 0) * cols(c, 0) * cols(c, 2) + 2 * rows_below_block(c) * cols(c, 0) * cols(c, 2);
      });
}

template <class T>
Codelet swap_rows() {
  const auto kernel = [](const KernelContext& context) {
    const auto pivots = pivots_from(context, 0);
    exchange(context.team(), BlockColumn<T>(context, pivots.size()), pivots, Position(context));
  };
  return make_on_column<T>("swap", {HandleGroup::of<std::span<const int>>(r, HandleGroup::any_number)}, kernel,
                           [](const KernelContext&) { return 0.0; });
}

template <class T>
Codelet fill_symmetric() {
  const auto kernel = [](Team& team, Out<T> a, std::int64_t row, std::int64_t col, std::uint64_t seed,
                         double diagonal) {
    split_among(team, a.cols, 1, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t j = first; j < first + count; ++j) {
        for (std::int64_t i = 0; i < a.rows; ++i) {
          a(i, j) = static_cast<T>(symmetric_element(seed, row + i, col + j, diagonal));
        }
      }
    });
  };
  return make("fill", {w}, kernel, [](const KernelContext&) { return 0.0; });
}

#ifdef TROUPE_HAS_CUDA
#define TROUPE_IF_CUDA(add) add
#else
#define TROUPE_IF_CUDA(add) nullptr
#endif

}  // namespace

template <class T>
std::span<const TileKernel<T>> tile_kernels() {
  using C = TileCodelets<T>;
  static constexpr TileKernel<T> kRows[]{
      {"getrf_incpiv", &C::getrf_incpiv, "LU of a tile with pivoting inside it; factors beside it",
       "A, V, P; first, last", tiles::getrf_incpiv<T>, demands::getrf_incpiv, nullptr, "getrf_incpiv"},
      {"gessm", &C::gessm, "C <- L^-1 P C with the factors of getrf_incpiv", "V, P, C",
       [] { return tiles::gessm<T>(kernels::gessm); }, demands::gessm, nullptr, "gessm"},
      {"gessm_back", &C::gessm_back, "C <- P^T L C with the factors of getrf_incpiv", "V, P, C",
       [] { return tiles::gessm<T>(kernels::gessm_back); }, demands::gessm},
      {"tstrf", &C::tstrf, "LU of a triangle on top of a tile with pivoting between the two",
       "U, B, L, P; offset, first, last", tiles::tstrf<T>, demands::tstrf, nullptr, "tstrf"},
      {"ssssm", &C::ssssm, "what tstrf has eliminated, in another column of tiles", "B, L, P, A, C; offset",
       [] { return tiles::ssssm<T>(kernels::ssssm); }, demands::ssssm, nullptr, "ssssm"},
      {"ssssm_back", &C::ssssm_back, "the inverse of ssssm", "B, L, P, A, C; offset",
       [] { return tiles::ssssm<T>(kernels::ssssm_back); }, demands::ssssm},
      {"potrf", &C::potrf, "Cholesky factor of a diagonal tile, and the rows below it solved with it",
       "D; offset, first", potrf<T>, demands::potrf, TROUPE_IF_CUDA(gpu_potrf<T>), "potrf"},
      {"trsm_cholesky", &C::trsm_cholesky, "A <- A L^-T with the lower triangle of a diagonal tile", "D, A; offset",
       [] { return trsm_right<T>('L', 'T'); }, demands::trsm_right, TROUPE_IF_CUDA(gpu_trsm_cholesky<T>), "trsm"},
      {"syrk", &C::syrk, "C <- C - A A^T, lower triangle of the diagonal block, and the rows below it", "A, C; offset",
       syrk<T>, demands::syrk, TROUPE_IF_CUDA(gpu_syrk<T>), "syrk"},
      {"gemm_nt", &C::gemm_nt, "C <- C - A B^T", "A, B, C; offset", gemm_nt<T>, demands::gemm_nt,
       TROUPE_IF_CUDA(gpu_gemm_nt<T>), "gemm"},
      {"gemm_nn", &C::gemm_nn, "C <- C - A B", "A, B, C; offset", gemm_nn<T>, demands::gemm_nn,
       TROUPE_IF_CUDA(gpu_gemm_nn<T>), "gemm"},
      {"gemm_tn", &C::gemm_tn, "C <- C - A^T B", "A, B, C; offset", gemm_tn<T>, demands::gemm_tn,
       TROUPE_IF_CUDA(gpu_gemm_tn<T>)},
      {"solve_lower", &C::solve_lower, "B <- L^-1 B with a diagonal tile, and the rows below brought up to date",
       "D, B; offset", [] { return solve_lower<T>('N'); }, demands::solve, TROUPE_IF_CUDA(gpu_solve_lower<T>)},
      {"solve_unit_lower", &C::solve_unit_lower, "the same with a unit diagonal", "D, B; offset",
       [] { return solve_lower<T>('U'); }, demands::solve, TROUPE_IF_CUDA(gpu_solve_unit_lower<T>), "trsm_left_lower"},
      {"solve_lower_transposed", &C::solve_lower_transposed, "B <- L^-T B, after the rows below were taken off",
       "D, B; offset", solve_lower_transposed<T>, demands::solve, TROUPE_IF_CUDA(gpu_solve_lower_transposed<T>)},
      {"solve_upper", &C::solve_upper, "B <- U^-1 B with a diagonal tile, and the rows above brought up to date",
       "D, B; offset", solve_upper<T>, demands::solve, TROUPE_IF_CUDA(gpu_solve_upper<T>)},
      {"getrf_without_pivoting", &C::getrf_without_pivoting, "LU without pivoting of a diagonal tile",
       "D; offset, first", getrf_without_pivoting<T>, demands::potrf, TROUPE_IF_CUDA(gpu_getrf_without_pivoting<T>),
       "getrf_nopiv getrf"},
      {"trsm_right_upper", &C::trsm_right_upper, "A <- A U^-1 with the upper triangle of a diagonal tile",
       "D, A; offset", [] { return trsm_right<T>('U', 'N'); }, demands::trsm_right,
       TROUPE_IF_CUDA(gpu_trsm_right_upper<T>), "trsm_right_upper"},
      {"getrf_panel", &C::getrf_panel, "LU with partial pivoting of a block column, from a row on",
       "P, A; offset, first", getrf_panel<T>, demands::getrf_panel, TROUPE_IF_CUDA(gpu_getrf_panel<T>), "getrf_panel"},
      {"swap_and_solve", &C::swap_and_solve, "exchanges rows by pivots, then solves with a unit lower triangle",
       "D, P, C; offset, first", swap_and_solve<T>, demands::swap_and_solve, TROUPE_IF_CUDA(gpu_swap_and_solve<T>),
       "swap_and_solve"},
      {"swap_rows", &C::swap_rows, "exchanges rows by pivots", "P, C; offset, first", swap_rows<T>, demands::swap_rows,
       TROUPE_IF_CUDA(gpu_swap_rows<T>), "swap_rows"},
      {"geqrt", &C::geqrt, "QR of a tile; reflectors beside it", "A, T, V", tiles::geqrt<T>, demands::geqrt,
       TROUPE_IF_CUDA(gpu_geqrt<T>), "geqrt"},
      {"gemqrt", &C::gemqrt, "C <- Q C with the reflectors of geqrt", "V, T, C",
       [] { return tiles::gemqrt<T>("gemqrt", 'N'); }, demands::gemqrt, TROUPE_IF_CUDA(gpu_gemqrt<T>)},
      {"gemqrt_transposed", &C::gemqrt_transposed, "C <- Q^T C with the reflectors of geqrt", "V, T, C",
       [] { return tiles::gemqrt<T>("gemqrt", 'T'); }, demands::gemqrt, TROUPE_IF_CUDA(gpu_gemqrt_transposed<T>),
       "unmqr"},
      {"tpqrt", &C::tpqrt, "QR of a triangle on top of a tile", "R, B, T; offset", tiles::tpqrt<T>, demands::tpqrt,
       TROUPE_IF_CUDA(gpu_tpqrt<T>), "tsqrt"},
      {"tpmqrt", &C::tpmqrt, "[A; B] <- Q [A; B] with the reflectors of tpqrt", "V, T, A, B; offset",
       [] { return tiles::tpmqrt<T>("tpmqrt", 'N'); }, demands::tpmqrt, TROUPE_IF_CUDA(gpu_tpmqrt<T>)},
      {"tpmqrt_transposed", &C::tpmqrt_transposed, "[A; B] <- Q^T [A; B] with the reflectors of tpqrt",
       "V, T, A, B; offset", [] { return tiles::tpmqrt<T>("tpmqrt", 'T'); }, demands::tpmqrt,
       TROUPE_IF_CUDA(gpu_tpmqrt_transposed<T>), "tsmqr"},
      {"fill_symmetric", &C::fill_symmetric, "a part of a symmetric random matrix, computed where it is needed",
       "A; row, col, seed, diagonal", fill_symmetric<T>, demands::fill_symmetric,
       TROUPE_IF_CUDA(gpu_fill_symmetric<T>)},
  };
  // Each member of `TileCodelets` has a row, in the order of the members: `made` depends on this order.
  static_assert(std::size(kRows) * sizeof(Codelet) == sizeof(C));
  return kRows;
}

#undef TROUPE_IF_CUDA

template <class T>
const TileKernel<T>& tile_kernel(Codelet TileCodelets<T>::*codelet) {
  const auto rows = tile_kernels<T>();
  return *std::ranges::find(rows, codelet, &TileKernel<T>::codelet);
}

template <class T>
std::string precise_name(std::string_view name) {
  return std::string(name) + (std::is_same_v<T, float> ? "/float" : "/double");
}

namespace {

template <class T>
Codelet made(std::size_t row) {
  const TileKernel<T>& kernel = tile_kernels<T>()[row];
  Codelet codelet = kernel.make();
  codelet.known_as(precise_name<T>(kernel.name));
  if (kernel.add_gpu != nullptr) kernel.add_gpu(codelet);
  return codelet;
}

/// Makes the codelets in the order of the rows, which is the order of the members; the members of the base class come
/// first.
template <class T, std::size_t... in_base, std::size_t... in_struct>
TileCodelets<T> made(std::index_sequence<in_base...>, std::index_sequence<in_struct...>) {
  return {{made<T>(in_base)...}, made<T>(sizeof...(in_base) + in_struct)...};
}

template <class T>
TileCodelets<T> make_codelets() {
  constexpr std::size_t kInBase = sizeof(IncrementalLuCodelets) / sizeof(Codelet);
  constexpr std::size_t kAll = sizeof(TileCodelets<T>) / sizeof(Codelet);
  return made<T>(std::make_index_sequence<kInBase>(), std::make_index_sequence<kAll - kInBase>());
}

}  // namespace

template <class T>
const TileCodelets<T>& codelets() {
  static const TileCodelets<T> all = make_codelets<T>();
  return all;
}

#define TROUPE_INSTANTIATE(T)                                            \
  template const TileCodelets<T>& codelets();                            \
  template std::span<const TileKernel<T>> tile_kernels();                \
  template const TileKernel<T>& tile_kernel(Codelet TileCodelets<T>::*); \
  template std::string precise_name<T>(std::string_view);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels
