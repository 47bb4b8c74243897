/// What ran when, as Python sees it.
#pragma once

#include <string>

#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"

namespace troupe::python {

/// What stands behind a `troupe.Trace`.
struct TraceObject {
  Trace trace;
  /// Of the runtime, when the trace was taken.
  RunReport report;
  /// For files and pictures.
  std::string title;
};

}  // namespace troupe::python
