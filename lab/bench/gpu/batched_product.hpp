/// A product of three super-blocks whose blocks are all full, as batched calls on a GPU, or on one core.
#pragma once

#include <cstdint>
#include <memory>

namespace troupe::bench {

/// The shape of C <- C - A B, with matrices of `side` x `side` blocks of `block` rows each.
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
  /// Returns the seconds of one product: the mean of several, one after the other, with all data in the memory of the
  /// device.
  [[nodiscard]] virtual double multiply() = 0;
  /// Returns the seconds of one call of the library's gemm for the whole matrices, measured in the same way.
  [[nodiscard]] virtual double multiply_as_one() = 0;
  /// Returns the number of launches that one product takes on a GPU, as its kernels' code counts them; 0 on a core.
  [[nodiscard]] virtual double launches() const = 0;
  /// Returns |(C - (C' - A B)) x| / (n/4 eps) in the maximum norm, where C is one product after C', x is random, and
  /// n/4 is about the product of a row of |A| and a column of |B| for elements in (-1/2, 1/2). eps is 2^-53 for double,
  /// 2^-24 for float.
  [[nodiscard]] virtual double residual() = 0;
};

/// Returns the product on one core, for machines without a GPU.
template <class T>
[[nodiscard]] std::unique_ptr<BatchedProduct<T>> batched_product_on_a_core(const BatchedShape& shape);
/// Returns the product in the first GPU's memory. Throws `Error`: `no_implementation` in a build without nvcc.
template <class T>
[[nodiscard]] std::unique_ptr<BatchedProduct<T>> batched_product_on_a_gpu(const BatchedShape& shape);

}  // namespace troupe::bench
