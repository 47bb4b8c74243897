#include "opencl/splitting/split_mode.hpp"

#include <fmt/format.h>

#include <atomic>
#include <string>

#include "opencl/objects/report.hpp"
#include "platform/environment_value.hpp"

namespace troupe::opencl {

SplitMode split_mode() {
  const std::string text = platform::environment_value("TROUPE_OPENCL_SPLIT");
  if (text == "off") return SplitMode::never;
  if (text == "always") return SplitMode::always;
  static std::atomic<bool> said{false};
  if (!text.empty() && !said.exchange(true)) {
    report(fmt::format("TROUPE_OPENCL_SPLIT is 'off' or 'always', not '{}': it is ignored", text));
  }
  return SplitMode::where_it_pays;
}

}  // namespace troupe::opencl
