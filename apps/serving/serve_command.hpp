/// The command `troupe serve`.
#pragma once

#include <memory>

#include "apps/command_line.hpp"

namespace troupe::apps {

/// Returns the application `troupe serve`. For `chosen`, see `make_application`.
[[nodiscard]] std::unique_ptr<CLI::App> make_serve(Command& chosen);

}  // namespace troupe::apps
