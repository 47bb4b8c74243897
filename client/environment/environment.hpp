/// The environment variables of this process, and their effect on a runtime.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/environment/variables.hpp"

namespace troupe::client {

/// A program's settings, with additions from the environment.
struct FromEnvironment {
  Settings settings;
  /// The variables that were applied ("TROUPE_CORES=4"), in the order of `variables()`.
  std::vector<std::string> taken = {};
};

/// Merges a program's options with the environment. An option that the program sets to a value other than the default
/// wins over the environment, and the environment wins over the default. In virtual time, and with `deterministic` or
/// `shared`, only variables that merely observe the run (`Variable::watches`) have an effect. Fails with
/// `invalid_argument` if a variable that has an effect has an unusable value; the message names the variable, the value
/// and the possible values. Do not call this function while another thread changes the environment. Does not read the
/// environment in a program that runs with more rights than its user (setuid).
[[nodiscard]] Result<FromEnvironment> with_environment(const RuntimeOptions& options);

/// A variable of this process that begins with `TROUPE_`.
struct SetVariable {
  std::string name;
  std::string value;
  /// The reason why the variable cannot be used, or a note that it has no effect and which variable was probably meant;
  /// empty if there is no problem.
  std::string remark = {};
};

/// Returns all variables that are set: first those of `variables()` in their order, then those of `other_variables()`,
/// then the unknown variables by name.
[[nodiscard]] std::vector<SetVariable> set_variables();

/// Returns a message for each set variable that no code reads but whose name is similar to a known variable, such as
/// "TROUPE_CORE is set, and nothing reads it: did you mean TROUPE_CORES?".
[[nodiscard]] std::vector<std::string> likely_mistakes();

}  // namespace troupe::client
