/// Attacks by which one user of a service can harm other users. An attack consists of programs of the attacking user.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

using AttackTime = std::chrono::steady_clock::time_point;

struct Attack {
  std::string name;
  /// The work of one attacking process. It continues until the time `until`, even if the service refuses calls.
  std::function<void(const std::string& folder, AttackTime until)> run;
  /// The number of processes that attack at the same time.
  int processes = 1;
};

/// Returns all attacks, in the order in which the benchmark tries them.
[[nodiscard]] const std::vector<Attack>& attacks();
/// Returns the attack with this name; null if there is none.
[[nodiscard]] const Attack* find_attack(std::string_view name);

}  // namespace troupe::bench
