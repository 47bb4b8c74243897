/// The libraries that Troupe on a GPU is compared with (its peers): NVIDIA's own, on the same data.
#pragma once

#include <cstdint>
#include <memory>

#include "lab/bench/gpu/generated_system.hpp"

namespace troupe::bench {

/// The Cholesky factorization of cuSOLVER (cusolverDnXpotrf). It factorizes a generated matrix, which lies in one block
/// in the first GPU's memory.
class CusolverCholesky {
 public:
  /// Allocates memory for the whole matrix. Throws `out_of_memory`, or `platform` if the library cannot be used.
  explicit CusolverCholesky(const GeneratedSystem& system);
  ~CusolverCholesky();
  CusolverCholesky(const CusolverCholesky&) = delete;
  CusolverCholesky& operator=(const CusolverCholesky&) = delete;

  /// Generates the matrix and factorizes it. Returns the seconds of the factorization. Throws `numerical`.
  [[nodiscard]] double factorize();
  /// Returns the residual of the last factorization, as defined by `residual_of`.
  [[nodiscard]] double residual();

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// Computes C <- C - A B with cuBLASXt on the first GPU, for column-major square matrices in pinned host memory.
/// Returns the seconds, with all data in host memory at the beginning and at the end. `block` is the edge of the blocks
/// that cuBLASXt copies; 0 means that cuBLASXt chooses it.
[[nodiscard]] double cublasxt_product(std::int64_t n, const double* a, const double* b, double* c, int block);

/// Returns the reason why no GPU can be used; empty if there is one.
[[nodiscard]] std::string why_no_gpu();
/// Returns a description such as "NVIDIA H200, 132 multiprocessors, 139 GiB".
[[nodiscard]] std::string gpu_description();

}  // namespace troupe::bench
