/// File descriptors that are kept back, so that a user who takes all that are allowed leaves some to the others.
#pragma once

namespace troupe::service {

/// Raises the limit on open descriptors of this process as far as allowed. Does nothing if it cannot be raised.
void raise_descriptor_limit();

/// Returns true if few descriptors are left. Then the new one, `newest`, is only for users who have next to none. The
/// numbers show it, as systems give the lowest free number.
[[nodiscard]] bool descriptors_are_scarce(int newest);

}  // namespace troupe::service
