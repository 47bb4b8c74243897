/// These are the parts that files which make tile codelets share. Only those files include this header.
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

/// Sets up the conditions under which tile codelets may run.
inline std::shared_ptr<void> tile_environment() {
  using Both = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
  return std::make_shared<Both>(single_threaded_blas(), gpu_environment());
}

/// Makes a codelet with this library's environment. `kernel` is for teams; a core is a team of one. `flops` is a
/// function of the context.
template <class F, class Flops>
Codelet make(const char* name, std::vector<AccessMode> modes, F kernel, Flops flops) {
  return Codelet(name, std::move(modes)).cpu_team(kernel).flops(flops).environment(tile_environment);
}

inline double rows(const KernelContext& c, std::size_t i) { return static_cast<double>(c.data(i).layout.rows); }
inline double cols(const KernelContext& c, std::size_t i) { return static_cast<double>(c.data(i).layout.cols); }

/// Solves for B with one triangle and updates other rows of B, in a team: `solve(part of B)` does so for a part of its
/// columns.
template <class T, class F>
void for_columns(Team& team, Out<T> b, F solve) {
  share(team, b.cols, kColumnStep,
        [&](std::int64_t first, std::int64_t count) { solve(columns_from(b, first, count)); });
}

/// Returns the operations of LU with partial pivoting of a panel.
inline double panel_flops(double rows, double cols) { return rows * cols * cols - cols * cols * cols / 3; }

}  // namespace troupe::kernels::tiles
