/// The distance between a misspelt name and the name that was probably meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

/// Returns the least number of steps that turn `a` into `b`. A step adds, drops or replaces a letter, or swaps two
/// neighbours. O(product of the lengths).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the name in `names` that was probably meant: the nearest, ignoring case. Its distance must be at most a
/// third of the found name's length, or 2 for four or five letters, or 1 for fewer. Among equally near names, the first
/// counts. Returns an empty text if no name is near.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> names);

/// Returns a text such as "; did you mean run?", or an empty text if no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> names);

}  // namespace troupe
