/// Whole files as text.
#pragma once

#include <string>
#include <string_view>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// Returns the content of the file `path`. `what` describes the file in messages ("machine description"). Fails with
/// `io` if the file cannot be read, and with `bad_input` if the file is larger than `most`: an endless file, such as
/// /dev/zero, must not fill the memory.
[[nodiscard]] Result<std::string> read_text(const std::string& path, Bytes most, std::string_view what);

}  // namespace troupe::platform
