/// The destination of a runtime's warnings, and the warnings at its end.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/backend.hpp"
#include "graph/tasks/failure_log.hpp"

namespace troupe::client {

/// Returns a function that calls `told` if `told` is set, and otherwise writes a line to standard error. The returned
/// function never throws.
[[nodiscard]] Warn warner(const std::function<void(const std::string&)>& told);

/// Warns of failures that no wait has reported to the program. Called at the end of a runtime, when all its tasks have
/// ended and no thread can wait any more.
void warn_of_untold(const graph::FailureLog& failures, const Warn& warn);

/// Called before a backend is destroyed. If the calling thread cannot destroy the backend (`Backend::end_here`), keeps
/// it until the process ends, and returns true.
[[nodiscard]] bool leave_if_it_cannot_end(const std::shared_ptr<Backend>& backend);

}  // namespace troupe::client
