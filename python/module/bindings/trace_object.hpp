/// What ran when, as Python sees it.
#pragma once

#include <pybind11/pybind11.h>

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

/// A dictionary of troupe/reports.py, from JSON: `print` shows the text.
[[nodiscard]] pybind11::object explained(const char* type, const std::string& json, const std::string& text);
/// What `Runtime.report` gives.
[[nodiscard]] pybind11::dict report_as_dict(const RunReport& report);

}  // namespace troupe::python
