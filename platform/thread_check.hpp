/// Whether the system lets this process have threads.
#pragma once

#include <cstddef>

#include "proto/errors.hpp"

namespace troupe::platform {

/// Starts so many threads and ends them: libraries end the process, or wait for ever, where one that they need cannot
/// be started. Fails with `io`; the message says which limits there are. A millisecond.
[[nodiscard]] Result<void> check_threads(std::size_t count);

}  // namespace troupe::platform
