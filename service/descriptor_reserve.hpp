/// A reserve of file descriptors, so that a user who takes as many as allowed leaves some to the other users.
#pragma once

namespace troupe::service {

/// Raises the limit on open descriptors of this process as far as allowed. Does nothing if the limit cannot be raised.
void raise_descriptor_limit();

/// Returns true if few descriptors are left. Then the new descriptor, `newest`, may only go to users who have very few
/// descriptors. The system always gives the lowest free number, so `newest` shows how many descriptors are in use.
[[nodiscard]] bool descriptors_are_scarce(int newest);

}  // namespace troupe::service
