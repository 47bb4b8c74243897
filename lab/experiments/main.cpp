/// The program `troupe-experiment`, which `troupe experiment` starts.
#include <CLI/CLI.hpp>

#include "lab/experiments/experiment_commands.hpp"

int main(int argc, char** argv) {
  troupe::apps::Command command;
  const auto application = troupe::apps::make_experiments(command);
  return troupe::apps::run_program(*application, command, argc, argv);
}
