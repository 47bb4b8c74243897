/// File descriptors that are kept back, so that a user who takes all that are allowed leaves some to the others.
#pragma once

namespace troupe::service {

/// Raises the limit on open descriptors of this process as far as allowed. Does nothing if it cannot be raised.
void raise_descriptor_limit();

/// Returns true if few descriptors are left; then the new one, `newest`, is only for users who have next to none.
/// Systems give the lowest free number, so `newest` shows how many descriptors are in use.
[[nodiscard]] bool descriptors_are_scarce(int newest);

}  // namespace troupe::service
