#include "platform/machine/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <utility>

namespace troupe::platform {
namespace {

namespace fs = std::filesystem;

/// A hierarchy of control groups, as /proc/self/mountinfo lists it.
struct Mount {
  CgroupVersion version;
  /// The control group that is visible at the mount point. It is not `/` in a container that sees only its own groups.
  fs::path root;
  fs::path mount_point;
  /// Mount options, which in version 1 name the controllers.
  std::vector<std::string> options;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool has(const std::vector<std::string>& parts, const std::string& wanted) {
  return std::find(parts.begin(), parts.end(), wanted) != parts.end();
}

/// Replaces the escapes in a path of mountinfo, which writes blanks and backslashes as three octal digits: `\040`.
std::string unescaped(const std::string& text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// Reads the mounts of control groups. One line is `31 23 0:28 ROOT MOUNT_POINT rw,relatime [tags] - TYPE SOURCE
/// OPTIONS`; see proc(5).
std::vector<Mount> cgroup_mounts(const fs::path& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4) continue;
    const std::string& type = *(dash + 1);
    if (type != "cgroup" && type != "cgroup2") continue;
    const auto version = type == "cgroup2" ? CgroupVersion::v2 : CgroupVersion::v1;
    mounts.push_back(
        {version, unescaped(words[3]), root / fs::path(unescaped(words[4])).relative_path(), split(*(dash + 3), ',')});
  }
  return mounts;
}

/// Returns `path` relative to the root of `mount`; nothing if `path` lies outside of the mount.
std::optional<fs::path> path_below(const Mount& mount, const fs::path& path) {
  const fs::path relative = path.lexically_normal().lexically_relative(mount.root.lexically_normal());
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative == "." ? fs::path() : relative;
}

void append_chain(const Mount& mount, const fs::path& own, std::vector<Cgroup>& chain) {
  for (fs::path group = own;; group = group.parent_path()) {
    chain.push_back(
        {mount.version, group.empty() ? mount.mount_point : mount.mount_point / group, "/" + group.generic_string()});
    if (group.empty()) break;
  }
}

std::optional<std::string> read_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

/// Parses a number; returns nothing for `max`, `-1` and all other texts, which mean "no limit" or "unknown".
std::optional<std::uint64_t> parse_number(const std::string& text) {
  std::istringstream stream(text);
  std::uint64_t value = 0;
  if (text.empty() || text[0] < '0' || text[0] > '9' || !(stream >> value)) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> read_number(const fs::path& path) {
  const auto line = read_line(path);
  return line ? parse_number(*line) : std::nullopt;
}

std::optional<CpuQuota> quota_of(const Cgroup& group) {
  std::optional<std::uint64_t> quota;
  std::optional<std::uint64_t> period;
  if (group.version == CgroupVersion::v2) {
    const auto words = split(read_line(group.folder / "cpu.max").value_or(""), ' ');
    if (words.size() == 2) {
      quota = parse_number(words[0]);
      period = parse_number(words[1]);
    }
  } else {
    quota = read_number(group.folder / "cpu.cfs_quota_us");
    period = read_number(group.folder / "cpu.cfs_period_us");
  }
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return CpuQuota{*quota, *period, group.name};
}

/// Returns the size of the pages that cache files and were not used lately. The kernel frees these pages before it
/// refuses memory.
std::uint64_t reclaimable(const Cgroup& group) {
  const std::string wanted = group.version == CgroupVersion::v2 ? "inactive_file" : "total_inactive_file";
  std::ifstream file(group.folder / "memory.stat");
  std::uint64_t value = 0;
  for (std::string name; file >> name >> value;) {
    if (name == wanted) return value;
  }
  return 0;
}

std::optional<MemoryLimit> memory_limit_of(const Cgroup& group) {
  // Version 1 writes "no limit" as the largest multiple of the page size that fits a signed 64-bit number.
  constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 62;
  const bool v2 = group.version == CgroupVersion::v2;
  auto limit = read_number(group.folder / (v2 ? "memory.max" : "memory.limit_in_bytes"));
  if (v2) {
    const auto high = read_number(group.folder / "memory.high");
    if (high && (!limit || *high < *limit)) limit = high;
  }
  if (!limit || *limit >= kUnlimited) return std::nullopt;
  const std::uint64_t usage = read_number(group.folder / (v2 ? "memory.current" : "memory.usage_in_bytes")).value_or(0);
  const std::uint64_t held = usage - std::min(usage, reclaimable(group));
  return MemoryLimit{Bytes{*limit}, Bytes{*limit - std::min(*limit, held)}, group.name};
}

}  // namespace

std::vector<Cgroup> own_cgroups(const fs::path& root, const std::string& controller) {
  const auto mounts = cgroup_mounts(root);
  std::vector<Cgroup> chain;
  std::ifstream file(root / "proc/self/cgroup");
  // One line is `HIERARCHY:CONTROLLERS:PATH`. In version 2 the hierarchy is 0, and there are no controllers: `0::PATH`.
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has(split(controllers, ','), controller)) continue;
    const auto version = controllers.empty() ? CgroupVersion::v2 : CgroupVersion::v1;
    const auto mount = std::find_if(mounts.begin(), mounts.end(), [&](const Mount& candidate) {
      return candidate.version == version && (version == CgroupVersion::v2 || has(candidate.options, controller));
    });
    if (mount == mounts.end()) continue;
    // If the process's group lies outside of the mount, only the limits at the mount point are used: the group there
    // may enclose the process's group.
    append_chain(*mount, path_below(*mount, line.substr(second + 1)).value_or(fs::path()), chain);
  }
  return chain;
}

int CpuQuota::threads() const {
  const std::uint64_t rounded_up = quota_us / period_us + (quota_us % period_us != 0 ? 1 : 0);
  return static_cast<int>(std::clamp<std::uint64_t>(rounded_up, 1, std::numeric_limits<int>::max()));
}

std::optional<CpuQuota> tightest_cpu_quota(const fs::path& root) {
  std::optional<CpuQuota> tightest;
  for (const Cgroup& group : own_cgroups(root, "cpu")) {
    auto quota = quota_of(group);
    if (quota && (!tightest || quota->cpus() < tightest->cpus())) tightest = std::move(quota);
  }
  return tightest;
}

std::vector<MemoryLimit> memory_limits(const fs::path& root) {
  std::vector<MemoryLimit> limits;
  for (const Cgroup& group : own_cgroups(root, "memory")) {
    if (auto limit = memory_limit_of(group)) limits.push_back(std::move(*limit));
  }
  return limits;
}

}  // namespace troupe::platform
