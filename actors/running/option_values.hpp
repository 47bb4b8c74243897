/// What options of a runtime may be and mean, by whatever door they come: a program in C++, C or Python, the command
/// line, the environment, the service's configuration.
#pragma once

#include <cstddef>
#include <string>

#include "actors/running/runtime_options.hpp"
#include "proto/errors.hpp"

namespace troupe {

/// The largest `gpu_lookahead`, `core_lookahead` and `issue_ahead`; each may be 0.
inline constexpr std::size_t kMostLookahead = 1024;
inline constexpr std::size_t kMostIssuedAhead = 1024;

/// The folder that `RuntimeOptions::model_folder` means: "default" is the one in the user's cache (empty where there is
/// none), "none" and an empty text are no folder; other words are paths.
[[nodiscard]] std::string model_folder_of(const std::string& word);

/// `invalid_argument` for a number outside of its range or a time below zero, in the words of `RuntimeOptions`.
[[nodiscard]] Result<void> check_ranges(const RuntimeOptions& options);

}  // namespace troupe
