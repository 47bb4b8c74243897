/// A factorization in virtual time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "actors/run_report.hpp"
#include "actors/simulation_options.hpp"
#include "actors/trace.hpp"
#include "apps/factorization.hpp"
#include "apps/factorization_graph.hpp"

namespace troupe::apps {

enum class Precision { single_precision, double_precision };

struct SimulatedRun {
  Application application = Application::cholesky;
  Precision precision = Precision::double_precision;
  std::int64_t n = 0;
  /// Edge of the square tiles.
  std::int64_t tile = 0;
  /// QR: inner block of the triangular factors.
  std::int64_t inner = 128;
  std::string policy = "heft";
  SimulationOptions simulation;
  bool trace = false;
  /// Who writes down the tasks, and where their tiles lie, of this one run; null: nobody.
  std::shared_ptr<GraphRecorder> recorder;
};

struct SimulatedOutcome {
  /// From the first submission to the end of the last task.
  double seconds = 0;
  double gflops = 0;
  std::uint64_t tasks = 0;
  RunReport report;
  Trace trace;
};

/// Factorizes a matrix that has no content. Throws `Error`: `invalid_argument` for options that cannot be used,
/// `bad_input` where the machine lacks a kernel.
[[nodiscard]] SimulatedOutcome simulate(const SimulatedRun& run);

}  // namespace troupe::apps
