/// The options with which C programs start a runtime.
#pragma once

#include "troupe/runtime_options.hpp"
#include "troupe/troupe.h"

namespace troupe::c {

/// Returns the fields that the caller's version of the structure has, and zero for all later fields; `given` may be
/// null. Throws `invalid_argument` for impossible sizes, and for fields that this version does not know.
[[nodiscard]] troupe_options settled(const troupe_options* given);
/// Throws `invalid_argument` for values without a meaning, and the errors of reading a machine's description.
[[nodiscard]] RuntimeOptions to_runtime_options(const troupe_options& given);

}  // namespace troupe::c
