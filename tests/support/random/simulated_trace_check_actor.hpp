/// Conditions that the trace of every run in virtual time meets.
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
  /// True if workers may have died after they had begun tasks.
  bool losses = false;
};

/// Checks the following from the figures of the machine and the plan of the program alone: each task ran once, for as
/// long as the machine says, after all that it conflicts with; no worker ran two tasks at a time; copies between one
/// pair of memories did not overlap, and no route or link carried more than it can; no memory held more than its size;
/// report and trace agree; the run does not end before the longest chain of tasks could end. Appends problems to
/// `problems`.
void check_simulated_trace(const FactorizationOutcome& outcome, std::vector<std::string>& problems);

/// Returns every event, dependency and copy, one per line. Equal runs give equal texts.
[[nodiscard]] std::string text_of(const Trace& trace);

}  // namespace troupe::tests
