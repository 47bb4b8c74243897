#include "graph/codelets/restrictions.hpp"

namespace troupe {

namespace {

/// What comes before `separator`, which is taken off `text` with it; all of it where there is none.
std::string_view take_up_to(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return taken;
}

Failure unusable(std::string_view part, const std::string& why) {
  return {ErrorCode::invalid_argument, "restriction '" + std::string(part) + "': " + why};
}

}  // namespace

Result<Restrictions> parse_restrictions(std::string_view text) {
  Restrictions restrictions;
  while (!text.empty()) {
    const std::string_view part = take_up_to(text, ';');
    std::string_view devices = part;
    std::string_view names = take_up_to(devices, ':');
    DeviceSet set;
    if (devices == "cores") {
      set = DeviceSet::cores();
    } else if (devices == "gpus") {
      set = DeviceSet::accelerators();
    } else {
      return unusable(part, "names of codelets come first and then cores or gpus, as in potrf,trsm:cores");
    }
    do {
      const std::string name(take_up_to(names, ','));
      if (name.empty()) return unusable(part, "the name of a codelet is missing");
      if (!restrictions.emplace(name, set).second) return unusable(part, name + " is restricted twice");
    } while (!names.empty());
  }
  return restrictions;
}

}  // namespace troupe
