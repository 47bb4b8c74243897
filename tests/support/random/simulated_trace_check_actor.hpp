/// Conditions that the trace of every run in virtual time must meet.
#pragma once

#include <string>
#include <vector>

#include "tests/support/random/random_program.hpp"
#include "troupe/report.hpp"
#include "troupe/simulation_options.hpp"
#include "troupe/trace.hpp"

namespace troupe::tests {

struct FactorizationOutcome {
  const SimulationOptions& options;
  const RandomProgram& program;
  const RanProgram& ran;
  /// The trace and the report of the whole run.
  const Trace& trace;
  const RunReport& report;
  /// True if workers may have died while they ran tasks.
  bool losses = false;
};

/// Checks the trace with only the machine description and the program's plan:
/// - Each task ran once, for the described time, and after all tasks that it conflicts with.
/// - No worker ran two tasks at a time.
/// - Copies between two memories did not overlap. No route or link carried more than its bandwidth allows.
/// - No memory held more than its size. The report agrees with the trace.
/// - The run did not end before the longest chain of tasks could end.
///
/// Appends the problems to `problems`.
void check_simulated_trace(const FactorizationOutcome& outcome, std::vector<std::string>& problems);

/// Returns all events, dependencies and copies, one per line. Equal runs give equal texts.
[[nodiscard]] std::string text_of(const Trace& trace);

}  // namespace troupe::tests
