/// What the system may refuse a process that starts threads: asked before they are started, as some of what starts
/// them cannot be told that it failed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include "proto/errors.hpp"
#include "proto/units.hpp"

namespace troupe::platform {

/// Address space that the process may still take under a limit of its own, and what limits it.
struct AddressSpace {
  Bytes limit;
  Bytes left;
  /// In words: `address space limit (ulimit -v)`, `data segment limit (ulimit -d)`.
  std::string limited_by;
};

/// The tighter of the limits on the address space and on the data segment; nothing where there is none.
[[nodiscard]] std::optional<AddressSpace> address_space_left();

/// Fails with `out_of_memory` where a thread's stack, or the main thread's, is too small for kernels.
[[nodiscard]] Result<void> check_stacks();
/// Fails with `out_of_memory` where the limits leave no room for the stacks of so many threads and for what they
/// allocate first.
[[nodiscard]] Result<void> check_room_for_threads(std::size_t count);
/// Starts so many threads at once, which end at once. Fails with `out_of_memory` where the system refuses one.
[[nodiscard]] Result<void> try_threads(std::size_t count);

/// A thread that could not be started, in words.
[[nodiscard]] Failure refused_thread(const std::system_error& error);

}  // namespace troupe::platform
