/// Moves jobs out of the threads of workers, which must not block. The runtime calls back in a worker's thread, for
/// example, when a command ends.
#pragma once

#include <functional>

#include "platform/machine/background_thread.hpp"

namespace troupe::opencl {

/// While this object lives, its thread counts as a worker's: it must not wait for the runtime, and no function of the
/// program may delay it.
class WorkerScope {
 public:
  WorkerScope();
  ~WorkerScope();
  WorkerScope(const WorkerScope&) = delete;
  WorkerScope& operator=(const WorkerScope&) = delete;
};

/// Runs `job` inside this call or, if this is a worker's thread, later in the thread `cleaner`.
void run_outside_of_workers(std::function<void()> job);

/// Runs `job`, which calls functions of the program. Runs it inside this call or, if this is a worker's thread or the
/// thread `cleaner`, later in the thread `program_callbacks`. No thread waits for the job, because a program's function
/// may take the program's locks.
void run_program_functions(std::function<void()> job);

/// Returns the thread that runs the jobs of `run_outside_of_workers`. It never waits for the program, and it is never
/// destroyed.
[[nodiscard]] platform::BackgroundThread& cleaner();

/// Returns the thread that calls programs' functions, one after the other. It is never destroyed.
[[nodiscard]] platform::BackgroundThread& program_callbacks();

}  // namespace troupe::opencl
