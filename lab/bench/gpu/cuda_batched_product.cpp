#include <chrono>
#include <string>

#include "kernels/cuda/cuda_blas.hpp"
#include "kernels/cuda/cuda_kernels.hpp"
#include "kernels/cuda/cuda_super_blocks.hpp"
#include "lab/bench/gpu/batched_product.hpp"
#include "lab/bench/gpu/cuda_peer_stream.hpp"
#include "lab/bench/gpu/generated_blocks.hpp"
#include "troupe/errors.hpp"

namespace troupe::bench {

namespace {

using kernels::DeviceMemory;

/// The number of products that are enqueued before a wait. Each product is launched while the product before it runs,
/// so the cost of the launches is hidden.
constexpr int kProductsAtOnce = 20;

template <class T>
class ProductOnAGpu final : public BatchedProduct<T> {
 public:
  explicit ProductOnAGpu(const BatchedShape& shape)
      : shape_(shape), tools_(0, stream_.get()), a_(memory()), b_(memory()), c_(memory()) {
    generate(a_, kSeedOfLeft);
    generate(b_, kSeedOfRight);
    generate(c_, kSeedOfResult);
    stream_.wait("generating super-blocks");
  }
  ~ProductOnAGpu() override { (void)peers::cuda().cudaStreamSynchronize(stream_.get()); }

  double multiply() override {
    return mean_seconds("batched products", [&] { subtract(); });
  }
  double multiply_as_one() override {
    return mean_seconds("cublasGemm", [&] {
      kernels::cuda::gemm<T>(tools_, 'N', 'N', T{-1}, kernels::constant(whole(a_)), kernels::constant(whole(b_)), T{1},
                             whole(c_));
    });
  }
  [[nodiscard]] double launches() const override {
    const auto counted = tools_.super_block_launches()[static_cast<std::size_t>(kernels::SuperBlockStep::multiply)];
    return counted.tasks == 0 ? 0 : static_cast<double>(counted.launches) / static_cast<double>(counted.tasks);
  }
  double residual() override {
    generate(c_, kSeedOfResult);
    subtract();
    GeneratedBlocks<T> result(shape_, kSeedOfResult);
    peers::check(peers::cuda().cudaMemcpyAsync(result.values().data(), c_.data(), c_.size(), cudaMemcpyDeviceToHost,
                                               stream_.get()),
                 "the copy of a super-block");
    stream_.wait("a batched product");
    return residual_of_product(shape_, result);
  }

 private:
  [[nodiscard]] DeviceMemory memory() const {
    return {peers::cuda(), static_cast<std::size_t>(shape_.order() * shape_.order()) * sizeof(T)};
  }
  [[nodiscard]] MatrixView<T> packed(const DeviceMemory& memory) const {
    return {reinterpret_cast<T*>(memory.data()), shape_.block, shape_.order() * shape_.side, shape_.block};
  }
  [[nodiscard]] kernels::SuperBlock<T> blocks(const DeviceMemory& memory) const {
    return {packed(memory), GeneratedBlocks<T>::all(shape_), shape_.side};
  }
  /// Returns the memory of the blocks as one matrix.
  [[nodiscard]] MatrixView<T> whole(const DeviceMemory& memory) const {
    return {reinterpret_cast<T*>(memory.data()), shape_.order(), shape_.order(), shape_.order()};
  }
  void generate(const DeviceMemory& memory, std::uint64_t seed) {
    kernels::fill_symmetric(tools_, packed(memory), 0, 0, seed, 0.0);
  }
  void subtract() {
    kernels::cuda::subtract_product<T>(tools_, blocks(a_).constant(), blocks(b_).constant(), blocks(c_));
  }

  template <class F>
  double mean_seconds(const char* what, F product) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kProductsAtOnce; ++i) product();
    stream_.wait(what);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / kProductsAtOnce;
  }

  BatchedShape shape_;
  peers::Stream stream_;
  kernels::CudaStream tools_;
  DeviceMemory a_;
  DeviceMemory b_;
  DeviceMemory c_;
};

}  // namespace

template <class T>
std::unique_ptr<BatchedProduct<T>> batched_product_on_a_gpu(const BatchedShape& shape) {
  return std::make_unique<ProductOnAGpu<T>>(shape);
}

template std::unique_ptr<BatchedProduct<float>> batched_product_on_a_gpu(const BatchedShape&);
template std::unique_ptr<BatchedProduct<double>> batched_product_on_a_gpu(const BatchedShape&);

}  // namespace troupe::bench
