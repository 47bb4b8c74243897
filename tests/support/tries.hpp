/// The number of times that a test repeats something, depending on the build.
#pragma once

#include <cstdint>

namespace troupe::tests {

#ifdef TROUPE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Returns `count`, or a fifth of `count` if a sanitizer makes each try about ten times as slow. A sanitizer finds a
/// defect in a single try, so fewer tries are enough with a sanitizer.
constexpr std::uint64_t tries(std::uint64_t count) { return kSanitized ? (count + 4) / 5 : count; }

}  // namespace troupe::tests
