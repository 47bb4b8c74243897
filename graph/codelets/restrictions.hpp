/// Codelets whose tasks only some devices may run.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"

namespace troupe {

/// By a codelet's name, the devices that may run its tasks.
using Restrictions = std::map<std::string, DeviceSet, std::less<>>;

/// Reads "potrf,trsm:cores": names of codelets and, behind a colon, `cores` or `gpus` (GPUs and what stands for them);
/// several of these are separated by semicolons. Empty: none. Fails with `invalid_argument`, with what is wrong.
[[nodiscard]] Result<Restrictions> parse_restrictions(std::string_view text);

}  // namespace troupe
