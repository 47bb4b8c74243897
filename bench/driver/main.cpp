#include "bench/driver/command_line.hpp"

int main(int argc, char** argv) { return troupe::bench::run_bench_command_line(argc, argv); }
