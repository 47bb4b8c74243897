/// The mode of splitting launches, set by the environment variable `TROUPE_OPENCL_SPLIT`.
#pragma once

#include <cstdint>

namespace troupe::opencl {

enum class SplitMode : std::uint8_t {
  /// `off`: no launch is split.
  never,
  /// The variable is not set: launches are split if a split is expected to be faster.
  where_it_pays,
  /// `always`, for tests: every launch that can be split is split into equal slices, even if it is short.
  always,
};

/// Returns the mode that the variable currently sets. If the value is neither `off` nor `always`, writes a line on
/// standard error, once.
[[nodiscard]] SplitMode split_mode();

}  // namespace troupe::opencl
