/// A progress bar on a terminal.
#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "proto/mutex.hpp"

namespace troupe::apps {

struct Progress {
  std::uint64_t done = 0;
  /// The number of things in all; zero if it is not known yet. It may grow.
  std::uint64_t total = 0;
};

struct ProgressOptions {
  /// False to show nothing, even on a terminal; commands with `--json` set it.
  bool enabled = true;
  /// The text in front of the bar, which says what is going on.
  std::string label;
  /// The name of the things that are counted.
  std::string unit = "tasks";
  /// The descriptor on which the bar is shown if it is a terminal; must stay open.
  int terminal = STDERR_FILENO;
  /// Work that takes less time than this shows no bar.
  std::chrono::milliseconds delay{1000};
  /// The time between two pictures of the bar.
  std::chrono::milliseconds interval{100};
};

/// Shows the progress of something, from a thread of its own, while the object lives; then the line is empty again.
/// Does nothing, and starts no thread, if it is not enabled or there is no terminal; shows nothing if no thread can be
/// started. Only plain ASCII and carriage returns are written, so any terminal will do.
class ProgressBar {
 public:
  /// `poll` is called from the bar's thread, at most once an interval, never after the destructor; it must neither
  /// throw nor call `print`.
  ProgressBar(std::function<Progress()> poll, ProgressOptions options);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  /// Writes `text`, a whole number of lines, to the standard error stream without disturbing the bar. May be called
  /// from any thread.
  void print(std::string_view text);

 private:
  void run();
  void show() TROUPE_REQUIRES(mutex_);
  void erase() TROUPE_REQUIRES(mutex_);

  const std::function<Progress()> poll_;
  const ProgressOptions options_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();

  Mutex mutex_;
  std::condition_variable stop_requested_;
  bool stop_ TROUPE_GUARDED_BY(mutex_) = false;
  /// The number of characters that the bar takes on the terminal's line now.
  std::size_t shown_ TROUPE_GUARDED_BY(mutex_) = 0;

  std::thread thread_;
};

/// Returns the text of the bar, at most `width` characters: "factorize [#####.....]  50 %  5,000 / 10,000 tasks, 3.2 s
/// left". The time left assumes that the speed does not change; it is left out while nothing is done.
std::string progress_line(const ProgressOptions& options, Progress progress, double elapsed_seconds, std::size_t width);

}  // namespace troupe::apps
