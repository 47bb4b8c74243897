/// A well-behaved program that uses the service, and the speed that it gets.
#pragma once

#include <chrono>
#include <string>

namespace troupe::bench {

struct VictimFigures {
  /// The time until the program was connected and had its data.
  double start_s = 0;
  /// Small matrix products per second (`products.hpp`); 0 if the service did not answer.
  double tasks_per_s = 0;
  /// The time of one empty task, from its submission to the end of the wait, in a separate client program.
  double median_ms = 0;
  double p99_ms = 0;
};

/// Works for `time`, and returns the figures. Throws `Error` if the service refuses the program or ends it.
[[nodiscard]] VictimFigures be_victim(const std::string& folder, std::chrono::duration<double> time);

}  // namespace troupe::bench
