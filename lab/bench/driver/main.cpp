/// The program `troupe-bench`.
#include <CLI/CLI.hpp>

#include "lab/bench/driver/command_line.hpp"

int main(int argc, char** argv) {
  troupe::apps::Command command;
  const auto application = troupe::bench::make_bench(command);
  return troupe::apps::run_command_line(*application, command, argc, argv);
}
