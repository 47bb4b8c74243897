/// Call place: where a call that may become a task is made.
#pragma once

#include <cstdint>

namespace troupe::graph {

/// The place where a program or a kernel calls `Runtime::async`.
struct CallPlace {
  /// The task whose kernel makes the call; null if the call belongs to no task. The pointer is only compared.
  const void* task = nullptr;
  /// The number of tasks that this kernel has submitted.
  std::uint64_t children = 0;
  /// True if a child had failed or been cancelled before the call. Set only if `at_once` is true.
  bool failed = false;
  /// True if the kernel is to be called at once instead of becoming a task, because other workers have enough to do.
  bool at_once = false;
};

}  // namespace troupe::graph
