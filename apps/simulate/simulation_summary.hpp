/// What simulations have to say, for people and for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/simulate/scaling_chart.hpp"
#include "apps/simulate/simulation_point.hpp"
#include "apps/simulate/simulation_request.hpp"

namespace troupe::apps {

/// What was asked for and what came of it. `outcomes`: of `request.runs()`.
struct SimulationSummary {
  const SimulationRequest& request;
  const std::vector<FactorizationOutcome>& outcomes;
  /// One for each place.
  std::vector<SimulationPoint> points;
  /// Files that were written; empty: none.
  std::string plot;
  std::string trace;
  /// All clusters that were tried, where they were to be found.
  bool tried = false;
};

/// "cholesky on idgraf-double, double precision, tile 512".
[[nodiscard]] std::string title_of(const SimulationRequest& request);

/// A row for each place, the assumptions and the files.
[[nodiscard]] std::string simulation_text(const SimulationSummary& summary);
[[nodiscard]] nlohmann::json simulation_json(const SimulationSummary& summary);

/// A line for each policy, and size where there are several.
[[nodiscard]] ScalingChart simulation_chart(const SimulationSummary& summary);

}  // namespace troupe::apps
