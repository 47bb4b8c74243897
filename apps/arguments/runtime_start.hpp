/// The runtime in which an application's tasks run.
#pragma once

#include <functional>
#include <memory>

#include "troupe/runtime.hpp"

namespace troupe::apps {

/// Makes the runtime that an application uses, for example on a service. Throws `Error`.
using StartRuntime = std::function<std::shared_ptr<Runtime>()>;

/// Returns the runtime that `start` makes. If `start` is null, makes a runtime in this process with these options.
[[nodiscard]] inline std::shared_ptr<Runtime> start_runtime(const RuntimeOptions& options, const StartRuntime& start) {
  return start ? start() : std::make_shared<Runtime>(options);
}

}  // namespace troupe::apps
