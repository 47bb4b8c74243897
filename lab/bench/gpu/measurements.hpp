/// The measurements of `troupe-gpu-bench`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/runtime_options.hpp"

namespace troupe::bench {

struct GpuBenchOptions {
  /// The number of GPUs that Troupe uses. With 0, only cores work and there are no peers: a test that the program
  /// works.
  int gpus = 1;
  /// The orders of four kinds of matrices: those that lie in the GPU's memory, one that does not fit there, those of
  /// the product, and the one on which policies are compared. They are multiples of the edges of the tiles.
  std::vector<std::int64_t> in_memory{32768, 65536};
  std::int64_t out_of_core = 65536;
  std::int64_t product = 32768;
  std::int64_t policies = 24576;
  std::int64_t tile = 2048;
  std::int64_t policy_tile = 1024;
  /// The rows of the blocks of super-blocks, and the numbers of blocks on their sides, for batched products.
  std::int64_t block = 192;
  std::vector<int> supers{5, 8};
  /// The number of measurements of each figure, in turn with its peer, after one warm-up.
  int rounds = 3;
  /// The policy for measurements in which the GPU works alone.
  std::string policy = "heft";
  std::vector<std::string> compared_policies{"heft", "dada:alpha=0.5,cp", "homeward"};
};

/// One line of the report.
struct GpuFigure {
  /// The measured work, such as "Cholesky, n = 32768, in the GPU's memory".
  std::string what;
  /// The medians. The peer's time is 0 if there is no peer.
  double seconds = 0;
  double gflops = 0;
  std::string peer;
  double peer_seconds = 0;
  /// The peer's time over Troupe's (the median of the rounds), and the target for this ratio; 0 if there is none.
  double ratio = 0;
  double target = 0;
  /// The scaled residuals, see `residual_of`; must be below 30.
  double residual = 0;
  double peer_residual = 0;
  /// The calls of libraries and launches of kernels of one task, if they are counted; otherwise 0.
  double launches = 0;
  /// The mean of |measured - predicted| / measured over the tasks of the measured runs; below zero if none was
  /// predicted.
  double prediction_error = -1;
  /// The description of a failure; empty if nothing failed.
  std::string failure;

  [[nodiscard]] bool accepted() const;
};

// The functions below do not throw: a failure is in the figure.

/// Measures Cholesky with the matrix made, factorized and checked on the GPU, beside cuSOLVER's.
[[nodiscard]] GpuFigure measure_in_memory(const GpuBenchOptions& options, std::int64_t n);
/// Measures Cholesky with memory for a quarter of the matrix, from host memory to host memory, beside Troupe's own
/// speed in memory (`in_memory_gflops`, for the largest matrix that was measured).
[[nodiscard]] GpuFigure measure_out_of_core(const GpuBenchOptions& options, double in_memory_gflops);
/// Measures a matrix product from host memory to host memory, beside cuBLASXt's.
[[nodiscard]] GpuFigure measure_product(const GpuBenchOptions& options);
/// Measures a product of full super-blocks of `super` x `super` blocks in the GPU's memory, as batched calls, beside
/// one call of cuBLAS' gemm for matrices of the same order. `T` is float or double.
template <class T>
[[nodiscard]] GpuFigure measure_batched_product(const GpuBenchOptions& options, int super);
/// Measures Cholesky on the GPU and all cores under one policy.
[[nodiscard]] GpuFigure measure_policy(const GpuBenchOptions& options, const std::string& policy);

}  // namespace troupe::bench
