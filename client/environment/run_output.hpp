/// The output that environment variables request, written when a runtime stops.
#pragma once

#include <functional>
#include <string>

#include "client/backend.hpp"
#include "client/environment/variables.hpp"

namespace troupe::client {

/// Returns the path of the file with this number. For the path "t.json", file 1 is "t.json" and file 2 is "t-2.json".
[[nodiscard]] std::string numbered_file(const std::string& path, int number);

/// Waits for the tasks of a runtime that is about to stop, and writes the requested output: the trace to a file, report
/// and metrics to standard error. Calls `warn` if that fails. Never throws.
void write_at_stop(Backend& backend, const WrittenAtStop& wanted,
                   const std::function<void(const std::string&)>& warn) noexcept;

}  // namespace troupe::client
