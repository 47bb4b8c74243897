/// Traces and reports as Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "troupe/report.hpp"
#include "troupe/trace.hpp"

namespace troupe::python {

/// The object behind a `troupe.Trace`.
struct TraceObject {
  Trace trace;
  /// The report of the runtime, at the time when the trace was taken.
  RunReport report;
  /// The title for files and pictures.
  std::string title;
};

/// Makes a dictionary from JSON. `type` is its class in troupe/reports.py. Python's `print` shows it as `text`.
[[nodiscard]] pybind11::object explained(const char* type, const std::string& json, const std::string& text);
/// Returns the dictionary that `Runtime.report` returns.
[[nodiscard]] pybind11::dict report_as_dict(const RunReport& report);

}  // namespace troupe::python
