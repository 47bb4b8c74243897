/// Codelets whose tasks only some devices may run.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "graph/codelets/device_set.hpp"
#include "proto/errors.hpp"

namespace troupe {

/// By a codelet's name, the devices that may run its tasks.
using Restrictions = std::map<std::string, DeviceSet, std::less<>>;

/// Reads "potrf,trsm:cores": names of codelets and, behind a colon, devices, one or several with `|` between them:
/// `cores`, `gpus` (GPUs and what stands for them), `#3` (the worker of this number), or a name (`DeviceSet::named`),
/// which is not looked up. Several of these are separated by semicolons. Empty: none. Fails with `invalid_argument`,
/// with what is wrong.
[[nodiscard]] Result<Restrictions> parse_restrictions(std::string_view text);

}  // namespace troupe
