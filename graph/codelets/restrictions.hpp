/// Codelets whose tasks only some devices may run.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "graph/codelets/device_set.hpp"
#include "troupe/errors.hpp"

namespace troupe {

/// The devices that may run a codelet's tasks, by the codelet's name.
using Restrictions = std::map<std::string, DeviceSet, std::less<>>;

/// Reads a text such as "potrf,trsm:cores": names of codelets, a colon, and devices separated by `|`. A device is
/// `cores`, `gpus` (all accelerators), `#3` (the worker of this number), or a name (`DeviceSet::named`); this function
/// does not check that a device has the name. Semicolons separate several such lists. An empty text means no
/// restrictions. Fails with `invalid_argument` and a message that says what is wrong.
[[nodiscard]] Result<Restrictions> parse_restrictions(std::string_view text);

}  // namespace troupe
