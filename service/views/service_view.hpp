/// What can be seen of a service at one moment, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/observation/why_report.hpp"
#include "actors/running/live_view.hpp"
#include "proto/units.hpp"

namespace troupe::service {

/// One client's program.
struct SessionView {
  std::uint64_t id = 0;
  /// What the program calls itself.
  std::string name;
  /// Of the process at the other end of the socket.
  std::uint32_t user = 0;
  std::int64_t process = 0;
  double weight = 1;
  /// "running", "cancelled", "gone" (its client is, and its last kernels still run), "done", "lost" (its client went
  /// without a word: it was killed, say).
  std::string state;
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t failed = 0;
  /// Time that workers have spent on its tasks.
  Duration worker_time{};
  /// Shared memory that it has.
  Bytes memory;
  Duration age{};
};

struct ServiceView {
  std::string version;
  std::int64_t process = 0;
  Duration age{};
  /// "serving", "draining".
  std::string state;
  /// The workers, mailboxes, memories and links.
  LiveView runtime;
  /// By id; those that have ended only where asked for.
  std::vector<SessionView> sessions;
};

/// Who can be asked. Any thread, at any time.
class ServiceViewSource {
 public:
  virtual ~ServiceViewSource() = default;
  [[nodiscard]] virtual ServiceView look() const = 0;
  /// Why tasks do not go on: of one session, or of all. Nothing where there is no such session.
  [[nodiscard]] virtual std::optional<WhyReport> why(std::optional<std::uint64_t> session) const = 0;
};

}  // namespace troupe::service
