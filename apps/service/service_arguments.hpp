/// Arguments of all commands that send questions to a running service.
#pragma once

#include <string>
#include <string_view>

#include "client/remote/connection/service_calls.hpp"

namespace CLI {
class App;
}

namespace troupe::apps {

struct ServiceArguments {
  /// The folder of the service's sockets. If it is empty, `remote::socket_folder` finds the folder.
  std::string folder;
  bool json = false;
};

/// Adds `--socket-folder`.
void add_socket_folder(CLI::App& command, std::string& folder);

/// Adds `--socket-folder` and `--json`. `arguments` must outlive the parsing.
void add_service_options(CLI::App& command, ServiceArguments& arguments);

/// Connects to the service. Throws the errors of `socket_folder` and `ServiceCalls::connect`.
[[nodiscard]] remote::ServiceCalls connect(const ServiceArguments& arguments);

}  // namespace troupe::apps
