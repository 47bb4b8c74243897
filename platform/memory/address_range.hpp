/// Addresses that have no memory.
#pragma once

#include <cstddef>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// A range of this process's addresses that nothing else gets while it lives, and that cannot be read or written: for
/// objects that must be named by addresses but are stored elsewhere. It takes no memory.
class AddressRange {
 public:
  AddressRange() = default;

  /// Reserves a range that begins at a page boundary. `size` must be above zero. Fails with `out_of_memory` if the
  /// system refuses (ulimit -v).
  [[nodiscard]] static Result<AddressRange> reserve(Bytes size);

  AddressRange(AddressRange&& other) noexcept;
  AddressRange& operator=(AddressRange&& other) noexcept;
  AddressRange(const AddressRange&) = delete;
  AddressRange& operator=(const AddressRange&) = delete;
  ~AddressRange();

  [[nodiscard]] std::byte* begin() const { return begin_; }
  [[nodiscard]] Bytes size() const { return size_; }

 private:
  AddressRange(std::byte* begin, Bytes size) : begin_(begin), size_(size) {}

  std::byte* begin_ = nullptr;
  Bytes size_;
};

}  // namespace troupe::platform
