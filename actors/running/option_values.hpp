/// Values and meanings of a runtime's options, however they are given: by a program in C++, C or Python, the command
/// line, the environment, or the service's configuration.
#pragma once

#include <cstddef>
#include <string>

#include "troupe/errors.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe {

/// The largest `gpu_lookahead`, `core_lookahead` and `issue_ahead`; each may be 0.
inline constexpr std::size_t kMostLookahead = 1024;
inline constexpr std::size_t kMostIssuedAhead = 1024;

/// Returns the folder that a value of `RuntimeOptions::model_folder` means: "default" is the folder in the user's cache
/// (empty if there is none), "none" and an empty text mean no folder; other words are paths.
[[nodiscard]] std::string model_folder_of(const std::string& word);

/// Fails with `invalid_argument` if a number is outside its range or a time is below zero; the message uses the names
/// of `RuntimeOptions`.
[[nodiscard]] Result<void> check_ranges(const RuntimeOptions& options);

}  // namespace troupe
