/// Helper functions for the files that make tile codelets. Only those files include this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/blas_threads.hpp"
#include "kernels/block_rows.hpp"
#include "kernels/checks/conditions.hpp"
#include "kernels/factor.hpp"
#include "kernels/gpu_environment.hpp"
#include "kernels/products.hpp"
#include "troupe/codelet.hpp"

namespace troupe::kernels::tiles {

/// The modes of a codelet's data, in their order, as the kernel's row says (`TileKernel::parameters`).
using Modes = std::vector<AccessMode>;

template <class T>
using In = MatrixView<const T>;
template <class T>
using Out = MatrixView<T>;

/// Makes the environment that tile codelets need: BLAS with one thread, and the resources of GPUs.
inline std::shared_ptr<void> tile_environment() {
  using Both = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
  return std::make_shared<Both>(single_threaded_blas(), gpu_environment());
}

/// Makes a codelet with `tile_environment`. `kernel` is for teams; a core is a team of one. `flops` is a function of
/// the context.
template <class F, class Flops>
Codelet make(const char* name, const Modes& modes, F kernel, Flops flops) {
  return Codelet(name, modes).cpu_team(kernel).flops(flops).environment(tile_environment);
}

inline double rows(const KernelContext& c, std::size_t i) { return static_cast<double>(c.data(i).layout.rows); }
inline double cols(const KernelContext& c, std::size_t i) { return static_cast<double>(c.data(i).layout.cols); }

/// Returns the number of rows below the diagonal block of handle 0, where argument 0 is `offset`.
inline double rows_below_block(const KernelContext& c) {
  return rows(c, 0) - static_cast<double>(c.argument<std::int64_t>(0)) - cols(c, 0);
}

/// Computes B <- B - op(A) X.
template <class T>
void subtract(char trans, In<T> a, Out<T> x, Out<T> b) {
  multiply(trans, 'N', T{-1}, a, constant(x), T{1}, b);
}

/// Solves with the lower triangle of D's diagonal block for the rows of B beside this block, and subtracts the products
/// of the solution with the rows of D below the block from the rows of B below.
template <class T>
void solve_forward(char diag, In<T> d, Out<T> b, std::int64_t offset) {
  const Out<T> facing = rows_from(b, offset, d.cols);
  solve_triangular('L', 'L', 'N', diag, rows_from(d, offset, d.cols), facing);
  subtract<T>('N', rows_below(d, offset + d.cols), facing, rows_below(b, offset + d.cols));
}

/// Divides the columns of B among the members of a team: each member calls `solve` with its columns.
template <class T, class F>
void for_columns(Team& team, Out<T> b, F solve) {
  split_among(team, b.cols, kColumnStep,
              [&](std::int64_t first, std::int64_t count) { solve(columns_from(b, first, count)); });
}

/// Returns the number of operations of LU with partial pivoting of a panel.
inline double panel_flops(double rows, double cols) { return rows * cols * cols - cols * cols * cols / 3; }

// Conditions (`TileKernel::conditions`) that several kernels have.
/// Checks the argument `offset`: `count` rows from row `offset` on must lie in a matrix of `rows` rows. Returns
/// `offset`.
inline std::int64_t offset_of(Conditions& c, std::size_t argument, std::int64_t count, std::int64_t rows) {
  return c.argument_up_to(argument, rows - count, "offset");
}
/// Checks `first` for a codelet that uses `first` only in messages.
inline void first_in_messages(Conditions& c, std::size_t argument) {
  c.argument_up_to(argument, kLargestSize, "first");
}

}  // namespace troupe::kernels::tiles
