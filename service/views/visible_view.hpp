/// The view of a service that one user may see.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "service/views/service_view.hpp"

namespace troupe::service {

/// A view without other users' sessions. It shows that workers are busy with other sessions, but not the names of their
/// programs and tasks.
class VisibleView final : public ServiceViewSource {
 public:
  /// `visible` returns true for users whose sessions may be seen. `visible` and `whole` must stay valid as long as this
  /// view.
  VisibleView(const ServiceViewSource& whole, std::function<bool(std::uint32_t user)> visible)
      : whole_(whole), visible_(std::move(visible)) {}

  [[nodiscard]] ServiceView look() const override;
  [[nodiscard]] std::optional<WhyReport> why(std::optional<std::uint64_t> session) const override;

 private:
  const ServiceViewSource& whole_;
  const std::function<bool(std::uint32_t user)> visible_;
};

/// Returns the name of a session's graph in views of the runtime, such as "12:solver".
[[nodiscard]] std::string graph_name(std::uint64_t session, const std::string& name);

/// Adds another session's report to `all`; `session` is added to the names of its tasks.
void merge(WhyReport& all, WhyReport one, std::uint64_t session);

}  // namespace troupe::service
