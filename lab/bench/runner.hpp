/// The common code of the runners. There is one runner (a program) per runtime; it measures one case per process.
///
///     troupe-bench-runner-NAME CASE key=value …
///
/// prints one JSON object to standard output. Exit codes: 0 measured; 1 failed; 2 the arguments are not valid;
/// 3 this runtime has no such case (the reason is on standard error).
#pragma once

#include <span>
#include <stdexcept>

#include "lab/bench/parameters.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

inline constexpr int kMeasured = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadWords = 2;
inline constexpr int kUnsupported = 3;

/// Thrown by a case that this runtime does not support; the text is a reason for people.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One measurement that a runner offers. `run` looks up its parameters, calls `Parameters::require_all_used`, warms up,
/// measures, and returns the figures.
struct Case {
  const char* name;
  const char* help;
  Json (*run)(Parameters& parameters);
};

/// The body of a runner's `main` function. Never throws.
int run_cases(int argc, const char* const* argv, std::span<const Case> cases);

/// Returns the number of cores to use: the parameter `cores`, or by default all cores that this process may run on.
[[nodiscard]] int cores_of(Parameters& parameters);

/// Returns the parameter `mode`; the first of `modes` is its default. Throws `Unsupported` if the value is not in
/// `modes`.
[[nodiscard]] std::string mode_of(Parameters& parameters, std::span<const char* const> modes);

}  // namespace troupe::bench
