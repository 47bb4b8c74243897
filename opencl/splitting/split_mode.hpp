/// The mode of splitting launches, set by the environment variable `TROUPE_OPENCL_SPLIT`.
#pragma once

#include <cstdint>

namespace troupe::opencl {

enum class SplitMode : std::uint8_t {
  /// `off`: no launch is split.
  never,
  /// The variable is not set: launches are split if that pays.
  where_it_pays,
  /// `always`, for tests: all launches that can be split are split, however short, in equal parts.
  always,
};

/// Returns the mode that the variable sets now. If it is neither `off` nor `always`, a line is written on standard
/// error, once.
[[nodiscard]] SplitMode split_mode();

}  // namespace troupe::opencl
