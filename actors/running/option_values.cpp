#include "actors/running/option_values.hpp"

#include <fmt/format.h>

#include "platform/files/cache_folder.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe {

namespace {

Result<void> check_range(const char* name, std::size_t value, std::size_t most) {
  if (value <= most) return {};
  return Failure{ErrorCode::invalid_argument, fmt::format("{} is {}: 0 to {} can be used", name, value, most)};
}

Result<void> check_time(const char* name, Duration value) {
  if (value >= Duration{}) return {};
  return Failure{ErrorCode::invalid_argument, fmt::format("{} is {} s: it must not be negative", name, seconds(value))};
}

}  // namespace

std::string model_folder_of(const std::string& word) {
  if (word == "default") return platform::cache_folder();
  return word == "none" ? std::string() : word;
}

Result<void> check_ranges(const RuntimeOptions& options) {
  if (auto fits = check_range("gpu_lookahead", options.gpu_lookahead, kMostLookahead); !fits) return fits;
  if (auto fits = check_range("core_lookahead", options.core_lookahead, kMostLookahead); !fits) return fits;
  if (auto fits = check_range("issue_ahead", options.issue_ahead, kMostIssuedAhead); !fits) return fits;
  if (auto fits = check_time("spin", options.spin); !fits) return fits;
  if (auto fits = check_time("why_after", options.why_after); !fits) return fits;
  if (!options.simulation) return {};
  const SimulationOptions& simulation = *options.simulation;
  if (auto fits = check_range("gpu_lookahead", simulation.gpu_lookahead, kMostLookahead); !fits) return fits;
  if (auto fits = check_range("core_lookahead", simulation.core_lookahead, kMostLookahead); !fits) return fits;
  return check_range("issue_ahead", simulation.issue_ahead, kMostIssuedAhead);
}

}  // namespace troupe
