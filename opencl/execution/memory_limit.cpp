#include "opencl/execution/memory_limit.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "opencl/objects/report.hpp"
#include "proto/byte_amounts.hpp"

namespace troupe::opencl {

namespace {

std::nullopt_t refused(const std::string& why) {
  report(fmt::format("TROUPE_OPENCL_MEMORY: {}; the devices' own memory is used", why));
  return std::nullopt;
}

}  // namespace

std::optional<Bytes> memory_limit(std::span<RealDevice* const> devices) {
  const char* const text = std::getenv("TROUPE_OPENCL_MEMORY");
  if (text == nullptr || *text == '\0') return std::nullopt;
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

bool wants_copies() {
  const char* const text = std::getenv("TROUPE_OPENCL_COPIES");
  return text != nullptr && *text != '\0' && std::string_view(text) != "0";
}

}  // namespace troupe::opencl
