/// Who ran what when.
#pragma once

#include <vector>

#include "proto/ids.hpp"
#include "proto/units.hpp"

namespace troupe {
struct CodeletDefinition;
}

namespace troupe::workers {

struct TraceEntry {
  /// Lives as long as the runtime.
  const CodeletDefinition* codelet = nullptr;
  TaskId task;
  TimeStamp start{};
  TimeStamp end{};
  /// Floating-point operations; 0 where the codelet does not say.
  double flops = 0;
};

/// The entries of one worker, appended by it. Others read while the runtime is idle.
using TraceBuffer = std::vector<TraceEntry>;

}  // namespace troupe::workers
