/// Attacks by which one user of a service can harm the others, as programs of that user.
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
  /// The work of one process, which goes on until `until`, whatever the service refuses.
  std::function<void(const std::string& folder, AttackTime until)> run;
  /// The number of processes that attack at once.
  int processes = 1;
};

/// All attacks, in the order in which the benchmark tries them.
[[nodiscard]] const std::vector<Attack>& attacks();
/// Returns the attack of this name; null if there is none.
[[nodiscard]] const Attack* find_attack(std::string_view name);

}  // namespace troupe::bench
