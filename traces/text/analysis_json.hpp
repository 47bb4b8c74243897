/// The analysis of where the time of a run went, as JSON for programs.
#pragma once

#include "proto/json/json.hpp"
#include "traces/text/analysis_report.hpp"

namespace troupe::traces {

/// Returns the numbers of `analysis_text`; times are in seconds.
[[nodiscard]] Json analysis_json(const RunAnalysis& analysis);

/// Returns the use of a cluster's cores: `share` (null if it is not known), and the three times of `TeamUse`.
[[nodiscard]] Json team_json(const TeamUse& use);

}  // namespace troupe::traces
