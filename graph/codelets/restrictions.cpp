#include "graph/codelets/restrictions.hpp"

#include <charconv>
#include <optional>

namespace troupe {

namespace {

/// Returns the text before `separator`, and removes this text and the separator from the front of `text`. If there is
/// no separator, returns all of `text` and makes `text` empty. A separator at the end makes `text` empty, too, so a
/// list must not end with a separator.
std::string_view take_up_to(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return taken;
}

Failure unusable(std::string_view part, const std::string& why) {
  return {ErrorCode::invalid_argument, "restriction '" + std::string(part) + "': " + why};
}

/// Returns the set that the text names, or nothing if the text does not have the form of a device.
std::optional<DeviceSet> parse_device(std::string_view text) {
  if (text == "cores") return DeviceSet::cores();
  if (text == "gpus") return DeviceSet::accelerators();
  if (text.empty()) return std::nullopt;
  if (!text.starts_with('#')) return DeviceSet::named(std::string(text));
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return DeviceSet::worker(WorkerId(number));
}

std::optional<DeviceSet> parse_devices(std::string_view text) {
  std::optional<DeviceSet> devices;
  if (text.ends_with('|')) return devices;
  do {
    const std::optional<DeviceSet> one = parse_device(take_up_to(text, '|'));
    if (!one) return std::nullopt;
    devices = devices ? *devices | *one : *one;
  } while (!text.empty());
  return devices;
}

}  // namespace

Result<Restrictions> parse_restrictions(std::string_view text) {
  Restrictions restrictions;
  if (text.ends_with(';')) return unusable(text, "nothing comes after the last semicolon: leave it out");
  while (!text.empty()) {
    const std::string_view part = take_up_to(text, ';');
    std::string_view devices = part;
    std::string_view names = take_up_to(devices, ':');
    const std::optional<DeviceSet> set = parse_devices(devices);
    if (!set) {
      return unusable(part,
                      "names of codelets come first and then cores, gpus, a model or a worker (#3), as in "
                      "potrf,trsm:cores");
    }
    if (names.ends_with(',')) return unusable(part, "the name of a codelet is missing");
    do {
      const std::string name(take_up_to(names, ','));
      if (name.empty()) return unusable(part, "the name of a codelet is missing");
      if (!restrictions.emplace(name, *set).second) return unusable(part, name + " is restricted twice");
    } while (!names.empty());
  }
  return restrictions;
}

}  // namespace troupe
