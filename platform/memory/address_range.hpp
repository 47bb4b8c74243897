/// Ranges of addresses without memory behind them.
#pragma once

#include <cstddef>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// A reserved range of this process's addresses. While the range exists, no allocation gets these addresses, and
/// reading or writing there is an error. The range is for objects that are stored elsewhere but need addresses as
/// names. It takes no memory.
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
