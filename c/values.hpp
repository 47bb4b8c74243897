/// Conversions between values of the C interface and C++ values.
#pragma once

#include "troupe/access.hpp"
#include "troupe/handle.hpp"
#include "troupe/layout.hpp"
#include "troupe/troupe.h"

namespace troupe::c {

/// Converts an access mode. Throws `invalid_argument` if the number is no mode, and for TROUPE_DECLARED.
[[nodiscard]] AccessMode mode_of(troupe_mode mode);
[[nodiscard]] troupe_status to_c(TaskStatus status);
[[nodiscard]] troupe_shape shape_of(const Layout& layout);

}  // namespace troupe::c
