// Each function checks the conditions of the kernel with the same name in kernels/codelets.cpp: the kernel must not
// read or write outside of its data, and LAPACK's routines must accept their arguments. Matrices have the same names as
// in kernels/codelets.hpp.
#include "kernels/checks/tile_conditions.hpp"

#include <limits>
#include <span>

namespace troupe::kernels::demands {

namespace {

constexpr std::string_view kOffset = "offset";
constexpr std::string_view kFirst = "first";

/// Checks the argument `offset`: `count` rows from row `offset` on must lie in a matrix of `rows` rows. Returns
/// `offset`.
std::int64_t offset(Conditions& c, std::size_t argument, std::int64_t count, std::int64_t rows) {
  return c.argument_up_to(argument, rows - count, kOffset);
}

/// Checks `first` for a codelet that needs it only for messages.
void first_of_messages(Conditions& c, std::size_t argument) { c.argument_up_to(argument, kLargestSize, kFirst); }

/// Checks a block column, whose tiles must have equally many columns, and returns its number of rows. The arguments
/// `offset` and `first` give the first of the `exchanged` rows.
std::int64_t block_column(Conditions& c, std::span<const Layout> tiles, std::int64_t exchanged) {
  std::int64_t rows = 0;
  for (const Layout& tile : tiles) {
    c.require(tile.cols == tiles.front().cols, "all tiles must have as many columns");
    rows += tile.rows;
    c.require(rows <= kLargestSize, "the tiles must have at most 2147483647 rows together");
    if (!c.ok()) return 0;
  }
  const std::int64_t above = offset(c, 0, exchanged, rows);
  // Row numbers of the whole matrix must fit into 32 bits.
  const std::int64_t first = c.argument_up_to(1, kLargestSize - rows, kFirst);
  c.require(first >= above, "first must be at least offset");
  return rows;
}

/// Checks T for `columns` reflectors: the number of rows of T is LAPACK's inner block size.
void inner_block(Conditions& c, const Layout& t, std::int64_t columns) {
  c.require(t.cols == columns, "T must have a column for each reflector");
  c.require(columns == 0 || (t.rows >= 1 && t.rows <= columns),
            "T must have at least one row, and at most as many as columns");
}

/// Checks L for `columns` columns of a pair of tiles: the number of rows of L is the inner block size.
void pair_factors(Conditions& c, const Layout& l, const Layout& pivots, std::int64_t columns) {
  c.require(l.cols == columns && pivots.elements() == columns,
            "L must have as many columns, and P as many elements, as B has columns");
  c.require(columns == 0 || (l.rows >= 1 && l.rows <= columns),
            "L must have at least one row, and at most as many as columns");
}

/// Checks the argument `last`, which is 0 or 1.
void flag(Conditions& c, std::size_t argument) { c.argument_up_to(argument, 1, "last"); }

/// Checks that row numbers of a pair fit into 32 bits.
void rows_of_pair(Conditions& c, const Layout& b) {
  c.require(b.rows <= kLargestSize - b.cols, "U and B must have at most 2147483647 rows together");
}

}  // namespace

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
  const auto tiles = c.group(1);
  c.require(c.data(0).elements() == tiles.front().cols, "P must have as many elements as A has columns");
  block_column(c, tiles, tiles.front().cols);
}

void swap_and_solve(Conditions& c) {
  const Layout& d = c.data(0);
  const auto tiles = c.group(2);
  const std::int64_t pivots = c.data(1).elements();
  block_column(c, tiles, pivots);
  offset(c, 0, d.cols, d.rows);
  c.require(tiles.front().rows >= d.rows, "the first tile of C must have the rows that face D");
}

void swap_rows(Conditions& c) {
  std::int64_t pivots = 0;
  for (const Layout& piece : c.group(0)) {
    pivots += piece.elements();
    c.require(pivots <= kLargestSize, "there must be at most 2147483647 pivots");
    if (!c.ok()) return;
  }
  block_column(c, c.group(1), pivots);
}

void getrf_incpiv(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& v = c.data(1);
  c.require(v.rows >= a.cols, "V must have at least as many rows as A has columns");
  c.require(v.rows <= a.rows && v.cols == a.cols, "V must have as many columns as A, and at most as many rows");
  c.require(c.data(2).elements() == a.cols, "P must have as many elements as A has columns");
  first_of_messages(c, 0);
  flag(c, 1);
}

void gessm(Conditions& c) {
  const Layout& v = c.data(0);
  c.require(v.rows >= v.cols, "V must have at least as many rows as columns");
  c.require(v.rows <= c.data(2).rows, "V must have at most as many rows as C");
  c.require(c.data(1).elements() == v.cols, "P must have as many elements as V has columns");
}

void tstrf(Conditions& c) {
  const Layout& upper = c.data(0);
  const Layout& b = c.data(1);
  c.require(upper.rows >= b.cols && upper.cols >= b.cols, "U must have as many rows and columns as B has columns");
  rows_of_pair(c, b);
  offset(c, 0, b.cols, upper.rows);
  first_of_messages(c, 1);
  flag(c, 2);
  pair_factors(c, c.data(2), c.data(3), b.cols);
}

void ssssm(Conditions& c) {
  const Layout& b = c.data(0);
  const Layout& a = c.data(3);
  c.require(c.data(4).rows == b.rows, "C must have as many rows as B");
  c.require(a.rows >= b.cols, "A must have at least as many rows as B has columns");
  c.require(a.cols == c.data(4).cols, "A must have as many columns as C");
  rows_of_pair(c, b);
  offset(c, 0, b.cols, a.rows);
  pair_factors(c, c.data(1), c.data(2), b.cols);
}

void geqrt(Conditions& c) {
  const Layout& a = c.data(0);
  const Layout& v = c.data(2);
  c.require(v.rows >= a.cols, "V must have at least as many rows as A has columns");
  inner_block(c, c.data(1), a.cols);
  c.require(v.rows <= a.rows && v.cols == a.cols, "V must have as many columns as A, and at most as many rows");
}

void gemqrt(Conditions& c) {
  const Layout& v = c.data(0);
  c.require(v.rows >= v.cols, "V must have at least as many rows as columns");
  c.require(v.rows <= c.data(2).rows, "V must have at most as many rows as C");
  inner_block(c, c.data(1), v.cols);
}

void tpqrt(Conditions& c) {
  const Layout& upper = c.data(0);
  const Layout& b = c.data(1);
  c.require(upper.rows >= b.cols && upper.cols >= b.cols, "R must have as many rows and columns as B has columns");
  offset(c, 0, b.cols, upper.rows);
  inner_block(c, c.data(2), b.cols);
}

void tpmqrt(Conditions& c) {
  const Layout& v = c.data(0);
  const Layout& a = c.data(2);
  const Layout& b = c.data(3);
  c.require(v.rows == b.rows, "V must have as many rows as B");
  c.require(a.rows >= v.cols, "A must have at least as many rows as V has columns");
  c.require(a.cols == b.cols, "A must have as many columns as B");
  offset(c, 0, v.cols, a.rows);
  inner_block(c, c.data(1), v.cols);
}

void fill_symmetric(Conditions& c) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  c.argument_up_to(0, kMost, "row");
  c.argument_up_to(1, kMost, "col");
}

}  // namespace troupe::kernels::demands
