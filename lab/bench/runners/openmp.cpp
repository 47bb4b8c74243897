/// The runner of OpenMP: one thread creates tasks in a parallel region.
#include <array>

#include "lab/bench/runners/cases.hpp"

int main(int argc, char** argv) {
  using namespace troupe::bench;
  constexpr std::array kCases{
      Case{"overhead", "shape= handles= tasks= cores=: us per empty task", overhead},
      Case{"granularity", "pattern= width= dependencies= peak= cores=: METG(50%)", granularity},
      Case{"start", "state= samples= cores=: submission to start on an idle core", start},
      Case{"memory", "not supported", memory},
      Case{"sparse-lu", "structure= n= block= super= grain= seed= cores=: GFlop/s of LU of blocks", sparse_lu},
      Case{"recursion", "program= n= cutoff= cores=: seconds of a recursive program", recursion},
  };
  return run_cases(argc, argv, kCases);
}
