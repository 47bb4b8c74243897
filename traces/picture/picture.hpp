/// A picture of a run: which worker ran which task when.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "traces/files/trace_file.hpp"
#include "troupe/errors.hpp"

namespace troupe::traces {

/// One task that a worker ran.
struct PictureSpan {
  /// The index into `Picture::workers`.
  std::size_t worker = 0;
  std::string codelet;
  /// The times, in seconds since the start of the run. They are not negative, and `end_s` is not before `start_s`.
  double start_s = 0;
  double end_s = 0;
  /// The used fraction of the time of the worker's cores during the task, from 0 to 1; 1 if it is not known.
  double used = 1;
  /// False if the span shows a task's kernel after a wait for children, so that an earlier span shows the same task.
  bool first = true;
};

struct Picture {
  std::string title;
  /// The lines below the title. Another line is added after them, with the number of tasks, the time, and how busy the
  /// workers were.
  std::vector<std::string> subtitle;
  /// The names of the workers, in the order of their rows from top to bottom.
  std::vector<std::string> workers;
  /// The number of cores of each worker, at least 1. Empty if no worker has more than one core.
  std::vector<int> cores = {};
  /// The tasks, in any order. A task whose kernel waits for children has a span before and after each wait.
  std::vector<PictureSpan> spans;
};

/// Returns the picture of a trace: its tasks, from the description's `begin` on. It has no subtitle.
[[nodiscard]] Picture picture_of(const Trace& trace, const TraceDescription& description);

/// The paths of the files that were written.
struct PictureFiles {
  std::string svg;
  std::string png;
};

/// Draws one row per worker and one colour per codelet over time, with a legend. At the right it shows how busy each
/// worker was and how many tasks it ran. The row of a cluster of cores is higher. A task that used only a fraction of
/// its cores' time fills only that fraction of the row's height. `path` ends in `.svg` or `.png`; the other format is
/// written beside it. Gnuplot makes the drawing. The files stay below a few megabytes, however many tasks there are:
/// tasks narrower than two pixels are merged into columns, whose colours show the fractions of the time.
///
/// Fails with `ErrorCode::invalid_argument` for another ending, and for spans or workers that make no sense; with
/// `ErrorCode::io` if gnuplot is missing or fails, or a file cannot be written. A failure leaves both files untouched,
/// with one exception: the PNG may be missing if only the last step, moving the PNG to its place, failed.
Result<PictureFiles> draw_picture(const std::string& path, const Picture& picture);

/// Checks that `draw_picture` could write to `path`, before a long run begins. Fails with the same errors.
Result<void> check_picture_path(const std::string& path);

}  // namespace troupe::traces
