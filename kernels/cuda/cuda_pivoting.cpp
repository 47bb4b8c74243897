#include "kernels/cuda/cuda_pivoting.hpp"

#include <algorithm>

#include "kernels/block_rows.hpp"
#include "kernels/cuda/cuda_blas.hpp"
#include "kernels/cuda/cuda_kernels.hpp"

namespace troupe::kernels {

namespace {

/// Divides one piece of the stream's work space into buffers, one after the other.
class WorkBuffers {
 public:
  /// Adds a buffer of `count` elements; returns the buffer's offset.
  template <class T>
  std::size_t add(std::size_t count) {
    const std::size_t begin = size_;
    // Buffers are aligned like memory from cudaMalloc.
    constexpr std::size_t kAlignment = 256;
    size_ = (size_ + count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return begin;
  }
  void take_from(CudaStream& stream) { data_ = stream.work_space<std::byte>(size_); }
  template <class T>
  [[nodiscard]] T* at(std::size_t buffer) const {
    return reinterpret_cast<T*>(data_ + buffer);
  }

 private:
  std::size_t size_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace

template <class T>
void factor_checked(CudaStream& stream, MatrixView<T> a, T* work, int* pivots, int* status) {
  first_not_finite(stream, constant(a), status + 2);
  cuda::getrf(stream, a, work, pivots, status);
  // The manual of cuSOLVER promises only that the status names a zero pivot, not that it names the first zero pivot.
  first_bad_pivot(stream, constant(rows_from(a, 0, a.cols)), NeededPivots::not_zero, status + 1);
}

template <class T>
void factor_panel(CudaStream& stream, const BlockColumn<T>& a, std::span<int> pivots, std::int64_t offset,
                  std::int64_t first, int* status) {
  const std::optional<MatrixView<T>> whole = a.whole();
  const std::int64_t rows = a.rows() - offset;
  MatrixView<T> panel =
      whole ? rows_below(*whole, offset) : MatrixView<T>{a.tiles().front().data, rows, a.cols(), rows};
  WorkBuffers buffers;
  const std::size_t work = buffers.add<T>(cuda::getrf_work_size(stream, panel));
  const std::size_t given = buffers.add<int>(pivots.size());
  const std::size_t places = buffers.add<TilePlace<T>>(whole ? 0 : a.tiles().size());
  const std::size_t copy = buffers.add<T>(whole ? 0 : static_cast<std::size_t>(rows * a.cols()));
  buffers.take_from(stream);

  TiledColumn<T> column{};
  if (!whole) {
    panel.data = buffers.at<T>(copy);
    column = place_tiles(stream, a, buffers.at<TilePlace<T>>(places));
    copy_column(stream, column, offset, panel, true);
  }
  factor_checked(stream, panel, buffers.at<T>(work), buffers.at<int>(given), status);
  settle_pivots<T>(stream, buffers.at<int>(given), pivots, rows, first);
  if (!whole) copy_column(stream, column, offset, panel, false);
}

template <class T>
bool exchange_rows(CudaStream& stream, const BlockColumn<T>& c, std::span<const std::span<const int>> pivots,
                   std::int64_t offset, std::int64_t above, int* info) {
  auto* const places = stream.work_space<TilePlace<T>>(c.tiles().size());
  return swap_rows(stream, place_tiles(stream, c, places), pivots, offset, above, info);
}

#define TROUPE_INSTANTIATE(T)                                                                                          \
  template void factor_checked(CudaStream&, MatrixView<T>, T*, int*, int*);                                            \
  template void factor_panel(CudaStream&, const BlockColumn<T>&, std::span<int>, std::int64_t, std::int64_t, int*);    \
  template bool exchange_rows(CudaStream&, const BlockColumn<T>&, std::span<const std::span<const int>>, std::int64_t, \
                              std::int64_t, int*);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::kernels
