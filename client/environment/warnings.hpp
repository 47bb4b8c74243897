/// Where a runtime's warnings go, and those of its end.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/backend.hpp"
#include "graph/tasks/failure_log.hpp"

namespace troupe::client {

/// `told`, where there is one, else a line on standard error. What it returns never throws.
[[nodiscard]] Warn warner(const std::function<void(const std::string&)>& told);

/// For a runtime all of whose tasks have ended, and which nobody can ask any more: says what the program was never
/// told.
void warn_of_untold(const graph::FailureLog& failures, const Warn& warn);

/// For whoever is about to end a backend: where the calling thread cannot (`Backend::end_here`), it stays as it is
/// until the process ends. True: it does.
[[nodiscard]] bool leave_if_it_cannot_end(const std::shared_ptr<Backend>& backend);

}  // namespace troupe::client
