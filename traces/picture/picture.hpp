/// A picture of a run: which worker ran which task when.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "traces/files/trace_file.hpp"
#include "troupe/errors.hpp"

namespace troupe::traces {

/// The time in which a worker ran a task's kernel without a break.
struct PictureSpan {
  /// The index into `Picture::workers`.
  std::size_t worker = 0;
  std::string codelet;
  /// The times, in seconds since the start of the run. They are not negative, and `end_s` is not before `start_s`.
  double start_s = 0;
  double end_s = 0;
  /// The fraction of the time of the worker's cores that the task used, from 0 to 1; 1 if it is not known.
  double used = 1;
  /// False if an earlier span shows the same task, because the task's kernel has waited for children in between.
  bool first = true;
};

struct Picture {
  std::string title;
  /// The lines below the title. After these lines, `draw_picture` adds a line with the number of tasks, the time, and
  /// how busy the workers were.
  std::vector<std::string> subtitle;
  /// The names of the workers, in the order of their rows from top to bottom.
  std::vector<std::string> workers;
  /// The number of cores of each worker, at least 1. Empty if no worker has more than one core.
  std::vector<int> cores = {};
  /// The spans of all tasks, in any order. A task has one span, or one before and after each wait of its kernel for
  /// children.
  std::vector<PictureSpan> spans;
};

/// Returns the picture of a trace. Times count from the description's `begin`. The picture has no subtitle.
[[nodiscard]] Picture picture_of(const Trace& trace, const TraceDescription& description);

/// The paths of the files that were written.
struct PictureFiles {
  std::string svg;
  std::string png;
};

/// Draws one row per worker and one colour per codelet over time, with a legend. At the right the picture shows how
/// busy each worker was and how many tasks it ran. The row of a cluster of cores is higher. A task that used only a
/// fraction of its cores' time fills only that fraction of the row's height. `path` ends in `.svg` or `.png`; the
/// picture in the other format is written to the same folder. Gnuplot makes the drawing. The files stay below a few
/// megabytes, however many tasks there are: tasks narrower than two pixels are merged into columns, whose colours show
/// the fractions of the time.
///
/// Fails with `ErrorCode::invalid_argument` for another ending, and if there is no worker, too many workers, or a span
/// with a wrong worker or wrong times. Fails with `ErrorCode::io` if gnuplot is missing or fails, or if a file cannot
/// be written. A failure leaves both files untouched, with one exception: the PNG may be missing if only the last step,
/// moving the PNG to its place, failed.
Result<PictureFiles> draw_picture(const std::string& path, const Picture& picture);

/// Checks that `draw_picture` can write to `path`. Call this function before a long run. Fails with the errors of
/// `draw_picture`.
Result<void> check_picture_path(const std::string& path);

}  // namespace troupe::traces
