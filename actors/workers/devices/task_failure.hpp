/// Task failure: says why a task failed, with the name of the device that ran the task.
#pragma once

#include <string>

#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task.hpp"
#include "troupe/ids.hpp"

namespace troupe::workers {

/// Returns a failure that names the task, the worker and the device ("cpu core 3"). Throws `std::bad_alloc`.
[[nodiscard]] graph::FailureLog::Cause task_failure(const graph::Task& task, ErrorCode code, const std::string& what,
                                                    WorkerId worker, const std::string& device);

/// Returns the failure for the exception that is being handled. The failure has the code of an `Error`, and the code
/// `kernel_failed` for any other exception.
[[nodiscard]] graph::FailureLog::Cause task_failure_of_exception(const graph::Task& task, WorkerId worker,
                                                                 const std::string& device);

}  // namespace troupe::workers
