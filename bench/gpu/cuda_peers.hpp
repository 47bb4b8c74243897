/// What Troupe is compared with on a GPU: NVIDIA's own libraries, on the same data.
#pragma once

#include <cstdint>
#include <memory>

#include "bench/gpu/generated_system.hpp"

namespace troupe::bench {

/// cuSOLVER's Cholesky factorization (cusolverDnXpotrf) of a generated matrix, in one piece of the first GPU's memory.
class CusolverCholesky {
 public:
  /// Takes memory for the whole matrix. Throws `out_of_memory`, or `platform` where the library cannot be used.
  explicit CusolverCholesky(const GeneratedSystem& system);
  ~CusolverCholesky();
  CusolverCholesky(const CusolverCholesky&) = delete;
  CusolverCholesky& operator=(const CusolverCholesky&) = delete;

  /// Makes the matrix and factorizes it; the seconds of the factorization. Throws `numerical`.
  [[nodiscard]] double factorize();
  /// As `residual_of`, from the last factorization.
  [[nodiscard]] double residual();

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// cuBLASXt's matrix product C <- C - A B on the first GPU, of column-major square matrices in pinned host memory:
/// seconds, with all data in host memory at the beginning and at the end. `block`: the edge of the blocks that it
/// moves; 0: as it chooses.
[[nodiscard]] double cublasxt_product(std::int64_t n, const double* a, const double* b, double* c, int block);

/// Why there is no GPU; empty where there is one.
[[nodiscard]] std::string why_no_gpu();
/// "NVIDIA H200, 132 multiprocessors, 139 GiB".
[[nodiscard]] std::string gpu_description();

}  // namespace troupe::bench
