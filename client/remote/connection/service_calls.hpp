/// Requests to a running service that have one answer each. The commands `status`, `jobs`, `cancel`, `why`, `metrics`
/// and `top` use them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/remote/connection/session_view.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::remote {

struct ServiceStatus {
  std::string version;
  std::uint32_t protocol_version = 0;
  std::int64_t process = 0;
  Duration uptime{};
  std::string policy;
  std::uint32_t workers = 0;
  std::uint32_t sessions = 0;
  /// The service's state: "serving" or "draining".
  std::string state;
  /// The address of the metrics and the web page; empty if there is none.
  std::string http_address;
};

/// The reasons why tasks do not make progress, as text and as JSON.
struct ServiceWhy {
  std::string text;
  std::string json;
};

struct ServiceCallsOptions {
  /// The longest time that a call waits for its answer.
  Duration deadline = std::chrono::seconds(10);
};

/// A connection to a service. Calls fail with
/// - `io`: the service does not answer, or has ended; `connect` again,
/// - `platform`: the service refuses this user, or speaks another version of the protocol,
/// - `invalid_argument`: the service knows no such session,
/// and the message says what to do. Any thread may call.
class ServiceCalls {
 public:
  /// Connects to the service whose sockets are in `folder` (`socket_folder`). Fails at once if there is no service.
  static Result<ServiceCalls> connect(const std::string& folder, ServiceCallsOptions options = {});

  ServiceCalls(ServiceCalls&& other) noexcept;
  ServiceCalls& operator=(ServiceCalls&& other) noexcept;
  ~ServiceCalls();

  /// Makes a call without an effect. Its duration shows what a call costs.
  [[nodiscard]] Result<void> ping() const;
  [[nodiscard]] Result<ServiceStatus> status() const;
  /// Returns the sessions that the caller may see, by number. If `all` is true, the result includes ended sessions that
  /// the service still remembers.
  [[nodiscard]] Result<std::vector<SessionView>> jobs(bool all = false) const;
  /// Cancels all tasks of a session that have not started, and all tasks that the session submits later. Returns the
  /// number of tasks that will not run.
  [[nodiscard]] Result<std::uint64_t> cancel_job(std::uint64_t session) const;
  /// Returns the reasons for one session, or for all sessions that the caller may see.
  [[nodiscard]] Result<ServiceWhy> why(std::optional<std::uint64_t> session = std::nullopt) const;
  /// Returns the metrics in Prometheus' text format.
  [[nodiscard]] Result<std::string> metrics() const;
  /// Returns the live view as JSON (docs/service.md).
  [[nodiscard]] Result<std::string> look() const;

 private:
  struct Connection;
  explicit ServiceCalls(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;
};

}  // namespace troupe::remote
