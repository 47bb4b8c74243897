/// Matrix products by one core and by a team, and the division of a team's work.
#pragma once

#include <cstdint>

#include "troupe/layout.hpp"
#include "troupe/team.hpp"

namespace troupe::kernels {

// Each member of a team calls BLAS by itself. The division of the work depends only on the shapes and the size of the
// team, so teams of the same size give the same bits.

/// Computes C <- alpha op(A) op(B) + beta C, where `ta` and `tb` are 'T' if A and B are transposed, else 'N'.
template <class T>
void multiply(char ta, char tb, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c);

/// Multiplies in a team, one block of C for each member.
template <class T>
void multiply(Team& team, char ta, char tb, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta,
              MatrixView<T> c);
/// Computes one member's block of C. Called by every member of a team, inside `Team::run`.
template <class T>
void multiply_own_block(int rank, int size, char ta, char tb, T alpha, MatrixView<const T> a, MatrixView<const T> b,
                        T beta, MatrixView<T> c);

/// Computes C <- C - A F^T on and below the diagonal. F consists of the first rows of A, as many as C has columns. A
/// and C have the same number of rows.
template <class T>
void subtract_square(Team& team, MatrixView<const T> a, MatrixView<T> c);

/// One member's range of rows or columns.
struct WorkRange {
  std::int64_t first;
  std::int64_t count;
};
/// Returns one member's range of `all` rows or columns. The sizes of ranges are multiples of `step`, except for the
/// last range. If there are fewer steps than members, some ranges are empty.
WorkRange work_range_of(std::int64_t all, int rank, int size, std::int64_t step);

/// The numbers of rows and columns that the innermost loops of products process at once. A product on one core wastes
/// less work if the sizes of its block are multiples of these numbers.
constexpr std::int64_t kRowStep = 16;
constexpr std::int64_t kColumnStep = 8;

/// Calls `work(first, count)` in each member that gets a range.
template <class F>
void split_among(Team& team, std::int64_t all, std::int64_t step, F work) {
  if (team.size() == 1) return work(std::int64_t{0}, all);
  team.run([&](int rank, int size) {
    const WorkRange own = work_range_of(all, rank, size, step);
    if (own.count > 0) work(own.first, own.count);
  });
}

}  // namespace troupe::kernels
