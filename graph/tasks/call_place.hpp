/// Calls that may become tasks: where they are made, and those that run.
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
  /// Data with this id or a higher id were registered after this place was asked for. Set only if `at_once` is true.
  std::uint64_t first_handle = 0;
};

/// A call that runs in a kernel without a task of its own. Tasks submitted during the call belong to the kernel's task.
struct CallInProgress {
  /// The task whose kernel makes the call; only compared.
  const void* task = nullptr;
  std::uint64_t number = 0;
  /// The lowest id of data that were registered during the call. These are the only ones that the call may use, as if
  /// it were a task.
  std::uint64_t first_handle = 0;
  /// The number of tasks submitted during the call that have been waited for.
  std::uint64_t got = 0;
  CallInProgress* outer = nullptr;

  /// The innermost call of the thread. While it waits, the thread may run another task; what that task does is not part
  /// of the call.
  static thread_local constinit CallInProgress* innermost;

  /// Returns `first_handle` of the innermost call if the kernel of this task makes it, else 0.
  [[nodiscard]] static std::uint64_t first_handle_in(const void* task) {
    return innermost != nullptr && innermost->task == task ? innermost->first_handle : 0;
  }
};

inline thread_local constinit CallInProgress* CallInProgress::innermost = nullptr;

}  // namespace troupe::graph
