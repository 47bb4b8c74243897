/// Helper functions for the files that make tile codelets. Only those files include this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/blas_threads.hpp"
#include "kernels/block_rows.hpp"
#include "kernels/gpu_environment.hpp"
#include "kernels/products.hpp"
#include "troupe/codelet.hpp"

namespace troupe::kernels::tiles {

constexpr AccessMode r = AccessMode::read;
constexpr AccessMode w = AccessMode::write;
constexpr AccessMode rw = AccessMode::read_write;

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
Codelet make(const char* name, std::vector<AccessMode> modes, F kernel, Flops flops) {
  return Codelet(name, std::move(modes)).cpu_team(kernel).flops(flops).environment(tile_environment);
}

inline double rows(const KernelContext& c, std::size_t i) { return static_cast<double>(c.data(i).layout.rows); }
inline double cols(const KernelContext& c, std::size_t i) { return static_cast<double>(c.data(i).layout.cols); }

/// Divides the columns of B among the members of a team: each member calls `solve` with its columns.
template <class T, class F>
void for_columns(Team& team, Out<T> b, F solve) {
  split_among(team, b.cols, kColumnStep,
              [&](std::int64_t first, std::int64_t count) { solve(columns_from(b, first, count)); });
}

/// Returns the number of operations of LU with partial pivoting of a panel.
inline double panel_flops(double rows, double cols) { return rows * cols * cols - cols * cols * cols / 3; }

}  // namespace troupe::kernels::tiles
