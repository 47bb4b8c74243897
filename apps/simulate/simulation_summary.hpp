/// The summary of simulations, as text for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "apps/simulate/scaling_chart.hpp"
#include "apps/simulate/simulation_point.hpp"
#include "apps/simulate/simulation_request.hpp"
#include "proto/json/json.hpp"

namespace troupe::apps {

/// A request and its results. `outcomes` are the outcomes of `request.runs()`.
struct SimulationSummary {
  const SimulationRequest& request;
  const std::vector<FactorizationOutcome>& outcomes;
  /// The combined runs of each place, in the order of the places.
  std::vector<SimulationPoint> points;
  /// The paths of the files that were written; empty if they were not.
  std::string plot;
  std::string trace;
  /// True if clusters were searched for and the output lists all clusters that were tried.
  bool tried = false;
};

/// Returns a title such as "cholesky on idgraf-double, double precision, tile 512".
[[nodiscard]] std::string title_of(const SimulationRequest& request);

/// Returns a table with a row for each place, then the assumptions and the files.
[[nodiscard]] std::string simulation_text(const SimulationSummary& summary);
[[nodiscard]] Json simulation_json(const SimulationSummary& summary);

/// Returns a chart with a line for each policy, and for each size if there are several.
[[nodiscard]] ScalingChart simulation_chart(const SimulationSummary& summary);

}  // namespace troupe::apps
