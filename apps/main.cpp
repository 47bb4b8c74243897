/// The program `troupe`.
#include <CLI/CLI.hpp>

#include "apps/command_line.hpp"

int main(int argc, char** argv) {
  troupe::apps::Command command;
  const auto application = troupe::apps::make_application(command);
  return troupe::apps::run_program(*application, command, argc, argv);
}
