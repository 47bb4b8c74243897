/// The records of a run, for programs: trace files, the report with its critical path, and the picture, as the command
/// line makes them. Installed as <troupe/traces.hpp>, with the library `Troupe::traces`; docs/linalg.md has a complete
/// program.
///
/// Start a runtime with `RuntimeOptions::trace`, take the trace of what has run (`Runtime::take_trace`), `describe` it,
/// and hand both to `write_trace`, or to `picture_of` for `draw_picture`; `analyse` a trace for `analysis_text`. All of
/// these are plain functions that any thread may call.
#pragma once

#include "traces/files/trace_file.hpp"
#include "traces/picture/picture.hpp"
#include "traces/text/analysis_report.hpp"
