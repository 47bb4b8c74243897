/// The options with which C programs start a runtime.
#pragma once

#include "troupe/runtime_options.hpp"
#include "troupe/troupe.h"

namespace troupe::c {

/// Returns a copy of `given`. The caller may have been compiled with an older, shorter structure; fields that it lacks
/// are zero. `given` may be null. Throws `invalid_argument` for impossible sizes and for unknown fields that are set.
[[nodiscard]] troupe_options settled(const troupe_options* given);
/// Converts options of a C program. Throws `invalid_argument` for values without a meaning, and passes on errors of
/// reading a machine's description.
[[nodiscard]] RuntimeOptions to_runtime_options(const troupe_options& given);

}  // namespace troupe::c
