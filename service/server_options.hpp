/// The options of a service.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "service/budgets/budget_table.hpp"
#include "service/configuration/event_log.hpp"
#include "service/views/service_view.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/units.hpp"

namespace troupe::service {

/// The limits of one client. A request that exceeds a limit is refused, or ends the client's session.
struct SessionLimits {
  /// The limit for tasks in flight, including tasks of replayed recordings. A replay may begin below the limit and
  /// exceed it.
  std::uint64_t tasks = 262'144;
  /// The limit for registered handles, including blocks.
  std::uint64_t handles = 1'048'576;
  /// The limit for tasks in all of a client's recordings.
  std::uint64_t recorded_tasks = 4'194'304;
  /// The limit for shared memory of one client. If `memory_per_user` is lower, that limit is used instead.
  Bytes memory = {64ULL << 30U};
  /// The limit for the memory of all clients of one user together: shared memory, and the service's objects for these
  /// clients. The limit is never more than seven eighths of the memory of the machine or the control group. Without a
  /// value, the limit is three quarters of that memory.
  std::optional<Bytes> memory_per_user = std::nullopt;
  /// The limit for segments of shared memory.
  std::size_t segments = 4096;
  /// Tasks that would run for longer than this are refused, as far as their time can be predicted. Zero means no limit.
  Duration kernel_time = std::chrono::seconds(2);
};

struct ServerOptions {
  RuntimeOptions runtime = {};
  /// The folder of the sockets. Empty means `$XDG_RUNTIME_DIR/troupe`, or for root `/run/troupe`.
  std::string folder = {};
  /// The group whose members may use the service, besides the owner of the service and root. If empty, no other user
  /// may.
  std::string group = {};
  /// True if the service uses the sockets that systemd passes (`LISTEN_FDS`), if there are any.
  bool inherit_sockets = true;
  /// The limit for clients at a time.
  std::size_t sessions = 256;
  /// The limit for sessions of one user.
  std::size_t sessions_per_user = 128;
  /// The limits for one user's connections to each socket: the connections at a time, and the new connections in a
  /// second. Connections above the rate have to wait, except for a burst after a pause.
  std::size_t connections_per_user = 512;
  std::size_t connections_per_second = 50;
  /// The limits for one user's calls in a second, over all of the user's connections, and for the bytes of answers that
  /// the user has not read.
  std::size_t calls_per_second = 250;
  Bytes unread_answers = {64ULL << 20U};
  /// For each `Resource`, the amount that all clients of a user may have together; 0 means half of the amount for all
  /// users.
  ResourceAmounts budgets_per_user = {};
  SessionLimits limits = {};
  /// Returns the weight of a user's clients. While several clients have work, weights decide their shares of the
  /// workers. Null means 1 for every user.
  std::function<double(std::uint32_t user)> weight = nullptr;
  /// These functions return the texts of `troupe metrics` and of the live view as JSON. If a function is null, the
  /// service answers that it does not offer the call.
  std::function<std::string(const ServiceViewSource&)> metrics_text = nullptr;
  std::function<std::string(const ServiceViewSource&)> look_json = nullptr;
  /// Receives the service's events; may be null.
  LogSink log = nullptr;
};

}  // namespace troupe::service
