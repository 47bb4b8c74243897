/// Makes a `Failure` with a readable message from a failed system call on a file.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <system_error>

#include "troupe/errors.hpp"

namespace troupe::platform {

/// Makes a failure with a text such as "cannot open 'a.mtx': No such file or directory". `action` is a verb;
/// `error_number` is an errno value.
inline Failure io_failure(std::string_view action, std::string_view path, int error_number) {
  return {ErrorCode::io,
          fmt::format("cannot {} '{}': {}", action, path, std::generic_category().message(error_number))};
}

}  // namespace troupe::platform
