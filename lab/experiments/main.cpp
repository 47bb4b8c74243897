/// The program `troupe-experiment`, which `troupe experiment` starts.
#include "lab/experiments/experiment_commands.hpp"

int main(int argc, char** argv) { return troupe::apps::run_program(troupe::apps::make_experiments, argc, argv); }
