/// The program `troupe`.
#include <CLI/CLI.hpp>
#include <cstdlib>

#include "apps/command_line.hpp"
#include "platform/machine/process_limits.hpp"

int main(int argc, char** argv) {
  using namespace troupe::apps;
  Command command;
  const auto application = make_application(command);
  const int code = run_command_line(*application, command, argc, argv);
  // Everything has been written. Where addresses are scarce, OpenBLAS's own threads search for their work space for
  // ever, and its destructor waits for them.
  if (troupe::platform::address_space_left()) std::_Exit(code);
  return code;
}
