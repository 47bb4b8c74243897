/// An honest program of the service, and the speed that it gets.
#pragma once

#include <chrono>
#include <string>

namespace troupe::bench {

struct VictimFigures {
  /// The time until the first program was connected and had its data.
  double start_s = 0;
  /// Small matrix products per second (`products.hpp`); 0 if the service did not serve.
  double tasks_per_s = 0;
  /// The time of one empty task, from its submission to the end of the wait, in a program of its own.
  double median_ms = 0;
  double p99_ms = 0;
};

/// Works for `time` from now on and returns its figures. Throws `Error` if the service refuses or ends the program.
[[nodiscard]] VictimFigures be_victim(const std::string& folder, std::chrono::duration<double> time);

}  // namespace troupe::bench
