/// The stack of the calling thread.
#pragma once

namespace troupe::platform {

/// Returns true if at least half of the calling thread's stack is free, so that one more kernel may be called on top of
/// those that the thread is in. Returns false if the system cannot say.
[[nodiscard]] bool stack_is_half_free() noexcept;

}  // namespace troupe::platform
