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
  /// The total number of tasks or other units of work; zero if it is not known yet. It may grow.
  std::uint64_t total = 0;
};

struct ProgressOptions {
  /// If false, no bar is shown, even on a terminal; commands with `--json` set this.
  bool enabled = true;
  /// The text in front of the bar, which names the activity.
  std::string label;
  /// The name of the units that are counted.
  std::string unit = "tasks";
  /// The descriptor on which the bar is shown if it is a terminal; must stay open.
  int terminal = STDERR_FILENO;
  /// Work that takes less time than this shows no bar.
  std::chrono::milliseconds delay{1000};
  /// The time between two updates of the bar.
  std::chrono::milliseconds interval{100};
};

/// Shows the progress of some work, from a thread of its own, while the object lives. The destructor clears the line.
/// Does nothing, and starts no thread, if the bar is not enabled or there is no terminal; shows nothing if no thread
/// can be started. Writes only plain ASCII and carriage returns, so that any terminal can show the bar.
class ProgressBar {
 public:
  /// `poll` returns the progress. The bar's thread calls it at most once per interval, never after the destructor. It
  /// must neither throw nor call `print`.
  ProgressBar(std::function<Progress()> poll, ProgressOptions options);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  /// Writes `text`, which consists of whole lines, to the standard error stream without disturbing the bar. Any thread
  /// may call this function.
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
  /// The number of characters that the bar now takes on the terminal's line.
  std::size_t shown_ TROUPE_GUARDED_BY(mutex_) = 0;

  std::thread thread_;
};

/// Returns the text of the bar, at most `width` characters: "factorize [#####.....]  50 %  5,000 / 10,000 tasks, 3.2 s
/// left". The remaining time assumes that the speed does not change; it is left out until some work is done.
std::string progress_line(const ProgressOptions& options, Progress progress, double elapsed_seconds, std::size_t width);

}  // namespace troupe::apps
