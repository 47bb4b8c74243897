/// The program `troupe-service-bench`.
#include "lab/bench/service/command_lines.hpp"

int main(int argc, char** argv) { return troupe::bench::run_service_bench(argc, argv); }
