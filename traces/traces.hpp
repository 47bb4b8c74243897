/// For programs that show what a run did: trace files, the report with its critical path, and the picture, as the
/// command line makes them. Installed as <troupe/traces.hpp>, with the library `Troupe::traces`; docs/linalg.md has a
/// complete program.
///
/// Start a runtime with `RuntimeOptions::trace`, take the trace of the tasks that have run (`Runtime::take_trace`), and
/// make its description with `describe`. Pass the trace and the description to `write_trace` for a file, or to
/// `picture_of` for a picture, which `draw_picture` draws. For a report, pass the trace to `analyse`, and the result to
/// `analysis_text`. All of these are plain functions that any thread may call.
#pragma once

#include "traces/files/trace_file.hpp"
#include "traces/picture/picture.hpp"
#include "traces/text/analysis_report.hpp"
