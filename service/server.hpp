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

/// Serves from `start` to its destructor. Thread-safe, apart from construction and destruction.
class Server : public ServiceViewSource {
 public:
  /// Starts the runtime and listens. `codelets` must outlive the server. Fails with `invalid_argument`, `platform`, or
  /// `io` where the sockets cannot be made, or another service has them.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, const CodeletSource& codelets);
  /// Cancels what is left, waits for running kernels, removes the sockets.
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Takes no new clients, and lets those that are there finish the tasks that they have submitted; then tells them
  /// `stopped`. Returns at once; `wait_until_empty` says when all have gone.
  void drain();
  /// So, but tasks that have not started are cancelled.
  void cancel();
  /// Returns when no client is left, or after `at_most`: false.
  bool wait_until_empty(Duration at_most);

  [[nodiscard]] ServiceView look() const override;
  [[nodiscard]] std::optional<WhyReport> why(std::optional<std::uint64_t> session) const override;
  /// Sessions that have ended, the newest last, as far as they are remembered.
  [[nodiscard]] std::vector<SessionView> ended_sessions() const;

  /// The folder of the sockets; empty where systemd passed them.
  [[nodiscard]] const std::string& folder() const;
  /// Where metrics and the page are, as `troupe status` says.
  void set_http_address(std::string address);

 private:
  class Implementation;
  Server(const ServerOptions& options, const CodeletSource& codelets);

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace troupe::service
