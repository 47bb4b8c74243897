/// A policy's options for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace troupe::apps {

/// `{"alpha": "0.5", "cp": true}` of "dada:alpha=0.5,cp"; empty where there are none.
[[nodiscard]] nlohmann::json policy_options_json(const std::string& specification);

}  // namespace troupe::apps
