/// The program `troupe-service-attacks`.
#include "lab/bench/service/command_lines.hpp"

int main(int argc, char** argv) { return troupe::bench::run_service_attacks(argc, argv); }
