/// The part of a service that one user may see.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "service/views/service_view.hpp"

namespace troupe::service {

/// A view in which other users' sessions are left out, and what they call their programs and tasks is not told; that
/// workers are busy is.
class VisibleView final : public ServiceViewSource {
 public:
  /// `visible` says whose sessions may be seen. All must outlive this.
  VisibleView(const ServiceViewSource& whole, std::function<bool(std::uint32_t user)> visible)
      : whole_(whole), visible_(std::move(visible)) {}

  [[nodiscard]] ServiceView look() const override;
  [[nodiscard]] std::optional<WhyReport> why(std::optional<std::uint64_t> session) const override;

 private:
  const ServiceViewSource& whole_;
  const std::function<bool(std::uint32_t user)> visible_;
};

/// Returns the name of a session's graph in views of the runtime: "12:solver".
[[nodiscard]] std::string graph_name(std::uint64_t session, const std::string& name);

/// Adds what another session's report says; `session` is told with the names of its tasks.
void merge(WhyReport& all, WhyReport one, std::uint64_t session);

}  // namespace troupe::service
