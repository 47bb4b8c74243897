/// Arguments that a task takes by value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "troupe/layout.hpp"

namespace troupe {

/// Returns a mark of 8 bits for an argument's type. The mark is used where there is no room for the type's tag of 64
/// bits. Different types can have the same mark, but the number types of C++ all have different marks.
constexpr std::uint8_t mark_of(std::uint64_t tag) { return static_cast<std::uint8_t>(tag >> 32U); }

/// The arguments of a task as a kernel gets them: their bytes, offsets and types.
struct ArgumentsView {
  const std::byte* bytes = nullptr;
  /// One entry per argument: `offsets` has its offset in `bytes`, and `marks` the mark of its type (`mark_of`).
  const std::uint8_t* offsets = nullptr;
  const std::uint8_t* marks = nullptr;
  std::size_t count = 0;
};

/// Up to `kMaxArguments` trivially copyable values, together at most `kMaxBytes` bytes, packed at their natural
/// alignment. A copy lies inside every task, so it is small: register larger values as data.
class Arguments {
 public:
  static constexpr std::size_t kMaxArguments = 7;
  static constexpr std::size_t kMaxBytes = 40;

  Arguments() = default;

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::uint64_t tag(std::size_t index) const { return tags_[index]; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {bytes_.data(), used_}; }
  /// Returns the offset of each argument in `bytes()`.
  [[nodiscard]] const std::array<std::uint8_t, kMaxArguments>& offsets() const { return offsets_; }
  [[nodiscard]] const std::array<std::uint8_t, kMaxArguments>& marks() const { return marks_; }
  /// Returns a view, which is valid as long as this object exists.
  [[nodiscard]] ArgumentsView view() const { return {bytes_.data(), offsets_.data(), marks_.data(), count_}; }

  template <class T>
  void append(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "arguments by value are trivially copyable");
    static_assert(alignof(T) <= 8, "arguments by value are aligned to 8 bytes at most");
    append_bytes(type_tag<T>(), sizeof(T), alignof(T), &value);
  }

  /// Appends a value of a type that is given only by its tag, size and alignment. If there is no room for the value,
  /// returns false and appends nothing.
  bool append_bytes(std::uint64_t tag, std::size_t size, std::size_t alignment, const void* value) {
    const std::size_t offset = (used_ + alignment - 1) / alignment * alignment;
    if (count_ == kMaxArguments || size > kMaxBytes || offset + size > kMaxBytes) return false;
    // All compilers that Troupe is built with know this function without a header.
    __builtin_memcpy(bytes_.data() + offset, value, size);
    offsets_[count_] = static_cast<std::uint8_t>(offset);
    tags_[count_] = tag;
    marks_[count_] = mark_of(tag);
    ++count_;
    used_ = static_cast<std::uint8_t>(offset + size);
    return true;
  }

 private:
  alignas(8) std::array<std::byte, kMaxBytes> bytes_;
  std::array<std::uint64_t, kMaxArguments> tags_;
  std::array<std::uint8_t, kMaxArguments> offsets_;
  std::array<std::uint8_t, kMaxArguments> marks_;
  std::uint8_t count_ = 0;
  std::uint8_t used_ = 0;
};

inline const Arguments kNoArguments{};

namespace detail {
template <class... T>
constexpr std::size_t packed_size() {
  std::size_t used = 0;
  ((used = (used + alignof(T) - 1) / alignof(T) * alignof(T) + sizeof(T)), ...);
  return used;
}
}  // namespace detail

/// Makes arguments, as in `args(alpha, k)`, from the values in the order in which the kernel takes them.
template <class... T>
Arguments args(const T&... values) {
  static_assert(sizeof...(T) <= Arguments::kMaxArguments, "a task takes at most seven arguments by value");
  static_assert(detail::packed_size<T...>() <= Arguments::kMaxBytes,
                "a task's arguments by value take at most 40 bytes: pass larger things through a handle");
  Arguments result;
  (result.append(values), ...);
  return result;
}

}  // namespace troupe
