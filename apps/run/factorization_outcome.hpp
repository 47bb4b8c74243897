/// The result of one factorization, on this machine or in virtual time.
#pragma once

#include <cstdint>

#include "troupe/report.hpp"
#include "troupe/trace.hpp"

namespace troupe::apps {

struct FactorizationOutcome {
  /// The duration. On this machine it lasts from column-major input to column-major output, in virtual time from the
  /// first submission to the end of the last task.
  double seconds = 0;
  double gflops = 0;
  std::uint64_t tasks = 0;
  RunReport report;
  Trace trace;
};

}  // namespace troupe::apps
