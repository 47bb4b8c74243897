/// The program `troupe-bench`.
#include "lab/bench/driver/command_line.hpp"

int main(int argc, char** argv) { return troupe::apps::run_program(troupe::bench::make_bench, argc, argv); }
