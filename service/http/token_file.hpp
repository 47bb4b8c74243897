/// The secret that callers over HTTP must show.
#pragma once

#include <cstdint>
#include <string>

#include "troupe/errors.hpp"

namespace troupe::service {

/// Returns the text of the file, without white space around it, in the form that `check_token` wants. The file must be
/// a plain one that belongs to root or `user`, and that nobody else can read or write. Fails with `bad_input`, and says
/// what to do.
[[nodiscard]] Result<std::string> read_token(const std::string& path, std::uint32_t user);

}  // namespace troupe::service
