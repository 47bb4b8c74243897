#include "apps/run/policy_options.hpp"

#include <nlohmann/json.hpp>

#include "actors/scheduler/policy_specification.hpp"

namespace troupe::apps {

nlohmann::json policy_options_json(const std::string& specification) {
  nlohmann::json json = nlohmann::json::object();
  const auto parsed = scheduler::parse_policy(specification);
  if (!parsed) return json;
  for (const auto& [name, value] : parsed.value().options) {
    json[name] = value.empty() ? nlohmann::json(true) : nlohmann::json(value);
  }
  return json;
}

}  // namespace troupe::apps
