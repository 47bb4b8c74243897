/// The memory that this process may still use, so that a request that does not fit can be refused early.
#pragma once

#include <filesystem>
#include <string>

#include "troupe/units.hpp"

namespace troupe::platform {

struct HostMemory {
  /// The memory that the process could have if no other process ran: the machine's memory, or the tightest limit below
  /// it.
  Bytes total;
  /// The memory that the process can still take now without swapping. This is an estimate of the kernel, not a promise.
  Bytes available;
  /// The limit that determines `available`, in words: `memory of this machine`, `memory limit of cgroup /a/b`,
  /// `address space limit (ulimit -v)`, `data segment limit (ulimit -d)`.
  std::string limited_by;
};

/// Reads the memory of the machine (MemAvailable of /proc/meminfo), the limits of the control groups and the limit of
/// the address space as they are now. `root` is `/` except in tests; with another root, the limit of the address space
/// is ignored, because no file contains it. May be called from any thread; takes some tens of microseconds.
[[nodiscard]] HostMemory read_host_memory(const std::filesystem::path& root = "/");

/// Gives the allocator's free memory back to the system. Takes milliseconds; does nothing if the allocator has no such
/// function.
void give_back_free_memory() noexcept;

}  // namespace troupe::platform
