/// A matrix product on tiles, from host memory to host memory.
#pragma once

#include <cstdint>

#include "lab/bench/gpu/tiles_of_memory.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {

/// Computes C <- C - A B for generated square matrices, repeatedly.
class TiledProduct {
 public:
  /// Allocates host memory for three matrices. `n` must be a multiple of `tile`.
  TiledProduct(Runtime& runtime, std::int64_t n, std::int64_t tile);

  /// Generates the matrices, brings them to host memory, multiplies, and brings C to host memory. Returns the seconds
  /// from the beginning of the multiplication to the end.
  [[nodiscard]] double multiply();
  /// Returns |(C - (C' - A B)) x| / (n |A| |B| |x| eps) in the maximum norm for a random x, where C' is C before the
  /// last `multiply`. The norms are replaced by n/4, which is about their value for elements in (-1/2, 1/2).
  [[nodiscard]] double residual();
  /// Multiplies with cuBLASXt, which takes the same memory as column-major matrices. Returns the seconds.
  [[nodiscard]] double multiply_by_cublasxt();

 private:
  /// Computes Y <- Y - M X, tile by tile.
  void subtract_product(TiledMatrix<double>& m, const TiledMatrix<double>& x, const TiledMatrix<double>& y);

  Runtime& runtime_;
  std::int64_t n_;
  std::int64_t tile_;
  TilesOfMemory a_;
  TilesOfMemory b_;
  TilesOfMemory c_;
};

}  // namespace troupe::bench
