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
  /// "serving", "draining".
  std::string state;
  /// The workers, mailboxes, memories and links.
  LiveView runtime;
  /// The sessions by id; ended ones only if they were asked for.
  std::vector<SessionView> sessions;
};

/// The interface through which a service is asked. Any thread, at any time.
class ServiceViewSource {
 public:
  virtual ~ServiceViewSource() = default;
  [[nodiscard]] virtual ServiceView look() const = 0;
  /// Why tasks do not go on: of one session, or of all. Nothing where there is no such session.
  [[nodiscard]] virtual std::optional<WhyReport> why(std::optional<std::uint64_t> session) const = 0;
};

}  // namespace troupe::service
