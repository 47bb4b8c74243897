/// The share of a team's time that was used.
#pragma once

#include <optional>

#include "proto/units.hpp"

namespace troupe {

/// The use of the cores of a cluster, or of several clusters. While a worker runs a task it offers the task's time on
/// each of its cores; used is the time in which these cores computed. The master, which runs the kernel, computes from
/// the task's beginning to its end, except while it waits for members that have not ended their parts. A helper
/// computes in its parts. A member that waits at a barrier does not compute. So a kernel without a version for teams
/// uses one core's time, and one that is in its team of four for half of its time uses five eighths. Calling the other
/// members in counts as work of the master. Time in which another process had the core is not recognised.
struct TeamUse {
  /// Cores times duration, of the tasks whose used time is known.
  Duration offered{};
  /// At most `offered`.
  Duration used{};
  /// Cores times duration, of tasks whose kernels bring threads of their own (`Codelet::prologue`): how many of these
  /// computed, and when, is not known.
  Duration unseen{};

  /// The share, between 0 and 1; nothing where nothing is known.
  [[nodiscard]] std::optional<double> share() const {
    if (offered <= Duration{}) return std::nullopt;
    return seconds(used) / seconds(offered);
  }

  TeamUse& operator+=(const TeamUse& other) {
    offered += other.offered;
    used += other.used;
    unseen += other.unseen;
    return *this;
  }
  TeamUse& operator-=(const TeamUse& other) {
    offered -= other.offered;
    used -= other.used;
    unseen -= other.unseen;
    return *this;
  }
  friend bool operator==(const TeamUse&, const TeamUse&) = default;
};

}  // namespace troupe
