/// What must hold of every run in virtual time, by its trace.
#pragma once

#include <string>
#include <vector>

#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"
#include "actors/simulating/simulation_options.hpp"
#include "tests/support/random/random_program.hpp"

namespace troupe::tests {

struct FactorizationOutcome {
  const SimulationOptions& options;
  const RandomProgram& program;
  const RanProgram& ran;
  /// Of the whole run.
  const Trace& trace;
  const RunReport& report;
  /// Tasks may have been begun by workers that died.
  bool losses = false;
};

/// Checks, from the figures of the machine and the plan of the program alone: each task ran once, for as long as the
/// machine says, after all that it conflicts with; no worker ran two tasks at a time; copies of one pair of memories
/// took their turns, and no route or link carried more than it can; no memory held more than its size; report and trace
/// agree; the end is not before the longest chain at its fastest. Appends what is wrong to `problems`.
void check_simulated_trace(const FactorizationOutcome& outcome, std::vector<std::string>& problems);

/// Every event, dependency and copy, a line each: equal for equal runs.
[[nodiscard]] std::string text_of(const Trace& trace);

}  // namespace troupe::tests
