/// The system's limits that can keep a process from starting threads. They are checked before threads are started,
/// because some code that starts threads cannot handle a failure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <system_error>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// A limit on the address space of this process, and the amount (`left`) that the process may still take under it.
struct AddressSpace {
  Bytes limit;
  Bytes left;
  /// The limit in words: `address space limit (ulimit -v)`, `data segment limit (ulimit -d)`.
  std::string limited_by;
};

/// Returns the tighter of the limits on the address space and on the data segment; nothing if there is no limit.
[[nodiscard]] std::optional<AddressSpace> address_space_left();

/// Fails with `out_of_memory` if the stack of new threads, or of the main thread, is too small for kernels.
[[nodiscard]] Result<void> check_stacks();
/// Fails with `out_of_memory` if the limits leave no room for the stacks of `count` threads and for the first
/// allocations of these threads.
[[nodiscard]] Result<void> check_room_for_threads(std::size_t count);
/// Starts `count` threads at the same time, each of which ends at once. Fails with `out_of_memory` if the system
/// refuses a thread.
[[nodiscard]] Result<void> try_threads(std::size_t count);

/// Returns the failure for a thread that could not be started.
[[nodiscard]] Failure refused_thread(const std::system_error& error);

}  // namespace troupe::platform
