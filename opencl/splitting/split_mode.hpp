/// Whether launches are split: `TROUPE_OPENCL_SPLIT`.
#pragma once

#include <cstdint>

namespace troupe::opencl {

enum class SplitMode : std::uint8_t {
  /// `off`.
  never,
  /// Where it pays: without the variable.
  where_it_pays,
  /// `always`, for tests: all launches that can be, however short, in equal parts.
  always,
};

/// What the variable says now. What is neither of its values gets a line on standard error, once.
[[nodiscard]] SplitMode split_mode();

}  // namespace troupe::opencl
