#include "client/environment/start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <string>
#include <utility>

#include "client/embedded_backend.hpp"
#include "client/environment/environment.hpp"
#include "client/environment/run_output.hpp"
#include "client/environment/run_writer.hpp"
#include "client/environment/warnings.hpp"

namespace troupe::client {

namespace {

/// Warns once per process, because all runtimes of a process share its environment.
void warn_of_mistakes(const Warn& warn) {
  static std::atomic<bool> warned{false};
  const std::vector<std::string> mistakes = likely_mistakes();
  if (mistakes.empty() || warned.exchange(true)) return;
  for (const std::string& mistake : mistakes) warn(mistake);
}

}  // namespace

Result<std::unique_ptr<Backend>> start_in_environment(const RuntimeOptions& options) {
  auto merged = with_environment(options);
  if (!merged) return merged.failure();
  const auto& [settings, taken] = merged.value();
  const Warn warn = warner(options.observation.on_warning);
  warn_of_mistakes(warn);
  auto started = EmbeddedBackend::start(settings.options);
  if (!started && taken.empty()) return started.failure();
  if (!started) {
    return Failure{started.failure().code,
                   fmt::format("{} (the environment has {})", started.failure().message, fmt::join(taken, ", "))};
  }
  std::unique_ptr<EmbeddedBackend> backend = std::move(started).value();
  backend->warn_with(warn);
  if (settings.at_stop.nothing()) return std::unique_ptr<Backend>(std::move(backend));
  if (run_writer() == nullptr) {
    warn(fmt::format("what TROUPE_TRACE, TROUPE_REPORT and TROUPE_METRICS ask for is not written: {}",
                     why_no_run_writer()));
  } else {
    backend->at_stop([wanted = settings.at_stop, warn](Backend& stopping) { write_at_stop(stopping, wanted, warn); });
  }
  return std::unique_ptr<Backend>(std::move(backend));
}

}  // namespace troupe::client
