/// Where the time of a run went, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "actors/reporting/run_analysis.hpp"

namespace troupe::traces {

/// Tables of workers and codelets, the critical path, the bounds, and a list of what kept the run from them. `devices`:
/// of the workers, by index. Ends in a line break.
[[nodiscard]] std::string analysis_text(const actors::RunAnalysis& analysis, const std::vector<std::string>& devices);

/// The same numbers; times in seconds.
[[nodiscard]] nlohmann::json analysis_json(const actors::RunAnalysis& analysis);

}  // namespace troupe::traces
