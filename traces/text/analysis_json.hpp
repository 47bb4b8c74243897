/// The analysis of where the time of a run went, as JSON for programs.
#pragma once

#include "proto/json/json.hpp"
#include "traces/text/analysis_report.hpp"

namespace troupe::traces {

/// Returns the numbers that `analysis_text` shows. Times are in seconds.
[[nodiscard]] Json analysis_json(const RunAnalysis& analysis);

/// Returns the use of a cluster's cores: the member `share` (null if the used fraction is not known), and the three
/// times of `TeamUse`.
[[nodiscard]] Json team_json(const TeamUse& use);

}  // namespace troupe::traces
