#include "apps/service/service_arguments.hpp"

#include <CLI/CLI.hpp>

#include "apps/arguments/common_arguments.hpp"
#include "client/remote/connection/socket_folder.hpp"

namespace troupe::apps {

void add_socket_folder(CLI::App& command, std::string& folder) {
  command
      .add_option(
          "--socket-folder", folder,
          "Where the service's sockets are; default: $TROUPE_SOCKET_FOLDER, else $XDG_RUNTIME_DIR/troupe, for root "
          "/run/troupe")
      ->type_name("FOLDER")
      ->check(check_file_name);
}

void add_service_options(CLI::App& command, ServiceArguments& arguments) {
  add_socket_folder(command, arguments.folder);
  command.add_flag("--json", arguments.json, "Print one JSON object");
}

remote::ServiceCalls connect(const ServiceArguments& arguments) {
  return remote::ServiceCalls::connect(remote::socket_folder(arguments.folder).value_or_throw()).value_or_throw();
}

std::string harmless(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // C1 control characters in UTF-8
      result += '?';
      ++i;
    } else if ((byte < ' ' && byte != '\n') || byte == 0x7F) {
      result += '?';
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace troupe::apps
