#include "service/configuration/log.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <nlohmann/json.hpp>

namespace troupe::service {

namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: break;
  }
  return spdlog::level::err;
}

/// As JSON, in quotes; bytes that are no UTF-8 are replaced.
std::string json_text(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_plain(std::string_view value) {
  if (value.empty()) return false;
  for (const char c : value) {
    if (c <= ' ' || c > '~' || c == '"' || c == '=' || c == '\\') return false;
  }
  return true;
}

std::string text_line(std::string_view event, LogFields fields) {
  std::string line(event);
  for (const auto& [name, value] : fields)
    line += fmt::format(" {}={}", name, is_plain(value) ? value : json_text(value));
  return line;
}

std::string json_line(LogLevel level, std::string_view event, LogFields fields) {
  std::string line = fmt::format("\"level\":\"{}\",\"event\":{}", to_string(level), json_text(event));
  for (const auto& [name, value] : fields) line += fmt::format(",{}:{}", json_text(name), json_text(value));
  return line + "}";
}

}  // namespace

class Log::Writer {
 public:
  Writer(LogFormat format, LogLevel level, spdlog::sink_ptr sink)
      : format_(format), logger_("troupe", std::move(sink)) {
    // The level by our own name, as spdlog's is "warn".
    auto formatter = std::make_unique<spdlog::pattern_formatter>(
        format == LogFormat::json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v)" : "%Y-%m-%d %H:%M:%S.%e %v",
        format == LogFormat::json ? spdlog::pattern_time_type::utc : spdlog::pattern_time_type::local);
    logger_.set_formatter(std::move(formatter));
    logger_.set_level(spdlog_level(level));
    logger_.flush_on(spdlog::level::debug);
    logger_.set_error_handler([](const std::string&) {});
  }

  void write(LogLevel level, std::string_view event, LogFields fields) const {
    const auto wanted = spdlog_level(level);
    if (!logger_.should_log(wanted)) return;
    const std::string line = format_ == LogFormat::json
                                 ? json_line(level, event, fields)
                                 : fmt::format("{} {}", to_string(level), text_line(event, fields));
    logger_.log(wanted, spdlog::string_view_t(line));
  }

 private:
  LogFormat format_;
  mutable spdlog::logger logger_;
};

Result<Log> Log::open(const LogConfiguration& configuration) {
  try {
    spdlog::sink_ptr sink;
    if (configuration.file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(configuration.file);
    }
    return Log(std::make_shared<const Writer>(configuration.format, configuration.level, std::move(sink)));
  } catch (const spdlog::spdlog_ex& error) {
    return Failure{ErrorCode::io, fmt::format("cannot open the log {}: {}", configuration.file, error.what())};
  }
}

void Log::write(LogLevel level, std::string_view event, LogFields fields) const {
  writer_->write(level, event, fields);
}

LogSink Log::sink() const {
  return [writer = writer_](LogLevel level, std::string_view event, LogFields fields) {
    writer->write(level, event, fields);
  };
}

}  // namespace troupe::service
