/// The number of times that a test tries things of one kind.
#pragma once

#include <cstdint>

namespace troupe::tests {

#ifdef TROUPE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Returns `count`, or a fifth of it if a sanitizer makes each try ten times as slow. A sanitizer finds a defect in any
/// single try that shows it, so fewer tries are enough there.
constexpr std::uint64_t tries(std::uint64_t count) { return kSanitized ? (count + 4) / 5 : count; }

}  // namespace troupe::tests
