/// How far a name is from the one that was meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

/// Letters to add, drop or exchange, and neighbours to swap, to get from one to the other. O(product of the lengths).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// That of `names` which was probably meant: the nearest, whose case may differ, if it is no further away than a third
/// of its length, or 2 where it has four or five letters, or 1 where it has fewer; of equals the first. Empty where
/// none is near.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> names);

/// "; did you mean run?", or nothing where no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> names);

}  // namespace troupe
