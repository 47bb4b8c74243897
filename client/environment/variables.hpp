/// The environment variables that the runtimes of any program go by: the one table of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "actors/running/runtime_options.hpp"
#include "proto/errors.hpp"

namespace troupe::client {

/// What is written down when a runtime stops.
struct WrittenAtStop {
  /// A trace file; empty: none.
  std::string trace = {};
  /// On standard error.
  bool report = false;
  bool metrics = false;

  [[nodiscard]] bool nothing() const { return trace.empty() && !report && !metrics; }
};

/// How a runtime starts.
struct Settings {
  RuntimeOptions options;
  WrittenAtStop at_stop = {};
};

/// One variable. A variable that is set and empty counts as not set.
struct Variable {
  std::string_view name;
  /// For people: what can be given, what it does, and what it sets ("`RuntimeOptions::cores`"; "" for none).
  std::string_view values;
  std::string_view meaning;
  std::string_view option;
  /// It only watches, so that it also holds for runs in virtual time and with `RuntimeOptions::deterministic`.
  bool watches = false;
  /// Whether the program has left to others what the variable sets: it is as `RuntimeOptions` has it by default.
  bool (*is_free)(const RuntimeOptions& options) = nullptr;
  /// Fails with what is wrong with the value, as the end of "TROUPE_CORES='x' cannot be used: …".
  Result<void> (*set)(Settings& settings, const std::string& value) = nullptr;
};

/// In the order in which they are applied and listed.
[[nodiscard]] std::span<const Variable> variables();

/// A variable that something else than a runtime's start reads.
struct OtherVariable {
  std::string_view name;
  std::string_view meaning;
};
[[nodiscard]] std::span<const OtherVariable> other_variables();

}  // namespace troupe::client
