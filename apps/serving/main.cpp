/// The program `troupe-serve`, which `troupe serve` starts.
#include <CLI/CLI.hpp>

#include "apps/serving/serve_command.hpp"

int main(int argc, char** argv) {
  troupe::apps::Command command;
  const auto application = troupe::apps::make_serve(command);
  return troupe::apps::run_program(*application, command, argc, argv);
}
