/// The system's limits that a process meets when it starts threads: checked before they are started, as some code that
/// starts them cannot be told that it failed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// The address space that the process may still take under a limit of its own, and that limit's name.
struct AddressSpace {
  Bytes limit;
  Bytes left;
  /// The limit in words: `address space limit (ulimit -v)`, `data segment limit (ulimit -d)`.
  std::string limited_by;
};

/// Returns the tighter of the limits on the address space and on the data segment; nothing where there is none.
[[nodiscard]] std::optional<AddressSpace> address_space_left();

/// Fails with `out_of_memory` where a thread's stack, or the main thread's, is too small for kernels.
[[nodiscard]] Result<void> check_stacks();
/// Fails with `out_of_memory` where the limits leave no room for the stacks of so many threads and for their first
/// allocations.
[[nodiscard]] Result<void> check_room_for_threads(std::size_t count);
/// Starts `count` threads at once, which end at once. Fails with `out_of_memory` where the system refuses one.
[[nodiscard]] Result<void> try_threads(std::size_t count);

/// Describes a thread that could not be started.
[[nodiscard]] Failure refused_thread(const std::system_error& error);

}  // namespace troupe::platform
