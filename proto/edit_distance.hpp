/// How far a name is from the one that was meant.
#pragma once

#include <cstddef>
#include <string_view>

namespace troupe {

/// Letters to add, drop or exchange to get from one to the other. O(product of the lengths).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace troupe
