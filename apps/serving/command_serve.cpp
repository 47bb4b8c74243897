/// `troupe serve`: the service of this node.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "apps/command_line.hpp"
#include "apps/service/serve_signals.hpp"
#include "apps/serving/forced_end.hpp"
#include "apps/serving/serve_arguments.hpp"
#include "apps/serving/serve_command.hpp"
#include "client/remote/connection/socket_folder.hpp"
#include "platform/machine/process_limits.hpp"
#include "proto/wire/memory_packets.hpp"
#include "service/codelets/codelet_library.hpp"
#include "service/configuration/log.hpp"
#include "service/configuration/weights.hpp"
#include "service/connections/manager_notice.hpp"
#include "service/descriptor_reserve.hpp"
#include "service/http/http_server.hpp"
#include "service/http/token_file.hpp"
#include "service/server.hpp"
#include "service/views/prometheus_text.hpp"
#include "service/views/view_json.hpp"

namespace troupe::apps {

namespace {

using service::Configuration;
using service::Log;
using service::LogField;
using service::LogLevel;

/// Sends a notice to the service manager. A failure is only written to the log.
void tell_manager(const std::string& socket, std::string_view notice, const Log& log) {
  const auto told = service::notify_manager(socket, notice);
  if (!told) log.write(LogLevel::warning, "manager not told", std::array{LogField{"reason", told.failure().message}});
}

service::ServerOptions server_options(const Configuration& configuration, const Log& log) {
  service::ServerOptions options = configuration.server;
  // Clients also call `remote::socket_folder`, so that both sides use the same folder.
  options.folder = remote::socket_folder(configuration.server.folder).value_or_throw();
  options.weight = service::weights_of(configuration.weights, [&log](const std::string& unknown) {
    log.write(LogLevel::warning, "weight not used", std::array{LogField{"reason", unknown}});
  });
  options.metrics_text = [](const service::ServiceViewSource& source) {
    return service::prometheus_text(source.look());
  };
  options.look_json = [](const service::ServiceViewSource& source) { return service::view_to_text(source.look()); };
  options.log = log.sink();
  options.runtime.observation.on_warning = [log](const std::string& what) {
    log.write(LogLevel::warning, "runtime", std::array{LogField{"reason", what}});
  };
  return options;
}

/// The time from the second signal to the end of the process: twice the time for which clients may read the last
/// message.
constexpr Duration kLastSeconds = std::chrono::seconds(4);

/// Starts the HTTP server; returns null if the configuration does not enable it.
std::unique_ptr<service::HttpServer> start_http(const Configuration& configuration, service::Server& server) {
  if (!configuration.http.enabled) return nullptr;
  service::HttpOptions options{.address = configuration.http.address, .port = configuration.http.port};
  if (!configuration.http.token_file.empty()) {
    options.token = service::read_token(configuration.http.token_file, ::geteuid()).value_or_throw();
  }
  auto http = service::HttpServer::start(server, options).value_or_throw();
  server.set_http_address(http->url());
  return http;
}

/// Returns the next signal that requests the service to stop. If the log is a file, SIGHUP only reopens the file; if it
/// is a terminal, SIGHUP means that the terminal has gone.
std::optional<int> next_stop(const StopSignals& signals, std::optional<Duration> at_most, const Log& log,
                             const Configuration& configuration) {
  std::optional<int> signal = signals.wait(at_most);
  while (signal == SIGHUP && !configuration.log.file.empty()) {
    log.reopen();
    log.write(LogLevel::info, "log opened anew");
    signal = signals.wait(at_most);
  }
  return signal;
}

/// Writes to the log that running kernels are aborted, and removes the socket files, which the next service would
/// otherwise have to remove.
void say_last_words(const std::string& folder, const Log& log) {
  // The log gets only a moment, because its thread may wait for its file for ever.
  constexpr std::chrono::milliseconds kForTheLog{300};
  log.write(LogLevel::warning, "stopped while kernels ran",
            std::array{LogField{"reason", "they cannot be interrupted, and the service was told to stop twice"}});
  for (const std::string_view name : {wire::kServiceSocket, wire::kMemorySocket}) {
    if (!folder.empty()) ::unlink((folder + "/" + std::string(name)).c_str());
  }
  (void)log.flush(kForTheLog);
}

/// Stops the service. Tasks that clients have submitted may still run. A signal, or the end of the allowed time,
/// cancels these tasks.
void stop(service::Server& server, ForcedEnd& end, const Log& log, const Configuration& configuration) {
  const Duration cancel_after = configuration.stop.cancel_after;
  constexpr Duration kLook = std::chrono::milliseconds(50);
  log.write(LogLevel::info, "draining");
  server.drain();
  bool cancelled = false;
  const auto start = std::chrono::steady_clock::now();
  while (!server.wait_until_empty(kLook)) {
    const bool late = cancel_after > Duration::zero() && std::chrono::steady_clock::now() - start >= cancel_after;
    if (late) end.hurry();
    if (cancelled || !end.hurries()) continue;
    log.write(LogLevel::info, "cancelling");
    server.cancel();
    cancelled = true;
  }
}

/// Returns an upper limit of the number of threads that are started, including threads of libraries.
std::size_t threads_at_start(const Configuration& configuration) {
  constexpr std::size_t kOthers = 40;
  const auto& runtime = configuration.server.runtime;
  const std::size_t cores =
      runtime.cores > 0 ? static_cast<std::size_t>(runtime.cores) : std::thread::hardware_concurrency();
  return cores + kOthers;
}

int serve(const Configuration& configuration) {
  service::raise_descriptor_limit();
  const StopSignals signals;
  const std::string manager = service::take_notice_socket();
  std::signal(SIGPIPE, SIG_IGN);
  platform::try_threads(threads_at_start(configuration)).value_or_throw();
  const Log log = Log::open(configuration.log).value_or_throw();
  service::CodeletLibrary codelets;
  service::load_plugins(configuration.plugins, ::geteuid(), codelets, log.sink()).value_or_throw();
  codelets.check_restrictions(configuration.server.runtime.placement.restrict).value_or_throw();
  auto server = service::Server::start(server_options(configuration, log), codelets).value_or_throw();
  std::unique_ptr<ForcedEnd> end;
  {
    const auto http = start_http(configuration, *server);
    log.write(LogLevel::info, "serving",
              std::array{LogField{"version", TROUPE_VERSION}, LogField{"folder", server->folder()},
                         LogField{"http", http ? http->url() : "none"},
                         LogField{"codelets", std::to_string(codelets.size())}});
    tell_manager(manager, "READY=1\nSTATUS=Serving", log);
    (void)next_stop(signals, std::nullopt, log, configuration);
    end = std::make_unique<ForcedEnd>(ForcedEnd::Options{
        [&](Duration at_most) { return next_stop(signals, at_most, log, configuration).has_value(); },
        [&log, folder = server->folder()] { say_last_words(folder, log); }, kLastSeconds});
    tell_manager(manager, "STOPPING=1\nSTATUS=Waiting for clients", log);
    stop(*server, *end, log, configuration);
  }
  server.reset();
  log.write(LogLevel::info, "stopped");
  return kSuccess;
}

}  // namespace

std::unique_ptr<CLI::App> make_serve(Command& chosen) {
  auto arguments = std::make_shared<ServeArguments>();
  auto application = std::make_unique<CLI::App>("Run the service that programs of this node share", "troupe serve");
  add_serve_options(*application, *arguments);
  application->callback([arguments, &chosen] {
    chosen = [arguments] {
      const Configuration configuration = effective_configuration(*arguments);
      if (!arguments->print_config) return serve(configuration);
      fmt::print("{}", service::to_toml(configuration));
      return kSuccess;
    };
  });
  return application;
}

}  // namespace troupe::apps
