// Each function follows the kernel of its name in kernels/codelets.cpp: what it reads and writes, and what LAPACK's
// routines demand of their arguments. Names of matrices are those of kernels/codelets.hpp.
#include "kernels/checks/tile_conditions.hpp"

#include <array>
#include <limits>
#include <utility>

namespace troupe::kernels {

namespace {

constexpr std::string_view kOffset = "offset";
constexpr std::string_view kFirst = "first";

/// The argument `offset`: `count` rows from it on must lie in a matrix of `rows` rows.
std::int64_t offset(Conditions& c, std::size_t argument, std::int64_t count, std::int64_t rows) {
  return c.argument_up_to(argument, rows - count, kOffset);
}

/// `first`, where it is only for messages.
void first_of_messages(Conditions& c, std::size_t argument) { c.argument_up_to(argument, kLargestSize, kFirst); }

void potrf(Conditions& c) {
  offset(c, 0, c.data(0).cols, c.data(0).rows);
  first_of_messages(c, 1);
}

void trsm_right(Conditions& c) {
  const Layout& d = c.data(0);
  c.require(c.data(1).cols == d.cols, "A must have as many columns as D");
  offset(c, 0, d.cols, d.rows);
}

void syrk(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& own = c.data(1);
  c.require(a.rows == own.rows, "A must have as many rows as C");
  offset(c, 0, own.cols, own.rows);
}

void gemm_nt(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& b = c.data(1);
  const Layout& own = c.data(2);
  c.require(a.rows == own.rows, "A must have as many rows as C");
  c.require(a.cols == b.cols, "A must have as many columns as B");
  offset(c, 0, own.cols, b.rows);
}

void gemm_nn(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& b = c.data(1);
  const Layout& own = c.data(2);
  c.require(a.rows == own.rows, "A must have as many rows as C");
  c.require(b.cols == own.cols, "B must have as many columns as C");
  offset(c, 0, a.cols, b.rows);
}

void gemm_tn(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& b = c.data(1);
  const Layout& own = c.data(2);
  c.require(a.rows == b.rows, "A must have as many rows as B");
  c.require(b.cols == own.cols, "B must have as many columns as C");
  offset(c, 0, a.cols, own.rows);
}

void solve(Conditions& c) {
  const Layout& d = c.data(0);
  c.require(c.data(1).rows == d.rows, "B must have as many rows as D");
  offset(c, 0, d.cols, d.rows);
}

void getrf_panel(Conditions& c) {
  const Layout& a = c.data(0);
  c.require(c.data(1).elements() == a.cols, "P must have as many elements as A has columns");
  c.argument_up_to(0, a.rows - a.cols, kFirst);
}

void swap_and_solve(Conditions& c) {
  const Layout& d = c.data(0);
  const std::int64_t pivots = c.data(1).elements();
  const Layout& own = c.data(2);
  c.require(pivots <= own.rows, "C must have a row for each pivot");
  if (!c.ok()) return;
  const std::int64_t above = offset(c, 0, d.cols, d.rows);
  const std::int64_t first = c.argument_up_to(1, own.rows - pivots, kFirst);
  c.require(first >= above && d.rows <= own.rows && first - above <= own.rows - d.rows,
            "the rows of C from first - offset on must face those of D");
}

void swap_rows(Conditions& c) {
  const std::int64_t pivots = c.data(0).elements();
  c.require(pivots <= c.data(1).rows, "C must have a row for each pivot");
  c.argument_up_to(0, pivots, kFirst);
}

/// T of `columns` reflectors: LAPACK's inner block is its number of rows.
void inner_block(Conditions& c, const Layout& t, std::int64_t columns) {
  c.require(t.cols == columns, "T must have a column for each reflector");
  c.require(columns == 0 || (t.rows >= 1 && t.rows <= columns),
            "T must have at least one row, and at most as many as columns");
}

void geqrt(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& v = c.data(2);
  c.require(a.rows >= a.cols, "A must have at least as many rows as columns");
  inner_block(c, c.data(1), a.cols);
  c.require(v.rows == a.rows && v.cols == a.cols, "V must be as large as A");
}

void gemqrt(Conditions& c) {
  const Layout& v = c.data(0);
  c.require(v.rows >= v.cols, "V must have at least as many rows as columns");
  c.require(v.rows == c.data(2).rows, "V must have as many rows as C");
  inner_block(c, c.data(1), v.cols);
}

void tpqrt(Conditions& c) {
  const Layout& upper = c.data(0);
  const Layout& b = c.data(1);
  c.require(upper.rows >= b.cols && upper.cols >= b.cols, "R must have as many rows and columns as B has columns");
  inner_block(c, c.data(2), b.cols);
}

void tpmqrt(Conditions& c) {
  const Layout& v = c.data(0);
  const Layout& a = c.data(2);
  const Layout& b = c.data(3);
  c.require(v.rows == b.rows, "V must have as many rows as B");
  c.require(a.rows >= v.cols, "A must have at least as many rows as V has columns");
  c.require(a.cols == b.cols, "A must have as many columns as B");
  inner_block(c, c.data(1), v.cols);
}

void fill_symmetric(Conditions& c) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  c.argument_up_to(0, kMost, "row");
  c.argument_up_to(1, kMost, "col");
}

using Demands = void (*)(Conditions&);
constexpr std::array<std::pair<std::string_view, Demands>, 22> kAll{{
    {"potrf", potrf},
    {"trsm_cholesky", trsm_right},
    {"syrk", syrk},
    {"gemm_nt", gemm_nt},
    {"gemm_nn", gemm_nn},
    {"gemm_tn", gemm_tn},
    {"solve_lower", solve},
    {"solve_unit_lower", solve},
    {"solve_lower_transposed", solve},
    {"solve_upper", solve},
    {"getrf_without_pivoting", potrf},
    {"trsm_right_upper", trsm_right},
    {"getrf_panel", getrf_panel},
    {"swap_and_solve", swap_and_solve},
    {"swap_rows", swap_rows},
    {"geqrt", geqrt},
    {"gemqrt", gemqrt},
    {"gemqrt_transposed", gemqrt},
    {"tpqrt", tpqrt},
    {"tpmqrt", tpmqrt},
    {"tpmqrt_transposed", tpmqrt},
    {"fill_symmetric", fill_symmetric},
}};

}  // namespace

void (*tile_conditions(std::string_view name))(Conditions&) {
  for (const auto& [known, conditions] : kAll) {
    if (known == name) return conditions;
  }
  return nullptr;
}

}  // namespace troupe::kernels
