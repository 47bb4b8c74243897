/// The peers of Troupe on a GPU: NVIDIA's own libraries, on the same data.
#pragma once

#include <cstdint>
#include <memory>

#include "lab/bench/gpu/generated_system.hpp"

namespace troupe::bench {

/// cuSOLVER's Cholesky factorization (cusolverDnXpotrf) of a generated matrix, in one piece of the first GPU's memory.
class CusolverCholesky {
 public:
  /// Takes memory for the whole matrix. Throws `out_of_memory`, or `platform` if the library cannot be used.
  explicit CusolverCholesky(const GeneratedSystem& system);
  ~CusolverCholesky();
  CusolverCholesky(const CusolverCholesky&) = delete;
  CusolverCholesky& operator=(const CusolverCholesky&) = delete;

  /// Makes the matrix and factorizes it. Returns the seconds of the factorization. Throws `numerical`.
  [[nodiscard]] double factorize();
  /// Returns the residual of the last factorization, as defined by `residual_of`.
  [[nodiscard]] double residual();

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// Computes C <- C - A B by cuBLASXt on the first GPU, for column-major square matrices in pinned host memory. Returns
/// the seconds, with all data in host memory at the beginning and at the end. `block` is the edge of the blocks that it
/// moves; 0 means that cuBLASXt chooses.
[[nodiscard]] double cublasxt_product(std::int64_t n, const double* a, const double* b, double* c, int block);

/// Returns the reason why there is no GPU; empty if there is one.
[[nodiscard]] std::string why_no_gpu();
/// Returns a description such as "NVIDIA H200, 132 multiprocessors, 139 GiB".
[[nodiscard]] std::string gpu_description();

}  // namespace troupe::bench
