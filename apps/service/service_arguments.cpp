#include "apps/service/service_arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/arguments/common_arguments.hpp"
#include "client/remote/connection/socket_folder.hpp"

namespace troupe::apps {

void add_socket_folder(CLI::App& command, std::string& folder) {
  command
      .add_option(
          "--socket-folder", folder,
          "Where the service's sockets are; default: $TROUPE_SOCKET_FOLDER, else $XDG_RUNTIME_DIR/troupe where your "
          "own service listens, else /run/troupe")
      ->type_name("FOLDER")
      ->check(check_file_name);
}

void add_service_options(CLI::App& command, ServiceArguments& arguments) {
  add_socket_folder(command, arguments.folder);
  command.add_flag("--json", arguments.json, "Print one JSON object");
}

remote::ServiceCalls connect(const ServiceArguments& arguments) {
  return remote::ServiceCalls::connect(remote::client_socket_folder(arguments.folder).value_or_throw())
      .value_or_throw();
}

}  // namespace troupe::apps
