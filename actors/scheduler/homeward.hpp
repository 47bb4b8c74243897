/// Tasks go where their data are while time allows.
#pragma once

#include <memory>

#include "actors/scheduler/policy.hpp"

namespace troupe::scheduler {

struct HomewardOptions {
  double tolerance = 4;
  double weight = 1;
  double ahead = 2;
  double cpu_ahead = 0;
  bool cp = false;
  double most = 64;
  double slack = 0.8;
  double gamma = 0.8;
  double sigma = 0.5;
  double pivot = 2;
};

[[nodiscard]] std::unique_ptr<PlacingPolicy> homeward(const HomewardOptions& options);

}  // namespace troupe::scheduler
