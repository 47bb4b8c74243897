/// The mode of splitting launches: `TROUPE_OPENCL_SPLIT`.
#pragma once

#include <cstdint>

namespace troupe::opencl {

enum class SplitMode : std::uint8_t {
  /// `off`: no launch is split.
  never,
  /// Without the variable: launches are split where that pays.
  where_it_pays,
  /// `always`, for tests: all launches that can be split are split, however short, in equal parts.
  always,
};

/// Returns the mode that the variable sets now. A value that is neither of its two gets a line on standard error, once.
[[nodiscard]] SplitMode split_mode();

}  // namespace troupe::opencl
