/// `troupe-reference` in builds without the benchmarks.
#include "apps/reference/reference_program.hpp"

int main(int argc, char** argv) { return troupe::apps::run_reference(argc, argv, {}); }
