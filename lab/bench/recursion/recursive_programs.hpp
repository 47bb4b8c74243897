/// All programs of the benchmark `recursion`. See lab/bench/recursion/recursion_case.hpp.
#pragma once

#include "lab/bench/recursion/alignment.hpp"
#include "lab/bench/recursion/barnes_hut.hpp"
#include "lab/bench/recursion/cholesky.hpp"
#include "lab/bench/recursion/fft.hpp"
#include "lab/bench/recursion/fibonacci.hpp"
#include "lab/bench/recursion/floorplan.hpp"
#include "lab/bench/recursion/health.hpp"
#include "lab/bench/recursion/knapsack.hpp"
#include "lab/bench/recursion/queens.hpp"
#include "lab/bench/recursion/quicksort.hpp"
#include "lab/bench/recursion/recursion_case.hpp"
#include "lab/bench/recursion/strassen.hpp"
#include "lab/bench/recursion/tree.hpp"

namespace troupe::bench {

/// Measures the chosen program with the tasks of a runner. Throws std::runtime_error if a result is wrong.
template <class Tasks>
Json measure_recursion(const RecursionCase& options, Tasks& tasks) {
  switch (options.program) {
    case Recursion::fibonacci: return measure_program(tasks, Fibonacci(options));
    case Recursion::quicksort: return measure_program(tasks, Quicksort(options));
    case Recursion::queens: return measure_program(tasks, Queens(options));
    case Recursion::strassen: return measure_program(tasks, Strassen(options));
    case Recursion::cholesky: return measure_program(tasks, RecursiveCholesky(options));
    case Recursion::barnes_hut: return measure_program(tasks, BarnesHut(options));
    case Recursion::fft: return measure_program(tasks, Fft(options));
    case Recursion::alignment: return measure_program(tasks, Alignment(options));
    case Recursion::health: return measure_program(tasks, Health(options));
    case Recursion::floorplan: return measure_program(tasks, Floorplan(options));
    case Recursion::tree: return measure_program(tasks, Tree(options));
    case Recursion::knapsack: return measure_program(tasks, KnapsackSearch(options));
  }
  return {};
}

}  // namespace troupe::bench
