/// The layout of the data behind a handle: element type and column-major extent.
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
enum class ViewShape : std::uint8_t { any, scalar, vector, matrix };

/// A column-major block of `rows` x `cols` elements, with `ld` elements from one column to the next (`ld >= rows`). A
/// vector is one column, a scalar one element.
struct Layout {
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  std::int64_t ld = 1;
  std::uint32_t element_size = 1;
  std::uint64_t element_tag = 0;

  [[nodiscard]] std::int64_t elements() const { return rows * cols; }
  /// Returns the size of the elements, without the gaps between columns.
  [[nodiscard]] Bytes payload() const { return {static_cast<std::uint64_t>(elements()) * element_size}; }
  [[nodiscard]] bool contiguous() const { return ld == rows || cols <= 1; }
  /// Returns the layout of the block without gaps.
  [[nodiscard]] Layout packed() const {
    Layout result = *this;
    result.ld = rows > 0 ? rows : 1;
    return result;
  }
};

template <class T>
constexpr Layout layout_of(std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  static_assert(std::is_trivially_copyable_v<T>, "handles hold trivially copyable elements");
  return {rows, cols, ld, sizeof(T), type_tag<std::remove_cv_t<T>>()};
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

/// Consecutive elements as a kernel gets them. Does not own the memory; valid while the kernel runs.
template <class T>
using VectorView = std::span<T>;

/// An untyped block: the argument of a reduction's functions, and the data of a transfer.
struct DataView {
  std::byte* data = nullptr;
  Layout layout;

  template <class T>
  [[nodiscard]] MatrixView<T> as_matrix() const {
    return {reinterpret_cast<T*>(data), layout.rows, layout.cols, layout.ld};
  }
};

}  // namespace troupe
