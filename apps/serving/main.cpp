/// The program `troupe-serve`, which `troupe serve` starts.
#include "apps/serving/serve_command.hpp"

int main(int argc, char** argv) { return troupe::apps::run_program(troupe::apps::make_serve, argc, argv); }
