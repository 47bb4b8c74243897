#include "lab/experiments/interval_json.hpp"

#include "proto/json/json.hpp"

namespace troupe::apps {

void add_interval(Json& json, const std::string& key, const MedianInterval& value, bool several) {
  json[key] = value.median;
  if (!several) return;
  json[key + "_low"] = value.low;
  json[key + "_high"] = value.high;
}

}  // namespace troupe::apps
