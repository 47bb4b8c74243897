#include "apps/simulate/scaled_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "platform/described/embedded_machines.hpp"
#include "proto/json/json.hpp"

namespace troupe::apps {

namespace {

constexpr const char* kAssumed = "assumed";

void scale_times(Json& times, double factor) {
  for (Json& time : times) {
    for (const char* key : {"mean", "dev"}) {
      if (time.contains(key) && time[key].is_number()) time[key] = time[key].get<double>() * factor;
    }
  }
}

void scale(Json& kernel, double factor) {
  if (kernel.value("time_origin", "") != kAssumed || !kernel.contains("gpu_us")) return;
  scale_times(kernel["gpu_us"], 1 / factor);
}

/// Adds a deviation of `fraction` times the mean to each time that has a mean but no deviation.
void add_deviation(Json& value, double fraction) {
  if (value.is_array()) {
    for (Json& element : value) add_deviation(element, fraction);
  } else if (value.is_object() && value.contains("mean") && !(value.contains("dev") && value["dev"].is_number())) {
    value["dev"] = fraction * value["mean"].get<double>();
  }
}

/// Gives each GPU a link of its own, with the bandwidth of its copies from the host. A copy between GPUs uses both
/// links.
void give_links(Json& machine) {
  const auto gpu_name = [](std::size_t gpu) { return fmt::format("gpu{}", gpu); };
  const std::size_t gpus = machine["gpus"].size();
  Json links = Json::array();
  Json routes = Json::array();
  for (std::size_t to = 0; to < gpus; ++to) {
    links.push_back({{"name", "link" + std::to_string(to)},
                     {"bandwidth_mb_per_s", machine["transfers"]["bandwidth_mb_per_s"][0][to + 1]},
                     {"latency_us", 0}});
    const auto link = links.back()["name"].get<std::string>();
    routes.push_back({{"from", "host"}, {"to", gpu_name(to)}, {"links", {link}}});
    routes.push_back({{"from", gpu_name(to)}, {"to", "host"}, {"links", {link}}});
    for (std::size_t from = 0; from < gpus; ++from) {
      if (from == to) continue;
      routes.push_back(
          {{"from", gpu_name(from)}, {"to", gpu_name(to)}, {"links", {"link" + std::to_string(from), link}}});
    }
  }
  machine["pci"]["links"] = std::move(links);
  machine["pci"]["routes"] = std::move(routes);
}

Result<Json> embedded_machine(std::string_view name) {
  const auto machines = platform::embedded_machines();
  const auto found = std::find_if(machines.begin(), machines.end(), [&](const auto& m) { return m.name == name; });
  if (found == machines.end()) {
    return Failure{ErrorCode::invalid_argument, fmt::format("no machine '{}' comes with Troupe", name)};
  }
  return Json::parse(found->json);
}

}  // namespace

Result<platform::MachineDescription> machine_with_assumptions(std::string_view name, double factor) {
  auto json = embedded_machine(name);
  if (!json) return json.failure();
  if (!(factor > 0)) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("the factor on assumed speeds must be positive, not {}", factor)};
  }
  for (Json& kernel : json.value()["kernels"]) scale(kernel, factor);
  return platform::parse_machine(json.value().dump(), std::string(name));
}

Result<platform::MachineDescription> machine_with_deviation(std::string_view name, double fraction, GpuLinks links) {
  auto json = embedded_machine(name);
  if (!json) return json.failure();
  if (!(fraction >= 0)) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("the deviation of kernel times must not be negative, as {} is", fraction)};
  }
  for (Json& kernel : json.value()["kernels"]) {
    for (auto& [key, value] : kernel.items()) add_deviation(value, fraction);
  }
  if (links == GpuLinks::one_each) give_links(json.value());
  return platform::parse_machine(json.value().dump(), std::string(name));
}

Result<platform::MachineDescription> machine_with_streamed_fraction(std::string_view name, double fraction) {
  constexpr const char* kAssumed = "gpu_streamed_gemm_share_of_peak";
  auto json = embedded_machine(name);
  if (!json) return json.failure();
  const Json assumed = json.value().value("assumptions", Json::object());
  if (!(fraction > 0) || !(fraction <= 1) || !assumed.contains(kAssumed)) {
    return Failure{ErrorCode::invalid_argument,
                   fmt::format("machine '{}' cannot stream products at {} of its GPU's peak", name, fraction)};
  }
  for (Json& kernel : json.value()["kernels"]) {
    if (kernel.value("time_origin", "").find(kAssumed) == std::string::npos) continue;
    scale_times(kernel["gpu_us"], assumed[kAssumed].get<double>() / fraction);
  }
  return platform::parse_machine(json.value().dump(), std::string(name));
}

}  // namespace troupe::apps
