/// The distance between a misspelt name and the name that was probably meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

/// Returns the number of letters to add, drop or exchange, and of neighbours to swap, to get from `a` to `b`. O(product
/// of the lengths).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the name in `names` that was probably meant: the nearest, ignoring case, if its distance is at most a third
/// of its length, or 2 if it has four or five letters, or 1 if it has fewer. Among equally near names, the first
/// counts. Returns an empty text if no name is near.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> names);

/// Returns a text such as "; did you mean run?", or an empty text if no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> names);

}  // namespace troupe
