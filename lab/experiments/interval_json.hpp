/// Medians and their intervals in the JSON output of experiments.
#pragma once

#include <string>

#include "proto/json/json.hpp"
#include "proto/median.hpp"

namespace troupe::apps {

/// Adds a key such as "gflops". If there are several runs, also adds "gflops_low" and "gflops_high".
void add_interval(Json& json, const std::string& key, const MedianInterval& value, bool several = true);

}  // namespace troupe::apps
