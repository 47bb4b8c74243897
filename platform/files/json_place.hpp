/// Finds the place where a text stops being JSON.
#pragma once

#include <string_view>

namespace troupe::platform {

/// Throws `Error` with code `bad_input` unless `text` is one JSON value whose objects have each member only once. The
/// message names line, column and field (`kernels[3].tile`).
void check_json(std::string_view text);

}  // namespace troupe::platform
