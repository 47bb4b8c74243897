/// The program `troupe-experiment`, which `troupe experiment` starts.
#include <CLI/CLI.hpp>

#include "apps/experiments/experiment_commands.hpp"

int main(int argc, char** argv) {
  CLI::App application("Run a published experiment again in virtual time, or one over the number of accelerators",
                       "troupe experiment");
  troupe::apps::Command command;
  troupe::apps::add_experiments(application, command);
  return troupe::apps::run_command_line(application, command, argc, argv);
}
