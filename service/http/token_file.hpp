/// The file with the secret token that HTTP clients must send.
#pragma once

#include <cstdint>
#include <string>

#include "troupe/errors.hpp"

namespace troupe::service {

/// Returns the text of the file without surrounding white space; `check_token` has accepted it. The file must be
/// regular and belong to root or `user`, and nobody else may be able to read or write it. Fails with `bad_input`; the
/// message names the remedy.
[[nodiscard]] Result<std::string> read_token(const std::string& path, std::uint32_t user);

}  // namespace troupe::service
