/// The measurements of `troupe-gpu-bench`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/runtime_options.hpp"

namespace troupe::bench {

struct GpuBenchOptions {
  /// The number of GPUs that Troupe uses. With 0, only cores work and there is no peer: this tests the program itself.
  int gpus = 1;
  /// The orders of the matrices in four kinds of measurements: matrices that fit into the GPU's memory, a matrix that
  /// does not fit there, matrices of a product, and the matrix on which policies are compared. All are multiples of the
  /// tile's edge.
  std::vector<std::int64_t> in_memory{32768, 65536};
  std::int64_t out_of_core = 65536;
  std::int64_t product = 32768;
  std::int64_t policies = 24576;
  std::int64_t tile = 2048;
  std::int64_t policy_tile = 1024;
  /// For batched products: the rows of a block, and the numbers of blocks on a side of a super-block.
  std::int64_t block = 192;
  std::vector<int> supers{5, 8};
  /// The number of measurements of each figure after one warm-up. Troupe's measurements and the peer's alternate.
  int rounds = 3;
  /// The policy for measurements in which the GPU works alone.
  std::string policy = "heft";
  std::vector<std::string> compared_policies{"heft", "dada:alpha=0.5,cp", "homeward"};
};

/// One line of the report.
struct GpuFigure {
  /// The measured work, such as "Cholesky, n = 32768, in the GPU's memory".
  std::string what;
  /// The medians of the rounds. The peer's time is 0 if there is no peer.
  double seconds = 0;
  double gflops = 0;
  std::string peer;
  double peer_seconds = 0;
  /// The peer's time divided by Troupe's (the median of the rounds), and the target for this ratio; 0 if there is none.
  double ratio = 0;
  double target = 0;
  /// The scaled residuals (see `residual_of`), which must be below 30.
  double residual = 0;
  double peer_residual = 0;
  /// The number of library calls and kernel launches for one task, if they are counted; otherwise 0.
  double launches = 0;
  /// The mean of |measured - predicted| / measured over the tasks of the measured runs; negative if no task's time was
  /// predicted.
  double prediction_error = -1;
  /// The description of a failure; empty if nothing failed.
  std::string failure;

  [[nodiscard]] bool accepted() const;
};

// The functions below do not throw: if a measurement fails, the figure says why.

/// Measures Cholesky in the GPU's memory (the matrix is generated, factorized and checked there), compared with
/// cuSOLVER.
[[nodiscard]] GpuFigure measure_in_memory(const GpuBenchOptions& options, std::int64_t n);
/// Measures Cholesky from host memory to host memory, with GPU memory for a quarter of the matrix. Compared with
/// Troupe's own speed in memory (`in_memory_gflops`, measured for the largest matrix).
[[nodiscard]] GpuFigure measure_out_of_core(const GpuBenchOptions& options, double in_memory_gflops);
/// Measures a matrix product from host memory to host memory, compared with cuBLASXt.
[[nodiscard]] GpuFigure measure_product(const GpuBenchOptions& options);
/// Measures a product of full super-blocks of `super` x `super` blocks in the GPU's memory, as batched calls. Compared
/// with one call of cuBLAS' gemm for matrices of the same order. `T` is float or double.
template <class T>
[[nodiscard]] GpuFigure measure_batched_product(const GpuBenchOptions& options, int super);
/// Measures Cholesky on the GPU and all cores with one policy.
[[nodiscard]] GpuFigure measure_policy(const GpuBenchOptions& options, const std::string& policy);

}  // namespace troupe::bench
