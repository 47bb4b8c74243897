/// The service's log: what `ServerOptions::log` tells, as lines of text or JSON.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "proto/errors.hpp"
#include "service/configuration/configuration.hpp"
#include "service/configuration/event_log.hpp"

namespace troupe::service {

/// Lines of text:
///
///     2026-03-01 12:00:00.123 info session opened session=12 user=1000
///
/// and of JSON, with all values as text. Control characters, those that turn the direction of text round, and what is
/// no UTF-8 are made harmless in both:
///
///     {"time":"2026-03-01T12:00:00.123Z","level":"info","event":"session opened","session":"12","user":"1000"}
class Log {
 public:
  /// Fails with `io` where the file cannot be opened, with `platform` where there is no thread for it.
  [[nodiscard]] static Result<Log> open(const LogConfiguration& configuration);

  /// Leaves one line to the thread that writes. Thread-safe; never waits for the file. What cannot be written is lost,
  /// and lines that come when a megabyte waits; then a line says how many.
  void write(LogLevel level, std::string_view event, LogFields fields = {}) const;
  /// Lines that come from now on go to a file of that name, which may have been renamed meanwhile.
  void reopen() const;
  /// Waits until everything has been written; false: for so long it could not be.
  bool flush(std::chrono::milliseconds at_most) const;
  /// For the server; lives as long as somebody has it.
  [[nodiscard]] LogSink sink() const;

 private:
  class Writer;
  class Handle;
  explicit Log(std::shared_ptr<const Handle> handle) : handle_(std::move(handle)) {}

  std::shared_ptr<const Handle> handle_;
};

}  // namespace troupe::service
