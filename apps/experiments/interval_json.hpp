/// How outputs of experiments say a median and where it lies.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "proto/median.hpp"

namespace troupe::apps {

/// "gflops", and where there are several runs "gflops_low" and "gflops_high".
void add_interval(nlohmann::json& json, const std::string& key, const MedianInterval& value, bool several = true);

}  // namespace troupe::apps
