#include "service/configuration/log.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <deque>
#include <system_error>
#include <thread>
#include <utility>

#include "platform/files/file_descriptor.hpp"
#include "proto/json/json.hpp"
#include "proto/mutex.hpp"
#include "service/configuration/trusted_files.hpp"
#include "service/views/harmless_text.hpp"

namespace troupe::service {

namespace {

using platform::FileDescriptor;

/// The limit for the bytes of lines that wait to be written to a slow file; further lines are lost.
constexpr std::size_t kMostBytes = 1 << 20U;
/// The longest time for which the end of the log waits until all lines are written.
constexpr std::chrono::seconds kLastMoment{1};

/// Returns the text as JSON, in quotes. Bytes that are not UTF-8 are replaced, and characters that control terminals
/// are escaped.
std::string json_text(std::string_view text) { return harmless_json(Json(std::string(text)).dump()); }

bool is_plain(std::string_view value) {
  if (value.empty()) return false;
  for (const char c : value) {
    if (c <= ' ' || c > '~' || c == '"' || c == '=' || c == '\\') return false;
  }
  return true;
}

std::string text_line(LogLevel level, std::string_view event, LogFields fields) {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm local{};
  const std::time_t time = std::chrono::system_clock::to_time_t(now);
  ::localtime_r(&time, &local);
  std::string line = fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03} {} {}", local, ms, to_string(level), event);
  for (const auto& [name, value] : fields)
    line += fmt::format(" {}={}", name, is_plain(value) ? value : json_text(value));
  return line + "\n";
}

std::string json_line(LogLevel level, std::string_view event, LogFields fields) {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm utc{};
  const std::time_t time = std::chrono::system_clock::to_time_t(now);
  ::gmtime_r(&time, &utc);
  std::string line = fmt::format("{{\"time\":\"{:%Y-%m-%dT%H:%M:%S}.{:03}Z\",\"level\":\"{}\",\"event\":{}", utc, ms,
                                 to_string(level), json_text(event));
  for (const auto& [name, value] : fields) line += fmt::format(",{}:{}", json_text(name), json_text(value));
  return line + "}\n";
}

Result<FileDescriptor> open_file(const std::string& path) {
  const Result<std::string> place = place_of_file(path, ::geteuid());
  if (!place) return Failure{place.failure().code, fmt::format("the log {}: {}", path, place.failure().message)};
  // Links below /proc are made by the kernel and lead to open files, such as standard error. Other links are not
  // followed: an attacker may just have made them.
  const int links = place.value().starts_with("/proc/") ? 0 : O_NOFOLLOW;
  // O_NONBLOCK: if the file is a pipe, opening it does not wait for a reader.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  FileDescriptor file(::open(place.value().c_str(), kFlags | links, 0666));
  if (file.valid()) return file;
  return Failure{ErrorCode::io,
                 fmt::format("cannot open the log {}: {}", path, std::generic_category().message(errno))};
}

/// Writes the text; gives up at the first error.
void write_all(int file, std::string_view text) {
  constexpr int kForever = -1;
  while (!text.empty()) {
    const ssize_t size = ::write(file, text.data(), text.size());
    if (size > 0) {
      text.remove_prefix(static_cast<std::size_t>(size));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd writable{file, POLLOUT, 0};
      ::poll(&writable, 1, kForever);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

/// The state that the writing thread shares with the threads that log. Only the writing thread waits for the file. The
/// wait may never end, for example if nobody reads a pipe. Then the end of the log does not wait for the thread: the
/// thread and this object continue to exist.
class Log::Writer {
 public:
  Writer(const LogConfiguration& configuration, FileDescriptor file)
      : format_(configuration.format), level_(configuration.level), path_(configuration.file), file_(std::move(file)) {}

  static void run(const std::shared_ptr<Writer>& writer) { writer->run(); }

  void write(LogLevel level, std::string_view event, LogFields fields) {
    if (level < level_) return;
    std::string line = line_of(level, event, fields);
    const LockGuard lock(mutex_);
    if (bytes_ + line.size() > kMostBytes) {
      ++lost_;
      return;
    }
    bytes_ += line.size();
    lines_.push_back(std::move(line));
    changed_.notify_all();
  }

  void reopen() {
    const LockGuard lock(mutex_);
    reopen_ = !path_.empty();
    changed_.notify_all();
  }

  bool flush(std::chrono::milliseconds at_most) {
    UniqueLock lock(mutex_);
    return changed_.wait_for(lock, at_most, [this]() TROUPE_REQUIRES(mutex_) { return idle(); });
  }

  void stop() {
    const LockGuard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }

 private:
  [[nodiscard]] std::string line_of(LogLevel level, std::string_view event, LogFields fields) const {
    return format_ == LogFormat::json ? json_line(level, event, fields) : text_line(level, event, fields);
  }
  [[nodiscard]] bool idle() const TROUPE_REQUIRES(mutex_) { return lines_.empty() && !reopen_ && !writing_; }

  void run() {
    // SIGPIPE is blocked, so that a write to a pipe without a reader fails like any other write.
    sigset_t broken_pipe{};
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    UniqueLock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stopping_ || !lines_.empty() || reopen_; });
      if (lines_.empty() && !reopen_) return;
      writing_ = true;
      const bool reopen = std::exchange(reopen_, false);
      std::deque<std::string> lines;
      lines.swap(lines_);
      bytes_ = 0;
      const std::uint64_t lost = std::exchange(lost_, 0);
      lock.unlock();
      if (reopen) open_anew();
      for (const std::string& line : lines) write_all(target(), line);
      if (lost > 0) {
        const LogField count{"lines", std::to_string(lost)};
        write_all(target(), line_of(LogLevel::warning, "log lines lost", {&count, 1}));
      }
      lock.lock();
      writing_ = false;
      changed_.notify_all();
    }
  }

  void open_anew() {
    auto file = open_file(path_);
    if (file) {
      file_ = std::move(file).value();
      return;
    }
    const LogField reason{"reason", file.failure().message};
    write_all(target(), line_of(LogLevel::error, "log not opened anew", {&reason, 1}));
  }

  [[nodiscard]] int target() const { return path_.empty() ? STDERR_FILENO : file_.get(); }

  const LogFormat format_;
  const LogLevel level_;
  const std::string path_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_ TROUPE_GUARDED_BY(mutex_);
  std::size_t bytes_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::uint64_t lost_ TROUPE_GUARDED_BY(mutex_) = 0;
  bool reopen_ TROUPE_GUARDED_BY(mutex_) = false;
  bool writing_ TROUPE_GUARDED_BY(mutex_) = false;
  bool stopping_ TROUPE_GUARDED_BY(mutex_) = false;
  /// Used by the writing thread only.
  FileDescriptor file_;
};

/// The writer and its thread. When the last user of the log releases this object, both end.
class Log::WriterThread {
 public:
  explicit WriterThread(const std::shared_ptr<Writer>& writer)
      : writer_(writer), thread_([writer] { Writer::run(writer); }) {}
  ~WriterThread() {
    const bool written = writer_->flush(kLastMoment);
    writer_->stop();
    if (written) {
      thread_.join();
    } else {
      thread_.detach();
    }
  }
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;

  [[nodiscard]] Writer& writer() const { return *writer_; }

 private:
  const std::shared_ptr<Writer> writer_;
  std::thread thread_;
};

Result<Log> Log::open(const LogConfiguration& configuration) {
  FileDescriptor file;
  if (!configuration.file.empty()) {
    auto opened = open_file(configuration.file);
    if (!opened) return opened.failure();
    file = std::move(opened).value();
  }
  try {
    const auto writer = std::make_shared<Writer>(configuration, std::move(file));
    return Log(std::make_shared<const WriterThread>(writer));
  } catch (const std::system_error& error) {
    return Failure{ErrorCode::platform, fmt::format("cannot start the thread that writes the log: {}", error.what())};
  }
}

void Log::write(LogLevel level, std::string_view event, LogFields fields) const {
  thread_->writer().write(level, event, fields);
}

void Log::reopen() const { thread_->writer().reopen(); }

bool Log::flush(std::chrono::milliseconds at_most) const { return thread_->writer().flush(at_most); }

LogSink Log::sink() const {
  return [thread = thread_](LogLevel level, std::string_view event, LogFields fields) {
    thread->writer().write(level, event, fields);
  };
}

}  // namespace troupe::service
