/// How values of the C interface become ours.
#pragma once

#include "client/c/troupe.h"
#include "graph/codelets/handle.hpp"
#include "proto/access.hpp"

namespace troupe::c {

/// Throws `invalid_argument` for numbers that mean nothing, and for TROUPE_DECLARED.
[[nodiscard]] AccessMode mode_of(troupe_mode mode);
[[nodiscard]] troupe_status to_c(TaskStatus status);

}  // namespace troupe::c
