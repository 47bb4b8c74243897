/// The control groups of Linux, versions 1 and 2, that contain this process, and their limits.
///
/// All files are read below a root folder (`/`, except in tests): ROOT/proc/self/cgroup, ROOT/proc/self/mountinfo and
/// the mount points that mountinfo names. A file that is missing or unreadable sets no limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "troupe/units.hpp"

namespace troupe::platform {

enum class CgroupVersion : std::uint8_t { v1, v2 };

/// One control group of a mounted hierarchy.
struct Cgroup {
  CgroupVersion version = CgroupVersion::v2;
  /// The folder with the group's files.
  std::filesystem::path folder;
  /// The group's name for people: the path below the mount point, or `/` for the outermost visible group.
  std::string name;
};

/// Returns the control groups of this process that can limit `controller` (`cpu`, `memory`), in both versions. For each
/// hierarchy they are listed from the process's own group outwards. The limits of all these groups apply.
[[nodiscard]] std::vector<Cgroup> own_cgroups(const std::filesystem::path& root, const std::string& controller);

/// An amount of processor time per period of wall-clock time.
struct CpuQuota {
  std::uint64_t quota_us = 0;
  std::uint64_t period_us = 1;
  /// The control group that sets the quota.
  std::string cgroup;

  [[nodiscard]] double cpus() const { return static_cast<double>(quota_us) / static_cast<double>(period_us); }
  /// Returns how many threads can use up the quota: `cpus()` rounded up, at least one.
  [[nodiscard]] int threads() const;
};

/// Returns the tightest `cpu.max` (v2) or `cpu.cfs_quota_us` (v1) of the process's own group and the groups around it;
/// nothing if no group sets a limit.
[[nodiscard]] std::optional<CpuQuota> tightest_cpu_quota(const std::filesystem::path& root);

struct MemoryLimit {
  Bytes limit;
  /// The memory that the process can still take before it reaches the limit; memory that only caches files counts as
  /// free.
  Bytes headroom;
  /// The control group that sets the limit.
  std::string cgroup;
};

/// Returns every limit of `memory.max` and `memory.high` (v2) and `memory.limit_in_bytes` (v1), from the process's own
/// group outwards. Above `memory.high` the kernel slows a process down almost to a standstill.
[[nodiscard]] std::vector<MemoryLimit> memory_limits(const std::filesystem::path& root);

}  // namespace troupe::platform
