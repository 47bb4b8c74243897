#include "platform/opencl/opencl_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace troupe::platform {

namespace {

Failure cannot_be(std::string_view asked, const std::string& why, const OpenClDevices& there) {
  std::string known;
  for (const OpenClDevice& device : there.devices) {
    known += fmt::format("{}{} ({}, {})", known.empty() ? "" : ", ", device.index, device.name, to_string(device.sort));
  }
  return {ErrorCode::invalid_argument, fmt::format("OpenCL devices '{}': {}; there are: {}", asked, why,
                                                   known.empty() ? "none (troupe info says why)" : known)};
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<std::vector<const OpenClDevice*>> select_opencl_devices(std::string_view asked, const OpenClDevices& there) {
  std::vector<const OpenClDevice*> chosen;
  if (asked == "all" || asked == "gpu" || asked == "cpu") {
    for (const OpenClDevice& device : there.devices) {
      if (asked == "all" || asked == to_string(device.sort)) chosen.push_back(&device);
    }
    if (chosen.empty()) return cannot_be(asked, "there is none of these", there);
    return chosen;
  }
  for (std::size_t begin = 0; begin <= asked.size();) {
    const std::size_t end = std::min(asked.find(',', begin), asked.size());
    const std::string_view one = asked.substr(begin, end - begin);
    const std::optional<int> number = number_of(one);
    if (!number) return cannot_be(asked, fmt::format("'{}' is no number, and neither all, gpu nor cpu", one), there);
    const auto found = std::ranges::find(there.devices, *number, &OpenClDevice::index);
    if (found == there.devices.end()) return cannot_be(asked, fmt::format("there is no device {}", *number), there);
    if (std::ranges::find(chosen, &*found) != chosen.end()) {
      return cannot_be(asked, fmt::format("device {} is named twice", *number), there);
    }
    chosen.push_back(&*found);
    begin = end + 1;
  }
  return chosen;
}

}  // namespace troupe::platform
