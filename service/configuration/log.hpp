/// The service's log: what `ServerOptions::log` tells, as lines of text or JSON.
#pragma once

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
/// and of JSON, with all values as text, and control characters and what is no UTF-8 made harmless in both:
///
///     {"time":"2026-03-01T12:00:00.123Z","level":"info","event":"session opened","session":"12","user":"1000"}
class Log {
 public:
  /// Fails with `io` where the file cannot be opened.
  [[nodiscard]] static Result<Log> open(const LogConfiguration& configuration);

  /// Writes one line. Thread-safe. What cannot be written is lost.
  void write(LogLevel level, std::string_view event, LogFields fields = {}) const;
  /// For the server; lives as long as somebody has it.
  [[nodiscard]] LogSink sink() const;

 private:
  class Writer;
  explicit Log(std::shared_ptr<const Writer> writer) : writer_(std::move(writer)) {}

  std::shared_ptr<const Writer> writer_;
};

}  // namespace troupe::service
