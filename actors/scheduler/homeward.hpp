/// Tasks go where their data are while time allows.
#pragma once

#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

struct HomewardOptions {
  double tolerance = 2;
  double weight = 1;
  double ahead = 2;
  double cpu_ahead = 0;
  bool cp = false;
  double most = 64;
  double slack = 0;
  double gamma = 1;
  double pivot = 1;
};

[[nodiscard]] std::unique_ptr<PlacingPolicy> homeward(const HomewardOptions& options);

}  // namespace troupe::scheduler
