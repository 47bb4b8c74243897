/// Descriptors that are kept back, so that one who takes all that he can get leaves some to the others.
#pragma once

namespace troupe::service {

/// Raises the limit on open descriptors of this process as far as it may. What cannot be done is left.
void raise_descriptor_limit();

/// Returns true if so few descriptors are left that a new one, of this number, is only for users who have next to none.
/// Systems give the lowest number that is free.
[[nodiscard]] bool descriptors_are_scarce(int newest);

}  // namespace troupe::service
