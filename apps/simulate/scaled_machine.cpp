#include "apps/simulate/scaled_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/described/embedded_machines.hpp"

namespace troupe::apps {

namespace {

constexpr const char* kAssumed = "assumed";

void scale(nlohmann::json& kernel, double factor) {
  if (kernel.value("time_origin", "") != kAssumed || !kernel.contains("gpu_us")) return;
  for (nlohmann::json& time : kernel["gpu_us"]) {
    for (const char* key : {"mean", "dev"}) {
      if (time.contains(key) && time[key].is_number()) time[key] = time[key].get<double>() / factor;
    }
  }
}

}  // namespace

Result<platform::MachineDescription> machine_with_assumptions(std::string_view name, double factor) {
  const auto machines = platform::embedded_machines();
  const auto found = std::find_if(machines.begin(), machines.end(), [&](const auto& m) { return m.name == name; });
  if (found == machines.end()) {
    return Failure{ErrorCode::invalid_argument, fmt::format("no machine '{}' comes with Troupe", name)};
  }
  if (!(factor > 0)) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("the factor on assumed speeds must be positive, not {}", factor)};
  }
  nlohmann::json json = nlohmann::json::parse(found->json);
  for (nlohmann::json& kernel : json["kernels"]) scale(kernel, factor);
  return platform::parse_machine(json.dump(), std::string(name));
}

}  // namespace troupe::apps
