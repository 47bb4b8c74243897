#include "kernels/codelets.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kernels/block_rows.hpp"
#include "kernels/breakdown.hpp"
#include "kernels/cuda/generated_elements.hpp"
#include "kernels/cuda/gpu_codelets.hpp"
#include "kernels/factor.hpp"
#include "kernels/products.hpp"
#include "kernels/tile_kernels.hpp"
#include "kernels/tiles/codelet_making.hpp"
#include "kernels/tiles/column_codelets.hpp"
#include "kernels/tiles/pair_codelets.hpp"

namespace troupe::kernels {

namespace {

using tiles::cols;
using tiles::first_in_messages;
using tiles::for_columns;
using tiles::In;
using tiles::make;
using tiles::Modes;
using tiles::offset_of;
using tiles::Out;
using tiles::panel_flops;
using tiles::rows;
using tiles::rows_below_block;
using tiles::solve_forward;
using tiles::subtract;

/// Computes C <- C - op(A) op(B).
template <class T>
void update(Team& team, char ta, char tb, In<T> a, In<T> b, Out<T> c) {
  multiply(team, ta, tb, T{-1}, a, b, T{1}, c);
}

template <class T>
Codelet gemm_nt(const Modes& modes) {
  const auto kernel = [](Team& team, In<T> a, In<T> b, Out<T> c, std::int64_t offset) {
    update<T>(team, 'N', 'T', a, rows_from(b, offset, c.cols), c);
  };
  return make("gemm", modes, kernel, [](const KernelContext& c) { return 2 * rows(c, 2) * cols(c, 2) * cols(c, 0); });
}

void check_gemm_nt(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& b = c.data(1);
  const Layout& own = c.data(2);
  c.require(a.rows == own.rows, "A must have as many rows as C");
  c.require(a.cols == b.cols, "A must have as many columns as B");
  offset_of(c, 0, own.cols, b.rows);
}

template <class T>
Codelet gemm_nn(const Modes& modes) {
  const auto kernel = [](Team& team, In<T> a, In<T> b, Out<T> c, std::int64_t offset) {
    update<T>(team, 'N', 'N', a, rows_from(b, offset, a.cols), c);
  };
  return make("gemm", modes, kernel, [](const KernelContext& c) { return 2 * rows(c, 2) * cols(c, 2) * cols(c, 0); });
}

void check_gemm_nn(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& b = c.data(1);
  const Layout& own = c.data(2);
  c.require(a.rows == own.rows, "A must have as many rows as C");
  c.require(b.cols == own.cols, "B must have as many columns as C");
  offset_of(c, 0, a.cols, b.rows);
}

template <class T>
Codelet gemm_tn(const Modes& modes) {
  const auto kernel = [](Team& team, In<T> a, In<T> b, Out<T> c, std::int64_t offset) {
    update<T>(team, 'T', 'N', a, b, rows_from(c, offset, a.cols));
  };
  return make("gemm", modes, kernel, [](const KernelContext& c) { return 2 * rows(c, 0) * cols(c, 0) * cols(c, 2); });
}

void check_gemm_tn(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& b = c.data(1);
  const Layout& own = c.data(2);
  c.require(a.rows == b.rows, "A must have as many rows as B");
  c.require(b.cols == own.cols, "B must have as many columns as C");
  offset_of(c, 0, a.cols, own.rows);
}

template <class T>
Codelet syrk(const Modes& modes) {
  const auto kernel = [](Team& team, In<T> a, Out<T> c, std::int64_t offset) {
    subtract_square(team, rows_below(a, offset), rows_below(c, offset));
  };
  return make("syrk", modes, kernel, [](const KernelContext& c) {
    const double below = rows(c, 1) - static_cast<double>(c.argument<std::int64_t>(0)) - cols(c, 1);
    return cols(c, 1) * (cols(c, 1) + 1) * cols(c, 0) + 2 * below * cols(c, 1) * cols(c, 0);
  });
}

void check_syrk(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& own = c.data(1);
  c.require(a.rows == own.rows, "A must have as many rows as C");
  offset_of(c, 0, own.cols, own.rows);
}

/// Makes a codelet for A <- A op(triangle)^-1, where the triangle is in D from row `offset` on.
template <class T, char uplo, char trans>
Codelet trsm_right(const Modes& modes) {
  const auto kernel = [](Team& team, In<T> d, Out<T> a, std::int64_t offset) {
    solve_triangular(team, 'R', uplo, trans, 'N', rows_from(d, offset, d.cols), a);
  };
  return make("trsm", modes, kernel, [](const KernelContext& c) { return rows(c, 1) * cols(c, 1) * cols(c, 1); });
}

void check_trsm_right(Conditions& c) {
  const Layout& d = c.data(0);
  c.require(c.data(1).cols == d.cols, "A must have as many columns as D");
  offset_of(c, 0, d.cols, d.rows);
}

/// Returns the number of operations of a solve with the diagonal block of handle 0, and of the update of `other_rows`
/// other rows.
double solve_flops(const KernelContext& c, double other_rows) {
  return cols(c, 0) * cols(c, 0) * cols(c, 1) + 2 * other_rows * cols(c, 0) * cols(c, 1);
}

template <class T, char diag>
Codelet solve_lower(const Modes& modes) {
  const auto kernel = [](Team& team, In<T> d, Out<T> b, std::int64_t offset) {
    for_columns(team, b, [&](Out<T> columns) { solve_forward(diag, d, columns, offset); });
  };
  return make("trsm", modes, kernel, [](const KernelContext& c) { return solve_flops(c, rows_below_block(c)); });
}

void check_solve(Conditions& c) {
  const Layout& d = c.data(0);
  c.require(c.data(1).rows == d.rows, "B must have as many rows as D");
  offset_of(c, 0, d.cols, d.rows);
}

template <class T>
Codelet solve_lower_transposed(const Modes& modes) {
  const auto kernel = [](Team& team, In<T> d, Out<T> b, std::int64_t offset) {
    for_columns(team, b, [&](Out<T> columns) {
      const Out<T> facing = rows_from(columns, offset, d.cols);
      subtract<T>('T', rows_below(d, offset + d.cols), rows_below(columns, offset + d.cols), facing);
      solve_triangular('L', 'L', 'T', 'N', rows_from(d, offset, d.cols), facing);
    });
  };
  return make("trsm", modes, kernel, [](const KernelContext& c) { return solve_flops(c, rows_below_block(c)); });
}

template <class T>
Codelet solve_upper(const Modes& modes) {
  const auto kernel = [](Team& team, In<T> d, Out<T> b, std::int64_t offset) {
    for_columns(team, b, [&](Out<T> columns) {
      const Out<T> facing = rows_from(columns, offset, d.cols);
      solve_triangular('L', 'U', 'N', 'N', rows_from(d, offset, d.cols), facing);
      subtract<T>('N', rows_from(d, 0, offset), facing, rows_from(columns, 0, offset));
    });
  };
  return make("trsm", modes, kernel,
              [](const KernelContext& c) { return solve_flops(c, static_cast<double>(c.argument<std::int64_t>(0))); });
}

template <class T>
Codelet potrf(const Modes& modes) {
  const auto kernel = [](Team& team, Out<T> d, std::int64_t offset, std::int64_t first) {
    if (const int info = kernels::potrf(team, rows_below(d, offset)); info != 0) not_positive_definite(first + info);
  };
  return make("potrf", modes, kernel, [](const KernelContext& c) {
    return panel_flops(rows_below_block(c) + cols(c, 0), cols(c, 0)) - cols(c, 0) * cols(c, 0) * cols(c, 0) / 3;
  });
}

void check_diagonal(Conditions& c) {
  offset_of(c, 0, c.data(0).cols, c.data(0).rows);
  first_in_messages(c, 1);
}

template <class T>
Codelet getrf_without_pivoting(const Modes& modes) {
  const auto kernel = [](Team& team, Out<T> d, std::int64_t offset, std::int64_t first) {
    const int info = kernels::getrf_without_pivoting(team, rows_below(d, offset));
    if (info != 0) singular(first + info);
  };
  return make("getrf_nopiv", modes, kernel,
              [](const KernelContext& c) { return panel_flops(rows_below_block(c) + cols(c, 0), cols(c, 0)); });
}

template <class T>
Codelet fill_symmetric(const Modes& modes) {
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
  return make("fill", modes, kernel, [](const KernelContext&) { return 0.0; });
}

void check_fill_symmetric(Conditions& c) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  c.argument_up_to(0, kMost, "row");
  c.argument_up_to(1, kMost, "col");
}

/// Calls `take` with the mode of each of a kernel's data, in their order: "A r, B rw; offset". Returns false if a name
/// has no mode.
template <class Take>
constexpr bool read_modes(std::string_view parameters, Take take) {
  constexpr std::pair<std::string_view, AccessMode> kModes[]{
      {" r", AccessMode::read}, {" w", AccessMode::write}, {" rw", AccessMode::read_write}};
  for (std::string_view rest = parameters.substr(0, parameters.find(';')); !rest.empty();) {
    const std::string_view datum = rest.substr(0, rest.find(','));
    const auto* const found =
        std::ranges::find_if(kModes, [&](const auto& mode) { return datum.ends_with(mode.first); });
    if (found == std::end(kModes)) return false;
    take(found->second);
    rest.remove_prefix(std::min(rest.size(), datum.size() + 1));
  }
  return true;
}
constexpr bool have_modes(std::string_view parameters) {
  return read_modes(parameters, [](AccessMode) {});
}

}  // namespace

template <class T>
std::span<const TileKernel<T>> tile_kernels() {
  using C = TileCodelets<T>;
  static constexpr TileKernel<T> kRows[]{
      {"getrf_incpiv", &C::getrf_incpiv, "LU of a tile with pivoting inside it; factors beside it",
       "A rw, V w, P w; first, last", tiles::getrf_incpiv<T>, tiles::check_getrf_incpiv, "getrf_incpiv"},
      {"gessm", &C::gessm, "C <- L^-1 P C with the factors of getrf_incpiv", "V r, P r, C rw", tiles::gessm<T, false>,
       tiles::check_gessm, "gessm"},
      {"gessm_back", &C::gessm_back, "C <- P^T L C with the factors of getrf_incpiv", "V r, P r, C rw",
       tiles::gessm<T, true>, tiles::check_gessm},
      {"tstrf", &C::tstrf, "LU of a triangle on top of a tile with pivoting between the two",
       "U rw, B rw, L w, P w; offset, first, last", tiles::tstrf<T>, tiles::check_tstrf, "tstrf"},
      {"ssssm", &C::ssssm, "what tstrf has eliminated, in another column of tiles", "B r, L r, P r, A rw, C rw; offset",
       tiles::ssssm<T, false>, tiles::check_ssssm, "ssssm"},
      {"ssssm_back", &C::ssssm_back, "the inverse of ssssm", "B r, L r, P r, A rw, C rw; offset", tiles::ssssm<T, true>,
       tiles::check_ssssm},
      {"potrf", &C::potrf, "Cholesky factor of a diagonal tile, and the rows below it solved with it",
       "D rw; offset, first", potrf<T>, check_diagonal, "potrf"},
      {"trsm_cholesky", &C::trsm_cholesky, "A <- A L^-T with the lower triangle of a diagonal tile",
       "D r, A rw; offset", trsm_right<T, 'L', 'T'>, check_trsm_right, "trsm"},
      {"syrk", &C::syrk, "C <- C - A A^T, lower triangle of the diagonal block, and the rows below it",
       "A r, C rw; offset", syrk<T>, check_syrk, "syrk"},
      {"gemm_nt", &C::gemm_nt, "C <- C - A B^T", "A r, B r, C rw; offset", gemm_nt<T>, check_gemm_nt, "gemm"},
      {"gemm_nn", &C::gemm_nn, "C <- C - A B", "A r, B r, C rw; offset", gemm_nn<T>, check_gemm_nn, "gemm"},
      {"gemm_tn", &C::gemm_tn, "C <- C - A^T B", "A r, B r, C rw; offset", gemm_tn<T>, check_gemm_tn},
      {"solve_lower", &C::solve_lower, "B <- L^-1 B with a diagonal tile, and the rows below brought up to date",
       "D r, B rw; offset", solve_lower<T, 'N'>, check_solve},
      {"solve_unit_lower", &C::solve_unit_lower, "the same with a unit diagonal", "D r, B rw; offset",
       solve_lower<T, 'U'>, check_solve, "trsm_left_lower"},
      {"solve_lower_transposed", &C::solve_lower_transposed, "B <- L^-T B, after the rows below were taken off",
       "D r, B rw; offset", solve_lower_transposed<T>, check_solve},
      {"solve_upper", &C::solve_upper, "B <- U^-1 B with a diagonal tile, and the rows above brought up to date",
       "D r, B rw; offset", solve_upper<T>, check_solve},
      {"getrf_without_pivoting", &C::getrf_without_pivoting, "LU without pivoting of a diagonal tile",
       "D rw; offset, first", getrf_without_pivoting<T>, check_diagonal, "getrf_nopiv getrf"},
      {"trsm_right_upper", &C::trsm_right_upper, "A <- A U^-1 with the upper triangle of a diagonal tile",
       "D r, A rw; offset", trsm_right<T, 'U', 'N'>, check_trsm_right, "trsm_right_upper"},
      {"getrf_panel", &C::getrf_panel, "LU with partial pivoting of a block column, from a row on",
       "P w, A rw; offset, first", tiles::getrf_panel<T>, tiles::check_getrf_panel, "getrf_panel"},
      {"swap_and_solve", &C::swap_and_solve, "exchanges rows by pivots, then solves with a unit lower triangle",
       "D r, P r, C rw; offset, first", tiles::swap_and_solve<T>, tiles::check_swap_and_solve, "swap_and_solve"},
      {"swap_rows", &C::swap_rows, "exchanges rows by pivots", "P r, C rw; offset, first", tiles::swap_rows<T>,
       tiles::check_swap_rows, "swap_rows"},
      {"geqrt", &C::geqrt, "QR of a tile; reflectors beside it", "A rw, T w, V w", tiles::geqrt<T>, tiles::check_geqrt,
       "geqrt"},
      {"gemqrt", &C::gemqrt, "C <- Q C with the reflectors of geqrt", "V r, T r, C rw", tiles::gemqrt<T, 'N'>,
       tiles::check_gemqrt},
      {"gemqrt_transposed", &C::gemqrt_transposed, "C <- Q^T C with the reflectors of geqrt", "V r, T r, C rw",
       tiles::gemqrt<T, 'T'>, tiles::check_gemqrt, "unmqr"},
      {"tpqrt", &C::tpqrt, "QR of a triangle on top of a tile", "R rw, B rw, T w; offset", tiles::tpqrt<T>,
       tiles::check_tpqrt, "tsqrt"},
      {"tpmqrt", &C::tpmqrt, "[A; B] <- Q [A; B] with the reflectors of tpqrt", "V r, T r, A rw, B rw; offset",
       tiles::tpmqrt<T, 'N'>, tiles::check_tpmqrt},
      {"tpmqrt_transposed", &C::tpmqrt_transposed, "[A; B] <- Q^T [A; B] with the reflectors of tpqrt",
       "V r, T r, A rw, B rw; offset", tiles::tpmqrt<T, 'T'>, tiles::check_tpmqrt, "tsmqr"},
      {"fill_symmetric", &C::fill_symmetric, "a part of a symmetric random matrix, computed where it is needed",
       "A w; row, col, seed, diagonal", fill_symmetric<T>, check_fill_symmetric},
  };
  // Each member of `TileCodelets` has a row, in the order of the members: `made` depends on this order.
  static_assert(std::size(kRows) * sizeof(Codelet) == sizeof(C));
  static_assert(std::ranges::all_of(kRows, have_modes, &TileKernel<T>::parameters), "each datum has a mode");
  return kRows;
}

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
  tiles::Modes modes;
  read_modes(kernel.parameters, [&](AccessMode mode) { modes.push_back(mode); });
  Codelet codelet = kernel.make(modes);
  codelet.known_as(precise_name<T>(kernel.name));
  add_gpu_implementation<T>(kernel.codelet, codelet);
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
