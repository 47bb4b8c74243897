/// Runs another program, feeds it text and takes what it prints.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/errors.hpp"

namespace troupe::traces {

struct ChildOutput {
  /// The number that the program passed to exit(), or 128 + the number of the signal that ended it.
  int exit_status = 0;
  std::string output;
  std::string errors;
};

/// Runs the program `arguments[0]`, which is looked for in PATH, without a shell, and waits for its end. `input`
/// becomes its standard input. Fails with `ErrorCode::io` if there is no such program, if it cannot be started, and if
/// it is still running after `limit` (it is then killed). A program that fails by itself is no failure here: see
/// `exit_status`.
Result<ChildOutput> run_child(const std::vector<std::string>& arguments, std::string_view input,
                              std::chrono::seconds limit);

}  // namespace troupe::traces
