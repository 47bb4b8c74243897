/// The kernel times that placing policies have stored in a folder, as text for people and as JSON.
#pragma once

#include <string>

#include "platform/machine/machine.hpp"
#include "proto/json/json.hpp"

namespace troupe::apps {

/// Returns a few lines: the file for this machine and the kernels in it, or the reason why there are none.
[[nodiscard]] std::string models_text(const std::string& folder, const platform::Machine& machine);
[[nodiscard]] Json models_json(const std::string& folder, const platform::Machine& machine);

}  // namespace troupe::apps
