/// What a runtime has done since it started, for people.
#pragma once

#include <string>

#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"

namespace troupe::traces {

/// How many tasks have ended, a table of the workers, and what was copied between memories. Ends in a line break.
[[nodiscard]] std::string run_text(const RunReport& report);

/// The same, and, where the trace has tasks, where the time of those went (`analysis_text`).
[[nodiscard]] std::string run_text(const RunReport& report, const Trace& trace);

}  // namespace troupe::traces
