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

/// The limits of one client: going beyond them ends the client's session, or is refused.
struct SessionLimits {
  /// Tasks in flight, those of runs of recordings included; the last run may go beyond.
  std::uint64_t tasks = 262'144;
  /// Registered handles, blocks included.
  std::uint64_t handles = 1'048'576;
  /// Tasks in all of a client's recordings.
  std::uint64_t recorded_tasks = 4'194'304;
  /// Shared memory. Never more than `memory_per_user`.
  Bytes memory = {64ULL << 30U};
  /// The memory that all clients of one user may have together: shared memory, and the service's objects for them. It
  /// is never more than seven eighths of the memory of the machine or the control group; nothing: three quarters of it.
  std::optional<Bytes> memory_per_user = std::nullopt;
  /// Segments of shared memory.
  std::size_t segments = 4096;
  /// Tasks that would run for longer are refused, as far as that can be told before. Zero: none are.
  Duration kernel_time = std::chrono::seconds(2);
};

struct ServerOptions {
  RuntimeOptions runtime = {};
  /// Where the sockets are. Empty: `$XDG_RUNTIME_DIR/troupe`, for root `/run/troupe`.
  std::string folder = {};
  /// Members of this group may use the service, besides its owner and root. Empty: nobody else.
  std::string group = {};
  /// Take the sockets that systemd passes (`LISTEN_FDS`), where it does.
  bool inherit_sockets = true;
  /// Clients at a time.
  std::size_t sessions = 256;
  /// The most sessions of one user.
  std::size_t sessions_per_user = 128;
  /// Connections at a time that one user may have to each socket, and how many he may make in a second; what comes
  /// faster waits, but for some that a time of rest allows at once.
  std::size_t connections_per_user = 512;
  std::size_t connections_per_second = 50;
  /// Calls of one user in a second, over all his connections, and bytes of answers that he has not read.
  std::size_t calls_per_second = 250;
  Bytes unread_answers = {64ULL << 20U};
  /// For each `Resource`, the amount that all clients of a user may have together; 0: half of what the system has for
  /// all.
  ResourceAmounts budgets_per_user = {};
  SessionLimits limits = {};
  /// A client's share of the workers while several have work, by its user. Null: 1 for everybody.
  std::function<double(std::uint32_t user)> weight = nullptr;
  /// The texts of `troupe metrics` and of the live view as JSON. Null: the calls answer that they are not offered.
  std::function<std::string(const ServiceViewSource&)> metrics_text = nullptr;
  std::function<std::string(const ServiceViewSource&)> look_json = nullptr;
  /// Null: nobody is told.
  LogSink log = nullptr;
};

}  // namespace troupe::service
