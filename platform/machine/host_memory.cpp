#include "platform/machine/host_memory.hpp"

#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "platform/machine/cgroup.hpp"
#include "platform/machine/process_limits.hpp"

namespace troupe::platform {
namespace {

namespace fs = std::filesystem;

std::uint64_t page_size() { return static_cast<std::uint64_t>(std::max(sysconf(_SC_PAGESIZE), 1L)); }

/// Returns the memory as the C library reports it, for systems on which /proc/meminfo cannot be read.
HostMemory memory_by_sysconf() {
  const auto bytes = [](int name) {
    return Bytes{static_cast<std::uint64_t>(std::max(sysconf(name), 0L)) * page_size()};
  };
  return {bytes(_SC_PHYS_PAGES), bytes(_SC_AVPHYS_PAGES), "memory of this machine"};
}

HostMemory memory_of_machine(const fs::path& root) {
  HostMemory memory{{}, {}, "memory of this machine"};
  std::ifstream file(root / "proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, colon);
    if (name != "MemTotal" && name != "MemAvailable") continue;
    const Bytes value{std::strtoull(line.c_str() + colon + 1, nullptr, 10) * 1024};
    (name == "MemTotal" ? memory.total : memory.available) = value;
  }
  return memory.total.count > 0 && memory.available.count > 0 ? memory : memory_by_sysconf();
}

void tighten(HostMemory& memory, Bytes limit, Bytes headroom, const std::string& reason) {
  memory.total = std::min(memory.total, limit);
  if (headroom < memory.available) {
    memory.available = headroom;
    memory.limited_by = reason;
  }
}

void tighten_by_address_space(HostMemory& memory) {
  const auto space = address_space_left();
  if (!space) return;
  tighten(memory, space->limit, space->left, space->limited_by);
}

}  // namespace

HostMemory read_host_memory(const fs::path& root) {
  HostMemory memory = memory_of_machine(root);
  for (const MemoryLimit& limit : memory_limits(root)) {
    tighten(memory, limit.limit, limit.headroom, "memory limit of cgroup " + limit.cgroup);
  }
  if (root == "/") tighten_by_address_space(memory);
  return memory;
}

void give_back_free_memory() noexcept {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace troupe::platform
