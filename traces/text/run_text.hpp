/// A report of what a runtime has done since it started, as text for people.
#pragma once

#include <string>

#include "troupe/report.hpp"
#include "troupe/trace.hpp"

namespace troupe::traces {

/// Returns the number of tasks that have ended, a table of the workers, and the copies between memories. Ends in a line
/// break.
[[nodiscard]] std::string run_text(const RunReport& report);

/// Returns the text of the function above. If the trace has tasks, adds the analysis of their time (`analysis_text`).
[[nodiscard]] std::string run_text(const RunReport& report, const Trace& trace);

}  // namespace troupe::traces
