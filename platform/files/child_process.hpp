/// Runs another program: writes text to the program's input, and collects its output.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/errors.hpp"

namespace troupe::platform {

struct ChildOutput {
  /// The number that the program passed to exit(), or 128 + the number of the signal that ended it.
  int exit_status = 0;
  std::string output;
  std::string errors;
};

/// Runs the program `arguments[0]`, found through PATH and without a shell, and waits for its end. `input` becomes its
/// standard input. Fails with `ErrorCode::io` if the program does not exist or cannot be started, or if it still runs
/// after `limit`: then it is killed. If the program itself fails, this function succeeds, and `exit_status` tells.
Result<ChildOutput> run_child(const std::vector<std::string>& arguments, std::string_view input,
                              std::chrono::seconds limit);

}  // namespace troupe::platform
