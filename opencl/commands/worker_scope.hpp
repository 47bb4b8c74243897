/// What must not be done by a worker of the runtime, whose callback a command's end is.
#pragma once

#include <functional>

#include "platform/machine/background_thread.hpp"

namespace troupe::opencl {

/// While one lives, its thread is a worker's: it may neither wait for the runtime nor be held up by a program's
/// function.
class WorkerScope {
 public:
  WorkerScope();
  ~WorkerScope();
  WorkerScope(const WorkerScope&) = delete;
  WorkerScope& operator=(const WorkerScope&) = delete;
};

/// Runs `job` at once, or where this is a worker's thread later in a thread for that.
void run_outside_of_workers(std::function<void()> job);

/// Calls functions of the program in `job`: at once, or where this is a worker's thread or that of `cleaner` later in
/// a thread for that. Nobody waits for it: a program's function may take the program's locks.
void run_program_functions(std::function<void()> job);

/// The thread of `run_outside_of_workers`. It never waits for the program. Never destroyed.
[[nodiscard]] platform::BackgroundThread& cleaner();

/// Calls of programs' functions, one after the other. Never destroyed.
[[nodiscard]] platform::BackgroundThread& program_callbacks();

}  // namespace troupe::opencl
