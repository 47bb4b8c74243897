/// The conditions of the tile codelets on shapes and arguments.
#pragma once

#include <string_view>

#include "kernels/checks/conditions.hpp"

namespace troupe::kernels {

/// Returns the conditions of the tile codelet that `TileCodelets` calls `name`, in either precision. Null: no such
/// codelet.
[[nodiscard]] void (*tile_conditions(std::string_view name))(Conditions&);

}  // namespace troupe::kernels
