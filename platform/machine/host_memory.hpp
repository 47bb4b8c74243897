/// How much memory this process may still use, to refuse early what does not fit.
#pragma once

#include <filesystem>
#include <string>

#include "proto/units.hpp"

namespace troupe::platform {

struct HostMemory {
  /// What the process could have if it were alone: the machine's memory, or the tightest limit below it.
  Bytes total;
  /// What it can still take now, without swapping: an estimate by the kernel, good for a refusal, no promise.
  Bytes available;
  /// What sets `available`, in words: `memory of this machine`, `memory limit of cgroup /a/b`, `address space limit
  /// (ulimit -v)`, `data segment limit (ulimit -d)`.
  std::string limited_by;
};

/// Reads the memory of the machine (MemAvailable of /proc/meminfo), the limits of the control groups and the limit of
/// the address space as they are now. `root` is `/` outside of tests; below another root the address space, which is
/// no file, is left out. Any thread; takes tens of microseconds.
[[nodiscard]] HostMemory read_host_memory(const std::filesystem::path& root = "/");

/// Returns to the system what the allocator has free. Milliseconds; where there is no way to do so, nothing happens.
void give_back_free_memory() noexcept;

}  // namespace troupe::platform
