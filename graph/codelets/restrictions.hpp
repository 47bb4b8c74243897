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

/// Reads "potrf,trsm:cores": names of codelets and, behind a colon, devices, one or several with `|` between them:
/// `cores`, `gpus` (GPUs and what stands for them), `#3` (the worker of this number), or a name (`DeviceSet::named`),
/// which is not looked up. Semicolons separate several of these. An empty text means no restrictions. Fails with
/// `invalid_argument` and a message that says what is wrong.
[[nodiscard]] Result<Restrictions> parse_restrictions(std::string_view text);

}  // namespace troupe
