/// The data of a kernel in host memory and on a GPU, and functions that run the kernel on a core or on the GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "platform/cuda/cuda_api.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"
#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"
#include "troupe/layout.hpp"

namespace troupe::tests {

/// A column-major block with gaps between its columns. Kernels must not change the gaps.
struct Operand {
  Layout layout;
  std::vector<std::byte> bytes;

  /// Returns a block of zeros. The gaps between the columns are filled with another value.
  template <class T>
  static Operand zeros(std::int64_t rows, std::int64_t cols, std::int64_t gap) {
    Operand result{layout_of<T>(rows, cols, std::max<std::int64_t>(rows + gap, 1)), {}};
    result.bytes.resize(static_cast<std::size_t>(result.layout.ld * std::max<std::int64_t>(cols, 1)) * sizeof(T),
                        std::byte{0x5a});
    const MatrixView<T> view = result.matrix<T>();
    for (std::int64_t j = 0; j < cols; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) view(i, j) = T{0};
    }
    return result;
  }

  template <class T>
  [[nodiscard]] MatrixView<T> matrix() {
    return {reinterpret_cast<T*>(bytes.data()), layout.rows, layout.cols, layout.ld};
  }
};

/// A GPU, fake or real, with one stream, which runs one kernel at a time. Throws `Error` if there is no such GPU.
class Gpu {
 public:
  explicit Gpu(int device = 0);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  /// Runs the codelet's GPU kernel on copies of the operands, waits until it has ended, and copies the operands back.
  /// Throws the errors of the kernel and of its checks at completion.
  void run(const Codelet& codelet, std::vector<Operand>& operands, const Arguments& arguments = {});
  /// These functions do what `run` does, in two steps. `begin` returns when the kernel function has returned; the GPU
  /// may not have run anything yet. `end` does the rest.
  void begin(const Codelet& codelet, std::vector<Operand>& operands, const Arguments& arguments = {});
  void end();

  [[nodiscard]] cudaStream_t stream() const { return stream_; }

 private:
  struct Task;

  void check(cudaError_t status, const char* what) const;
  void copy(Operand& operand, std::byte* memory, bool to_device) const;

  const platform::CudaApi& api_;
  cudaStream_t stream_ = nullptr;
  std::shared_ptr<void> environment_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

/// Runs the codelet's CPU kernel on the operands.
void run_on_core(const Codelet& codelet, std::vector<Operand>& operands, const Arguments& arguments = {});

}  // namespace troupe::tests
