/// What the commands have in common that ask a running service.
#pragma once

#include <string>
#include <string_view>

#include "client/remote/connection/service_calls.hpp"

namespace CLI {
class App;
}

namespace troupe::apps {

struct ServiceArguments {
  /// Where its sockets are; empty: `remote::socket_folder` knows.
  std::string folder;
  bool json = false;
};

/// Adds `--socket-folder`.
void add_socket_folder(CLI::App& command, std::string& folder);

/// Adds `--socket-folder` and `--json`. `arguments` outlives the parsing.
void add_service_options(CLI::App& command, ServiceArguments& arguments);

/// Throws what `socket_folder` and `ServiceCalls::connect` fail with.
[[nodiscard]] remote::ServiceCalls connect(const ServiceArguments& arguments);

}  // namespace troupe::apps
