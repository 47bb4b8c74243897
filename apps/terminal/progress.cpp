#include "apps/terminal/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <system_error>

#include "traces/text/human.hpp"

namespace troupe::apps {
namespace {

std::size_t terminal_width(int terminal) {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (::ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

/// Writes all of the text. A failure is ignored, because a progress bar that cannot be shown is not worth an error.
void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Starts a thread that gets no signals, because signals are for the threads that wait for them.
template <class Function>
std::thread start_without_signals(Function function) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(std::move(function));
  } catch (const std::system_error&) {
    // If no thread can be started, the work continues without a progress bar.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

std::string progress_line(const ProgressOptions& options, Progress progress, double elapsed_seconds,
                          std::size_t width) {
  const std::string label = options.label.empty() ? "" : options.label + " ";
  std::string line;
  if (progress.total == 0) {
    line = fmt::format("{}{} {}", label, human_count(progress.done), options.unit);
  } else {
    const double fraction =
        static_cast<double>(std::min(progress.done, progress.total)) / static_cast<double>(progress.total);
    std::string numbers = fmt::format(" {:3.0f} %  {} / {} {}", std::floor(fraction * 100), human_count(progress.done),
                                      human_count(progress.total), options.unit);
    if (fraction > 0)
      numbers += fmt::format(", {} left", traces::human_seconds(elapsed_seconds * (1 - fraction) / fraction));
    constexpr std::size_t kWidest = 40;
    constexpr std::size_t kNarrowest = 5;
    const std::size_t taken = label.size() + numbers.size() + 2;
    const std::size_t cells = width > taken ? std::min(kWidest, width - taken) : 0;
    const auto full = static_cast<std::size_t>(fraction * static_cast<double>(cells));
    const std::string bar =
        cells < kNarrowest ? "" : fmt::format("[{}{}]", std::string(full, '#'), std::string(cells - full, '.'));
    line = label + bar + numbers;
  }
  return line.substr(0, width);
}

ProgressBar::ProgressBar(std::function<Progress()> poll, ProgressOptions options)
    : poll_(std::move(poll)), options_(std::move(options)) {
  if (options_.enabled && ::isatty(options_.terminal) == 1) thread_ = start_without_signals([this] { run(); });
}

ProgressBar::~ProgressBar() {
  if (!thread_.joinable()) return;
  {
    const LockGuard lock(mutex_);
    stop_ = true;
  }
  stop_requested_.notify_one();
  thread_.join();
}

void ProgressBar::print(std::string_view text) {
  const LockGuard lock(mutex_);
  erase();
  write_all(options_.terminal, text);
}

void ProgressBar::run() {
  UniqueLock lock(mutex_);
  const auto stopped = [this]() TROUPE_REQUIRES(mutex_) { return stop_; };
  if (stop_requested_.wait_for(lock, options_.delay, stopped)) return;
  do {
    show();
  } while (!stop_requested_.wait_for(lock, options_.interval, stopped));
  erase();
}

void ProgressBar::show() {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
  // The last column stays empty, because a character there would move the cursor of some terminals to the next line.
  const std::size_t width = terminal_width(options_.terminal) - 1;
  const std::string line = progress_line(options_, poll_(), elapsed.count(), width);
  const std::size_t rest = shown_ > line.size() ? std::min(shown_, width) - std::min(line.size(), width) : 0;
  write_all(options_.terminal, "\r" + line + std::string(rest, ' '));
  shown_ = line.size();
}

void ProgressBar::erase() {
  if (shown_ == 0) return;
  write_all(options_.terminal, "\r" + std::string(shown_, ' ') + "\r");
  shown_ = 0;
}

}  // namespace troupe::apps
