/// The environment variables that every program's runtimes follow: a variable for each option, and a few more.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "troupe/errors.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::client {

/// The output that is written when a runtime stops.
struct WrittenAtStop {
  /// The path of the trace file; empty if none is wanted.
  std::string trace = {};
  /// True if a report is written to standard error.
  bool report = false;
  bool metrics = false;

  [[nodiscard]] bool nothing() const { return trace.empty() && !report && !metrics; }
};

/// The settings with which a runtime starts.
struct Settings {
  RuntimeOptions options;
  WrittenAtStop at_stop = {};
};

/// One environment variable. A variable with an empty value counts as not set.
struct Variable {
  std::string name;
  /// Texts for the user: the possible values, the effect, and the option that the variable sets
  /// ("`RuntimeOptions::cores`"; "" for none).
  std::string values;
  std::string meaning;
  std::string option;
  /// True if the variable only observes the run, such as TROUPE_TRACE. Such a variable also has an effect in virtual
  /// time and with `ThreadOptions::deterministic`.
  bool watches = false;
  /// Returns true if the option that the variable sets still has its default in `RuntimeOptions`, so that the
  /// environment may set it.
  std::function<bool(const RuntimeOptions& options)> is_free;
  /// Sets the option. A failure's text says what is wrong with the value: "'x' is no whole number: give …".
  std::function<Result<void>(Settings& settings, const std::string& value)> set;
};

/// Returns the variables in the order in which they are applied and listed.
[[nodiscard]] std::span<const Variable> variables();

/// A variable that is not read at the start of a runtime, but by other code.
struct OtherVariable {
  std::string_view name;
  std::string_view meaning;
};
[[nodiscard]] std::span<const OtherVariable> other_variables();

}  // namespace troupe::client
