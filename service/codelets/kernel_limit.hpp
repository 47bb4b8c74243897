/// Refuses tasks whose kernels would run for too long: they cannot be interrupted.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "graph/codelets/arguments.hpp"
#include "graph/codelets/layout.hpp"
#include "proto/errors.hpp"
#include "proto/units.hpp"
#include "service/codelets/codelet_source.hpp"

namespace troupe::service {

/// What a kernel takes at least is predicted from its operations (`Codelet::flops`) and the speed of the fastest cores
/// that there are, or twice the best speed at which it was seen to run here; of one that says itself how long it takes,
/// from that. Of others nothing is known. A task in pieces is not too long, as others take their turns between them.
class KernelLimit {
 public:
  /// The best speed of a codelet so far, by its name, in operations per second; 0: it never ran for long.
  using SpeedOf = std::function<double(const std::string& codelet)>;

  /// `longest`: zero for no limit.
  KernelLimit(Duration longest, SpeedOf speed) : longest_(longest), speed_(std::move(speed)) {}

  /// Why a task cannot run, or nothing. Its check has let it pass.
  [[nodiscard]] std::optional<Failure> why_too_long(const ServiceCodelet& codelet, std::span<const Layout> layouts,
                                                    const Arguments& arguments) const;

 private:
  [[nodiscard]] Duration at_least(const ServiceCodelet& codelet, std::span<const Layout> layouts,
                                  const Arguments& arguments) const;

  const Duration longest_;
  const SpeedOf speed_;
};

}  // namespace troupe::service
