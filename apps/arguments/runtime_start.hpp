/// Where an application's tasks run.
#pragma once

#include <functional>
#include <memory>

#include "client/runtime.hpp"

namespace troupe::apps {

/// Makes the runtime that an application uses: on a service, say. Throws `Error`.
using StartRuntime = std::function<std::shared_ptr<Runtime>()>;

/// What `start` makes; without it, a runtime of our own with these options.
[[nodiscard]] inline std::shared_ptr<Runtime> start_runtime(const RuntimeOptions& options, const StartRuntime& start) {
  return start ? start() : std::make_shared<Runtime>(options);
}

}  // namespace troupe::apps
