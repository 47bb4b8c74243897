#include "platform/opencl/opencl_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "proto/tokens.hpp"

namespace troupe::platform {

namespace {

std::string what_there_is(const OpenClDevices& there) {
  if (there.devices.empty()) {
    return there.skipped.empty() ? "no OpenCL driver is installed here"
                                 : "there are no OpenCL devices here that can be used (troupe info says why)";
  }
  std::string text = "there are";
  for (const OpenClDevice& device : there.devices) {
    text +=
        fmt::format("{} {} ({}, {})", device.index == 0 ? "" : ",", device.index, device.name, to_string(device.sort));
  }
  return text;
}

Failure unusable(std::string_view text, const std::string& what, const OpenClDevices& there) {
  return {ErrorCode::invalid_argument, fmt::format("OpenCL devices '{}': {}; {}", text, what, what_there_is(there))};
}

/// Returns the devices of the sort that the text names ("all", "gpu" or "cpu"); nothing if the text names no sort.
std::optional<std::vector<OpenClDevice>> of_sort(std::string_view text, const OpenClDevices& there) {
  const bool all = text == "all";
  if (!all && text != to_string(OpenClDeviceSort::gpu) && text != to_string(OpenClDeviceSort::cpu)) return {};
  std::vector<OpenClDevice> chosen;
  for (const OpenClDevice& device : there.devices) {
    if (all || text == to_string(device.sort)) chosen.push_back(device);
  }
  return chosen;
}

}  // namespace

Result<std::vector<OpenClDevice>> choose_opencl_devices(std::string_view text, const OpenClDevices& there) {
  if (auto chosen = of_sort(text, there)) {
    if (chosen->empty()) return unusable(text, "there is none", there);
    return std::move(*chosen);
  }
  std::vector<OpenClDevice> chosen;
  for (std::string_view rest = text; true;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const ParsedNumber<std::int64_t> number = parse_integer(word);
    if (number.status != NumberStatus::ok || number.value < 0) {
      return unusable(text, fmt::format("'{}' is no number of a device; all, gpu, cpu or numbers are known", word),
                      there);
    }
    const auto found = std::ranges::find(there.devices, number.value, &OpenClDevice::index);
    if (found == there.devices.end()) return unusable(text, fmt::format("there is no device {}", word), there);
    if (std::ranges::find(chosen, found->index, &OpenClDevice::index) != chosen.end()) {
      return unusable(text, fmt::format("device {} is named twice", word), there);
    }
    chosen.push_back(*found);
    if (comma == std::string_view::npos) return chosen;
    rest = rest.substr(comma + 1);
  }
}

}  // namespace troupe::platform
