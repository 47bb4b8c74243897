/// What C programs choose of a runtime.
#pragma once

#include "actors/running/runtime_options.hpp"
#include "client/c/troupe.h"

namespace troupe::c {

/// What the caller's version of the structure has, and zero beyond; `given` may be null. Throws `invalid_argument` for
/// sizes that cannot be, and for fields that this version does not know.
[[nodiscard]] troupe_options settled(const troupe_options* given);
/// Throws `invalid_argument` for what means nothing, and what reading the description of a machine throws.
[[nodiscard]] RuntimeOptions to_runtime_options(const troupe_options& given);

}  // namespace troupe::c
