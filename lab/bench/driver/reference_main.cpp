/// The program `troupe-bench-reference`: writes reference pages as `troupe-reference` does, for the benchmarks'
/// commands.
#include <CLI/CLI.hpp>

#include "apps/reference/reference_program.hpp"
#include "lab/bench/driver/command_line.hpp"

int main(int argc, char** argv) {
  troupe::apps::Command unused;
  return troupe::apps::run_reference(argc, argv, {troupe::apps::page_of(*troupe::bench::make_bench(unused))});
}
