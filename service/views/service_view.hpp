/// A view of a service at one moment, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/running/live_view.hpp"
#include "client/remote/connection/session_view.hpp"
#include "troupe/units.hpp"
#include "troupe/why.hpp"

namespace troupe::service {

using remote::SessionView;

struct ServiceView {
  std::string version;
  std::int64_t process = 0;
  Duration age{};
  /// The state: "serving" or "draining".
  std::string state;
  /// The workers, mailboxes, memories and links.
  LiveView runtime;
  /// The sessions by id; includes ended sessions only if the caller asked for them.
  std::vector<SessionView> sessions;
};

/// The interface for questions to a service. Any thread may call its functions at any time.
class ServiceViewSource {
 public:
  virtual ~ServiceViewSource() = default;
  [[nodiscard]] virtual ServiceView look() const = 0;
  /// Returns why tasks of one session, or of all sessions, wait; nothing if there is no such session.
  [[nodiscard]] virtual std::optional<WhyReport> why(std::optional<std::uint64_t> session) const = 0;
};

}  // namespace troupe::service
