#include "opencl/objects/environment.hpp"

#include <fmt/format.h>

#include <string>

#include "opencl/objects/report.hpp"
#include "platform/environment_value.hpp"
#include "proto/byte_amounts.hpp"
#include "proto/tokens.hpp"

namespace troupe::opencl {

namespace {

std::nullopt_t refused(const std::string& why) {
  report_once(fmt::format("TROUPE_OPENCL_MEMORY: {}; the devices' own memory is used", why));
  return std::nullopt;
}

/// Returns true if the variable is on. A value that means neither on nor off counts as off; the first time, a line on
/// standard error says so.
bool is_on(const char* name) {
  const std::string text = platform::environment_value(name);
  if (text.empty()) return false;
  const std::optional<bool> wanted = parse_switch(text);
  if (!wanted) report_once(name, fmt::format("{} is 1 or 0, not '{}': it is ignored", name, text));
  return wanted.value_or(false);
}

}  // namespace

std::optional<Bytes> memory_limit(std::span<const RealDevice* const> devices) {
  const std::string text = platform::environment_value("TROUPE_OPENCL_MEMORY");
  if (text.empty()) return std::nullopt;
  const std::optional<Bytes> limit = parse_bytes(text);
  if (!limit || limit->count == 0) {
    return refused(fmt::format("\"{}\" is no amount of memory, as 512MiB is", text));
  }
  for (const RealDevice* device : devices) {
    const platform::OpenClDevice& vendor = device->vendor();
    if (*limit <= vendor.memory) continue;
    return refused(fmt::format("{} is more than the {} bytes that device {} ({}) has", text, vendor.memory.count,
                               vendor.index, vendor.name));
  }
  return limit;
}

bool wants_copies() { return is_on("TROUPE_OPENCL_COPIES"); }

bool wants_context_queues() { return is_on("SOCL_FORCE_DYNAMIC"); }

}  // namespace troupe::opencl
