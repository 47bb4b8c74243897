/// The command line `troupe-bench`, which `troupe bench` starts.
#pragma once

#include <memory>

#include "apps/command_line.hpp"

namespace troupe::bench {

/// Returns the application `troupe bench` with a command for each benchmark. `chosen` is used as in
/// `apps::make_application`. The exit code is 0 if everything was measured (peers may be missing), 1 if a runner
/// failed, and 2 for arguments that cannot be used.
[[nodiscard]] std::unique_ptr<CLI::App> make_bench(apps::Command& chosen);

}  // namespace troupe::bench
