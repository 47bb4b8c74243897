/// The service's log: writes the events of `ServerOptions::log` as lines of text or JSON.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "service/configuration/configuration.hpp"
#include "service/configuration/event_log.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// Writes lines of text:
///
///     2026-03-01 12:00:00.123 info session opened session=12 user=1000
///
/// or of JSON, with all values as text. In both formats, control characters, characters that reverse the direction of
/// text, and bytes that are not UTF-8 are escaped or replaced:
///
///     {"time":"2026-03-01T12:00:00.123Z","level":"info","event":"session opened","session":"12","user":"1000"}
class Log {
 public:
  /// Fails with `io` if the file cannot be opened, and with `platform` if the writing thread cannot be started.
  [[nodiscard]] static Result<Log> open(const LogConfiguration& configuration);

  /// Passes one line to the writing thread. Thread-safe; never waits for the file. A line that cannot be written is
  /// lost. While a megabyte of lines waits to be written, further lines are lost, too; a later line gives their number.
  void write(LogLevel level, std::string_view event, LogFields fields = {}) const;
  /// Opens the file again by its name, for example after a rotation of logs has renamed the old file. Later lines go to
  /// the new file.
  void reopen() const;
  /// Waits until everything has been written; returns false if that took longer than `at_most`.
  bool flush(std::chrono::milliseconds at_most) const;
  /// Returns a sink for the server. The log lives as long as the sink does.
  [[nodiscard]] LogSink sink() const;

 private:
  class Writer;
  class WriterThread;
  explicit Log(std::shared_ptr<const WriterThread> thread) : thread_(std::move(thread)) {}

  std::shared_ptr<const WriterThread> thread_;
};

}  // namespace troupe::service
