/// The analysis of where the time of a run went, as text for people.
#pragma once

#include <string>
#include <vector>

#include "traces/analysis/run_analysis.hpp"

namespace troupe::traces {

/// Returns tables of workers and codelets, the critical path, the lower bounds of the run's time, and a list of the
/// reasons why the run took longer. `devices[i]` is the device of worker i. The text ends in a line break.
[[nodiscard]] std::string analysis_text(const RunAnalysis& analysis, const std::vector<std::string>& devices);

}  // namespace troupe::traces
