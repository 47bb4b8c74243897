/// A product of three super-blocks, in which all blocks are full. It runs as batched calls on a GPU, or on one core.
#pragma once

#include <cstdint>
#include <memory>

namespace troupe::bench {

/// The shape of C <- C - A B: each matrix has `side` x `side` blocks, and each block has `block` rows and columns.
struct BatchedShape {
  int side = 8;
  std::int64_t block = 192;

  [[nodiscard]] std::int64_t order() const { return side * block; }
};

/// Measures the product. `T` is float or double.
template <class T>
class BatchedProduct {
 public:
  virtual ~BatchedProduct() = default;
  /// Returns the seconds of one product: the mean of several products, one after the other. All data are in the memory
  /// of the device.
  [[nodiscard]] virtual double multiply() = 0;
  /// Returns the seconds of one call of the library's gemm for the whole matrices, measured in the same way.
  [[nodiscard]] virtual double multiply_as_one() = 0;
  /// Returns the number of launches that one product takes on a GPU, counted by the code of the kernels; 0 on a core.
  [[nodiscard]] virtual double launches() const = 0;
  /// Returns |(C - (C' - A B)) x| / (n/4 eps) in the maximum norm, where C is one product after C', x is random, and
  /// n/4 is about the product of a row of |A| and a column of |B| for elements in (-1/2, 1/2). eps is 2^-53 for double,
  /// 2^-24 for float.
  [[nodiscard]] virtual double residual() = 0;
};

/// Returns the product that runs on one core, for machines without a GPU.
template <class T>
[[nodiscard]] std::unique_ptr<BatchedProduct<T>> batched_product_on_a_core(const BatchedShape& shape);
/// Returns the product whose data are in the memory of the first GPU. Throws `Error` with `no_implementation` in a
/// build without nvcc.
template <class T>
[[nodiscard]] std::unique_ptr<BatchedProduct<T>> batched_product_on_a_gpu(const BatchedShape& shape);

}  // namespace troupe::bench
