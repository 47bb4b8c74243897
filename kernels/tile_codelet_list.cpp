#include "kernels/tile_codelet_list.hpp"

#include <type_traits>

namespace troupe::kernels {

template <class T>
std::span<const TileCodeletEntry<T>> tile_codelet_list() {
  using C = TileCodelets<T>;
  static constexpr TileCodeletEntry<T> kList[]{
      {"potrf", &C::potrf, "Cholesky factor of a diagonal tile, and the rows below it solved with it",
       "D; offset, first"},
      {"trsm_cholesky", &C::trsm_cholesky, "A <- A L^-T with the lower triangle of a diagonal tile", "D, A; offset"},
      {"syrk", &C::syrk, "C <- C - A A^T, lower triangle of the diagonal block, and the rows below it", "A, C; offset"},
      {"gemm_nt", &C::gemm_nt, "C <- C - A B^T", "A, B, C; offset"},
      {"gemm_nn", &C::gemm_nn, "C <- C - A B", "A, B, C; offset"},
      {"gemm_tn", &C::gemm_tn, "C <- C - A^T B", "A, B, C; offset"},
      {"solve_lower", &C::solve_lower, "B <- L^-1 B with a diagonal tile, and the rows below brought up to date",
       "D, B; offset"},
      {"solve_unit_lower", &C::solve_unit_lower, "the same with a unit diagonal", "D, B; offset"},
      {"solve_lower_transposed", &C::solve_lower_transposed, "B <- L^-T B, after the rows below were taken off",
       "D, B; offset"},
      {"solve_upper", &C::solve_upper, "B <- U^-1 B with a diagonal tile, and the rows above brought up to date",
       "D, B; offset"},
      {"getrf_without_pivoting", &C::getrf_without_pivoting, "LU without pivoting of a diagonal tile",
       "D; offset, first"},
      {"trsm_right_upper", &C::trsm_right_upper, "A <- A U^-1 with the upper triangle of a diagonal tile",
       "D, A; offset"},
      {"getrf_panel", &C::getrf_panel, "LU with partial pivoting of a block column, from a row on",
       "P, A; offset, first"},
      {"swap_and_solve", &C::swap_and_solve, "exchanges rows by pivots, then solves with a unit lower triangle",
       "D, P, C; offset, first"},
      {"swap_rows", &C::swap_rows, "exchanges rows by pivots", "P, C; offset, first"},
      {"getrf_incpiv", &C::getrf_incpiv, "LU of a tile with pivoting inside it; factors beside it",
       "A, V, P; first, last"},
      {"gessm", &C::gessm, "C <- L^-1 P C with the factors of getrf_incpiv", "V, P, C"},
      {"gessm_back", &C::gessm_back, "C <- P^T L C with the factors of getrf_incpiv", "V, P, C"},
      {"tstrf", &C::tstrf, "LU of a triangle on top of a tile with pivoting between the two",
       "U, B, L, P; offset, first, last"},
      {"ssssm", &C::ssssm, "what tstrf has eliminated, in another column of tiles", "B, L, P, A, C; offset"},
      {"ssssm_back", &C::ssssm_back, "the inverse of ssssm", "B, L, P, A, C; offset"},
      {"geqrt", &C::geqrt, "QR of a tile; reflectors beside it", "A, T, V"},
      {"gemqrt", &C::gemqrt, "C <- Q C with the reflectors of geqrt", "V, T, C"},
      {"gemqrt_transposed", &C::gemqrt_transposed, "C <- Q^T C with the reflectors of geqrt", "V, T, C"},
      {"tpqrt", &C::tpqrt, "QR of a triangle on top of a tile", "R, B, T; offset"},
      {"tpmqrt", &C::tpmqrt, "[A; B] <- Q [A; B] with the reflectors of tpqrt", "V, T, A, B; offset"},
      {"tpmqrt_transposed", &C::tpmqrt_transposed, "[A; B] <- Q^T [A; B] with the reflectors of tpqrt",
       "V, T, A, B; offset"},
      {"fill_symmetric", &C::fill_symmetric, "a part of a symmetric random matrix, computed where it is needed",
       "A; row, col, seed, diagonal"},
  };
  // Each member must have a line: a codelet that was added without one would have no check.
  static_assert(std::size(kList) * sizeof(Codelet) == sizeof(C));
  return kList;
}

template <class T>
std::string precise_name(std::string_view name) {
  return std::string(name) + (std::is_same_v<T, float> ? "/float" : "/double");
}

template std::span<const TileCodeletEntry<float>> tile_codelet_list();
template std::span<const TileCodeletEntry<double>> tile_codelet_list();
template std::string precise_name<float>(std::string_view);
template std::string precise_name<double>(std::string_view);

}  // namespace troupe::kernels
