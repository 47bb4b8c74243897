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
  /// For each of `request.places()`, in that order, the combined results of its runs.
  std::vector<SimulationPoint> points;
  /// The paths of the files that were written; a path is empty if its file was not written.
  std::string plot;
  std::string trace;
  /// True if clusters were searched for and the output lists all clusters that were tried.
  bool tried = false;
};

/// Returns a title such as "cholesky on idgraf-double, double precision, tile 512".
[[nodiscard]] std::string title_of(const SimulationRequest& request);

/// Returns a title, the assumptions, a table with a row for each of `points`, and the files' paths.
[[nodiscard]] std::string simulation_text(const SimulationSummary& summary);
[[nodiscard]] Json simulation_json(const SimulationSummary& summary);

/// Returns a chart with a line for each policy, and for each size if there are several.
[[nodiscard]] ScalingChart simulation_chart(const SimulationSummary& summary);

}  // namespace troupe::apps
