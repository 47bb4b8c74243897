/// A picture of a run: who ran what when.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "proto/errors.hpp"
#include "traces/files/trace_file.hpp"

namespace troupe::traces {

/// One task that a worker ran.
struct PictureSpan {
  /// Index into `Picture::workers`.
  std::size_t worker = 0;
  std::string codelet;
  /// Seconds since the start of the run; not negative, and `end_s` not before `start_s`.
  double start_s = 0;
  double end_s = 0;
  /// Of the worker's cores' time, what share it used, from 0 to 1; 1 where that is not known.
  double used = 1;
};

struct Picture {
  std::string title;
  /// Lines below the title; one with the number of tasks, the time and how busy the workers were follows by itself.
  std::vector<std::string> subtitle;
  /// Names, in the order of their rows from top to bottom.
  std::vector<std::string> workers;
  /// By worker, at least 1; empty: each has one core, or is a GPU.
  std::vector<int> cores = {};
  /// In any order.
  std::vector<PictureSpan> spans;
};

/// The picture of a trace: its tasks, from the description's `begin` on. It has no subtitle.
[[nodiscard]] Picture picture_of(const Trace& trace, const TraceDescription& description);

/// What was written.
struct PictureFiles {
  std::string svg;
  std::string png;
};

/// Draws one row per worker and one colour per codelet over time, with a legend and, at the right, how busy each worker
/// was and how many tasks it ran. The row of a cluster is higher, and a task fills as much of its height as it used of
/// the cores' time. `path` ends in `.svg` or `.png`; the other form is written beside it. The drawing is
/// gnuplot's. However many tasks there are, the files stay below a few megabytes: tasks narrower than two pixels are
/// drawn in proportion to their time instead of one by one.
///
/// `ErrorCode::invalid_argument` for another ending, and for spans or workers that make no sense. `ErrorCode::io` where
/// gnuplot is missing or fails, or a file cannot be written. After a failure, neither file was touched, except that the
/// PNG may be missing where only the last step of putting it in its place failed.
Result<PictureFiles> draw_picture(const std::string& path, const Picture& picture);

/// Whether `draw_picture` could write to `path`, so that a long run is not started for nothing. Same errors.
Result<void> check_picture_path(const std::string& path);

}  // namespace troupe::traces
