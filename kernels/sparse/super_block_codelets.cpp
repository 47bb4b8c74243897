#include "kernels/sparse/super_block_codelets.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/blas_threads.hpp"
#include "kernels/breakdown.hpp"
#include "kernels/gpu_environment.hpp"
#include "kernels/sparse/super_block_steps.hpp"
#include "kernels/sparse/super_blocks_on_gpus.hpp"

namespace troupe::kernels {
namespace {

/// Makes the environment that these codelets need: BLAS with one thread, and the resources of GPUs.
std::shared_ptr<void> super_block_environment() {
  using Both = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
  return std::make_shared<Both>(single_threaded_blas(), gpu_environment());
}

template <class Flops>
Codelet on_super_blocks(Codelet codelet, Flops flops) {
  return std::move(codelet).flops(flops).environment(super_block_environment);
}

/// Makes a codelet for the step that `make(views, masks, side)` returns. The super-blocks that the step only reads come
/// first.
template <class Make, class Flops, class... P>
Codelet of_step(const char* name, std::vector<AccessMode> modes, SuperTasks tasks, Make make, Flops flops,
                void (* /*signature*/)(P...)) {
  Codelet codelet(tasks == SuperTasks::pieces ? std::string(name) + "_pieces" : name, std::move(modes));
  if (tasks == SuperTasks::pieces) {
    codelet.pieces([make](P... of) { return make(of...).count(); },
                   [make](std::size_t i, P... of) { make(of...).piece(static_cast<int>(i)); });
  } else {
    codelet.cpu_team([make](Team& team, P... of) {
      const auto step = make(of...);
      team.for_each(static_cast<std::size_t>(step.count()), [&](std::size_t i) { step.piece(static_cast<int>(i)); });
    });
  }
  return on_super_blocks(std::move(codelet), flops);
}

BlockMask mask_of(const KernelContext& c, std::size_t argument) { return c.argument<BlockMask>(argument); }
int side_of(const KernelContext& c, std::size_t argument) {
  return static_cast<int>(c.argument<std::int64_t>(argument));
}
std::int64_t block_of(const KernelContext& c) { return c.data(0).layout.rows; }

constexpr AccessMode kRead = AccessMode::read;
constexpr AccessMode kChange = AccessMode::read_write;

template <class T>
Codelet factorize_codelet() {
  const auto kernel = [](Team&, MatrixView<T> d, std::span<std::int64_t> report, BlockMask mask, std::int64_t side,
                         std::int64_t first, double least) {
    ReplacedPivots replaced;
    const int info = factorize_super_block(SuperBlock<T>(d, mask, side), static_cast<T>(least), replaced);
    if (info != 0) singular(first + info);
    report[0] = replaced.count;
    report[1] = first + replaced.first;
  };
  Codelet codelet = Codelet("getrf_super", {kChange, AccessMode::write}).cpu_team(kernel);
  return on_super_blocks(std::move(codelet), [](const KernelContext& c) {
    return factorization_flops(mask_of(c, 0), side_of(c, 1), block_of(c));
  });
}

template <class T>
using Solve = void (*)(MatrixView<const T>, MatrixView<T>, BlockMask, BlockMask, std::int64_t);
template <class T>
using Product = void (*)(MatrixView<const T>, MatrixView<const T>, MatrixView<T>, BlockMask, BlockMask, BlockMask,
                         std::int64_t);

template <class T>
Codelet solve_upper_codelet(SuperTasks tasks) {
  const auto make = [](MatrixView<const T> d, MatrixView<T> a, BlockMask of_d, BlockMask of_a, std::int64_t side) {
    return SolveWithUpper<T>({d, of_d, side}, {a, of_a, side});
  };
  const auto flops = [](const KernelContext& c) {
    return upper_solve_flops(mask_of(c, 0), mask_of(c, 1), side_of(c, 2), block_of(c));
  };
  return of_step("trsm_super", {kRead, kChange}, tasks, make, flops, Solve<T>());
}

template <class T>
Codelet solve_lower_codelet(SuperTasks tasks) {
  const auto make = [](MatrixView<const T> d, MatrixView<T> b, BlockMask of_d, BlockMask of_b, std::int64_t side) {
    return SolveWithLower<T>({d, of_d, side}, {b, of_b, side});
  };
  const auto flops = [](const KernelContext& c) {
    return lower_solve_flops(mask_of(c, 0), mask_of(c, 1), side_of(c, 2), block_of(c));
  };
  return of_step("trsm_super", {kRead, kChange}, tasks, make, flops, Solve<T>());
}

template <class T>
Codelet multiply_codelet(SuperTasks tasks) {
  const auto make = [](MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, BlockMask of_a, BlockMask of_b,
                       BlockMask of_c, std::int64_t side) {
    return SubtractProduct<T>({a, of_a, side}, {b, of_b, side}, {c, of_c, side});
  };
  const auto flops = [](const KernelContext& c) {
    return product_flops(mask_of(c, 0), mask_of(c, 1), mask_of(c, 2), side_of(c, 3), block_of(c));
  };
  return of_step("gemm_super", {kRead, kRead, kChange}, tasks, make, flops, Product<T>());
}

template <class T>
SuperBlockCodelets<T> made(SuperTasks tasks) {
  SuperBlockCodelets<T> all{factorize_codelet<T>(), solve_upper_codelet<T>(tasks), solve_lower_codelet<T>(tasks),
                            multiply_codelet<T>(tasks)};
  add_gpu_implementations(all);
  return all;
}

}  // namespace

template <class T>
const SuperBlockCodelets<T>& super_block_codelets(SuperTasks tasks) {
  static const SuperBlockCodelets<T> whole = made<T>(SuperTasks::whole);
  static const SuperBlockCodelets<T> in_pieces = made<T>(SuperTasks::pieces);
  return tasks == SuperTasks::pieces ? in_pieces : whole;
}

template const SuperBlockCodelets<float>& super_block_codelets(SuperTasks);
template const SuperBlockCodelets<double>& super_block_codelets(SuperTasks);

}  // namespace troupe::kernels
