/// Medians and their intervals in the JSON output of experiments.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "proto/median.hpp"

namespace troupe::apps {

/// Adds a key such as "gflops", and if there are several runs also "gflops_low" and "gflops_high".
void add_interval(nlohmann::json& json, const std::string& key, const MedianInterval& value, bool several = true);

}  // namespace troupe::apps
