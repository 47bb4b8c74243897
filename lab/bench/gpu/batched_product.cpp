#include "lab/bench/gpu/batched_product.hpp"

#include <chrono>

#include "kernels/blas_threads.hpp"
#include "kernels/sparse/super_block_steps.hpp"
#include "lab/bench/gpu/generated_blocks.hpp"

namespace troupe::bench {

namespace {

template <class T>
class ProductOnACore final : public BatchedProduct<T> {
 public:
  explicit ProductOnACore(const BatchedShape& shape)
      : shape_(shape), a_(shape, kSeedOfLeft), b_(shape, kSeedOfRight), c_(shape, kSeedOfResult) {}

  double multiply() override {
    const auto start = std::chrono::steady_clock::now();
    subtract();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  double multiply_as_one() override { return 0; }
  [[nodiscard]] double launches() const override { return 0; }
  double residual() override {
    c_ = GeneratedBlocks<T>(shape_, kSeedOfResult);
    subtract();
    return residual_of_product(shape_, c_);
  }

 private:
  void subtract() {
    const kernels::SubtractProduct<T> step(a_.blocks().constant(), b_.blocks().constant(), c_.blocks());
    for (int i = 0; i < step.count(); ++i) step.piece(i);
  }

  std::shared_ptr<void> quiet_ = kernels::single_threaded_blas();
  BatchedShape shape_;
  GeneratedBlocks<T> a_;
  GeneratedBlocks<T> b_;
  GeneratedBlocks<T> c_;
};

}  // namespace

template <class T>
std::unique_ptr<BatchedProduct<T>> batched_product_on_a_core(const BatchedShape& shape) {
  return std::make_unique<ProductOnACore<T>>(shape);
}

template std::unique_ptr<BatchedProduct<float>> batched_product_on_a_core(const BatchedShape&);
template std::unique_ptr<BatchedProduct<double>> batched_product_on_a_core(const BatchedShape&);

}  // namespace troupe::bench
