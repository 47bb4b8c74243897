#include "opencl/splitting/split_mode.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT: secure_getenv is in no C++ header

#include <atomic>
#include <string_view>

#include "opencl/objects/report.hpp"

namespace troupe::opencl {

SplitMode split_mode() {
  const char* const value = ::secure_getenv("TROUPE_OPENCL_SPLIT");
  const std::string_view text = value == nullptr ? "" : value;
  if (text == "off") return SplitMode::never;
  if (text == "always") return SplitMode::always;
  static std::atomic<bool> said{false};
  if (!text.empty() && !said.exchange(true)) {
    report(fmt::format("TROUPE_OPENCL_SPLIT is 'off' or 'always', not '{}': it is ignored", text));
  }
  return SplitMode::where_it_pays;
}

}  // namespace troupe::opencl
