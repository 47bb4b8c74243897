/// Events that a service reports while it runs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::service {

enum class LogLevel { debug, info, warning, error };
[[nodiscard]] constexpr const char* to_string(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warning: return "warning";
    case LogLevel::error: return "error";
  }
  return "unknown";
}

/// A name and its value, for logs that machines read: {"session", "12"}.
using LogField = std::pair<std::string_view, std::string>;
using LogFields = std::span<const LogField>;

/// Receives the events. `event` names the event in a few fixed words ("session opened"); `fields` give the details,
/// such as session and reason. Several threads may call this function at once. It must not block for long and must not
/// use the server.
using LogSink = std::function<void(LogLevel level, std::string_view event, LogFields fields)>;

}  // namespace troupe::service
