/// The layout of the data behind a handle: element type and column-major extent in up to three dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "troupe/units.hpp"

namespace troupe {

namespace detail {
constexpr std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}
}  // namespace detail

/// Returns a number that identifies an element type inside one program: equal types have equal tags. Collisions of the
/// 64-bit hash are ignored: the tag guards against mistakes, not against malice.
template <class T>
constexpr std::uint64_t type_tag() {
  // The `constexpr` variable is computed at compile time. Otherwise the name would be hashed for every task argument.
  constexpr std::uint64_t tag = detail::hash_of(__PRETTY_FUNCTION__);
  return tag;
}

/// The form in which a kernel gets its data.
enum class ViewShape : std::uint8_t { any, scalar, vector, matrix, volume };

/// A column-major block of `rows` x `cols` x `planes` elements, with `ld` elements from one column to the next
/// (`ld >= rows`), and `plane_stride` elements from one plane to the next. A matrix is one plane, a vector one column,
/// a scalar one element.
struct Layout {
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  std::int64_t ld = 1;
  std::uint32_t element_size = 1;
  std::uint64_t element_tag = 0;
  std::int64_t planes = 1;
  /// This number has no meaning if there are fewer than two planes.
  std::int64_t plane_stride = 0;

  [[nodiscard]] std::int64_t elements() const { return rows * cols * planes; }
  /// Returns the size of the elements, without the gaps between columns and planes.
  [[nodiscard]] Bytes payload() const { return {static_cast<std::uint64_t>(elements()) * element_size}; }
  /// Returns the number of elements from the first element to the last element, with the gaps between them.
  [[nodiscard]] std::int64_t extent() const {
    if (elements() == 0) return 0;
    return (planes > 1 ? (planes - 1) * plane_stride : 0) + (cols - 1) * ld + rows;
  }
  [[nodiscard]] bool contiguous() const {
    return (ld == rows || cols <= 1) && (planes <= 1 || plane_stride == rows * cols);
  }
  /// Returns the layout of the block without gaps.
  [[nodiscard]] Layout packed() const {
    Layout result = *this;
    result.ld = rows > 0 ? rows : 1;
    result.plane_stride = result.ld * cols;
    return result;
  }
};

/// The extent of a column-major array with three dimensions: `rows` x `cols` x `planes` elements.
struct VolumeShape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t planes = 1;
  /// The distance from one column to the next, and from one plane to the next, in elements; 0 if there are no gaps.
  std::int64_t ld = 0;
  std::int64_t plane_stride = 0;
};

template <class T>
constexpr Layout layout_of(std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  static_assert(std::is_trivially_copyable_v<T>, "handles hold trivially copyable elements");
  return {rows, cols, ld, sizeof(T), type_tag<std::remove_cv_t<T>>()};
}

template <class T>
constexpr Layout layout_of(const VolumeShape& shape) {
  Layout layout = layout_of<T>(shape.rows, shape.cols, shape.ld);
  if (shape.ld == 0) layout.ld = shape.rows > 0 ? shape.rows : 1;
  layout.planes = shape.planes;
  layout.plane_stride = shape.plane_stride != 0 ? shape.plane_stride : layout.ld * shape.cols;
  return layout;
}

/// A column-major block as a kernel gets it. Does not own the memory; valid while the kernel runs.
template <class T>
struct MatrixView {
  using element_type = T;
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 1;

  T& operator()(std::int64_t row, std::int64_t col) const { return data[row + col * ld]; }
};

/// A column-major block of three dimensions as a kernel gets it. Does not own the memory; valid while the kernel runs.
template <class T>
struct VolumeView {
  using element_type = T;
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t planes = 0;
  std::int64_t ld = 1;
  /// The distance from one plane to the next, in elements; without a meaning if there are fewer than two planes.
  std::int64_t plane_stride = 0;

  T& operator()(std::int64_t row, std::int64_t col, std::int64_t plane) const {
    return data[row + col * ld + plane * plane_stride];
  }
  /// Returns one plane as a matrix.
  [[nodiscard]] MatrixView<T> plane(std::int64_t index) const { return {data + index * plane_stride, rows, cols, ld}; }
};

/// Consecutive elements as a kernel gets them. Does not own the memory; valid while the kernel runs.
template <class T>
using VectorView = std::span<T>;

namespace detail {
/// Throws `signature_mismatch`: data with this number of planes are no matrix.
[[noreturn]] void refuse_planes(std::int64_t planes);
}  // namespace detail

/// An untyped block: the argument of a reduction's functions, and the data of a transfer.
struct DataView {
  std::byte* data = nullptr;
  Layout layout;

  /// Returns the elements as a matrix. Throws `signature_mismatch` if there is not exactly one plane.
  template <class T>
  [[nodiscard]] MatrixView<T> as_matrix() const {
    if (layout.planes != 1) [[unlikely]]
      detail::refuse_planes(layout.planes);
    return unchecked_matrix<T>();
  }
  /// Returns the elements as a volume. A matrix is a volume of one plane.
  template <class T>
  [[nodiscard]] VolumeView<T> as_volume() const {
    return {reinterpret_cast<T*>(data), layout.rows, layout.cols, layout.planes, layout.ld, layout.plane_stride};
  }
  /// Returns the first plane, for callers that know that it is the only one.
  template <class T>
  [[nodiscard]] MatrixView<T> unchecked_matrix() const {
    return {reinterpret_cast<T*>(data), layout.rows, layout.cols, layout.ld};
  }
};

}  // namespace troupe
