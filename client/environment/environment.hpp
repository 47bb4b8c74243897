/// What the environment of this process says, and what of it holds for a runtime.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/environment/variables.hpp"

namespace troupe::client {

/// A program's settings with what the environment adds.
struct FromEnvironment {
  Settings settings;
  /// What has been taken over, "TROUPE_CORES=4", in the order of the table.
  std::vector<std::string> taken = {};
};

/// What a program sets itself, so that it differs from the default, wins over the environment, and the environment over
/// the default. In virtual time, with `deterministic` and `shared` only those that watch count (`Variable::watches`).
/// Fails with `invalid_argument` where a value that would count cannot be used; the message names variable, value, and
/// what is possible. Reads the environment: not while another thread changes it. Of a program that runs with more
/// rights than its user nothing is read.
[[nodiscard]] Result<FromEnvironment> with_environment(const RuntimeOptions& options);

/// A variable of this process that begins with `TROUPE_`.
struct SetVariable {
  std::string name;
  std::string value;
  /// Why it cannot be used, or that it has no effect and what was meant; empty where all is well.
  std::string remark = {};
};

/// All that are set: those of the table first, in its order, then others, by name.
[[nodiscard]] std::vector<SetVariable> set_variables();

/// Of variables that are set and that nothing reads, those that are so close to one of the table that it was meant:
/// "TROUPE_CORE is set, and nothing reads it: did you mean TROUPE_CORES?"
[[nodiscard]] std::vector<std::string> likely_mistakes();

}  // namespace troupe::client
