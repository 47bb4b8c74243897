#include "lab/bench/gpu/command_line.hpp"

int main(int argc, char** argv) { return troupe::bench::run_gpu_bench(argc, argv); }
