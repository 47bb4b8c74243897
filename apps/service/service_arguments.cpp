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

namespace {

/// Bytes at `at` that a terminal must not see: of a control character, of one that turns the direction of the text
/// round (Unicode, UAX 9), or of one that ends a line or a paragraph. 0: there is none.
std::size_t harm_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at + i < text.size() ? text[at + i] : 0); };
  if ((byte(0) < ' ' && byte(0) != '\n') || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;  // C1 controls
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return 2;                    // U+061C
  if (byte(0) != 0xE2) return 0;
  const bool separates = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;  // U+2028 to U+202E
  const bool marks = byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F);    // U+200E, U+200F
  const bool isolates = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;   // U+2066 to U+2069
  return separates || marks || isolates ? 3 : 0;
}

}  // namespace

std::string harmless(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t harm = harm_at(text, at);
    result += harm > 0 ? '?' : text[at];
    at += std::max<std::size_t>(harm, 1);
  }
  return result;
}

}  // namespace troupe::apps
