/// The node-local service: one runtime that the programs of its users share.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "service/codelets/codelet_source.hpp"
#include "service/server_options.hpp"
#include "service/views/service_view.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// Serves clients from `start` until it is destroyed. Thread-safe, apart from construction and destruction.
class Server : public ServiceViewSource {
 public:
  /// Starts the runtime and listens. `codelets` must outlive the server. Fails with `invalid_argument` or `platform`,
  /// and with `io` if the sockets cannot be made or another service uses them.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, const CodeletSource& codelets);
  /// Cancels all remaining tasks, waits for running kernels, and removes the sockets.
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Refuses new clients, and lets present clients finish the tasks that they have submitted; then ends their sessions
  /// with the error `stopped`. Returns at once; `wait_until_empty` waits for the last client.
  void drain();
  /// Does what `drain` does, and also cancels tasks that have not started.
  void cancel();
  /// Waits until no client is left. Returns false if some are left after `at_most`.
  bool wait_until_empty(Duration at_most);

  [[nodiscard]] ServiceView look() const override;
  [[nodiscard]] std::optional<WhyReport> why(std::optional<std::uint64_t> session) const override;
  /// Returns the ended sessions that are remembered, the newest last.
  [[nodiscard]] std::vector<SessionView> ended_sessions() const;

  /// Returns the folder of the sockets; empty if systemd passed them.
  [[nodiscard]] const std::string& folder() const;
  /// Sets the address of the HTTP server, with metrics and page, that `troupe status` shows.
  void set_http_address(std::string address);

 private:
  class Implementation;
  Server(const ServerOptions& options, const CodeletSource& codelets);

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace troupe::service
