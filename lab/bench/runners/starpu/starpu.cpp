/// The runner of StarPU. It uses StarPU as users' programs do: handles, codelets, and tasks made by starpu_task_create.
#include <array>

#include "lab/bench/runners/cases.hpp"

int main(int argc, char** argv) {
  using namespace troupe::bench;
  constexpr std::array kCases{
      Case{"overhead", "shape= handles= tasks= cores=: us per empty task", overhead},
      Case{"granularity", "pattern= width= dependencies= peak= cores=: METG(50%)", granularity},
      Case{"start", "state= samples= cores=: submission to start on an idle core", start},
      Case{"memory", "in_flight= cores=: bytes per task in flight", memory},
      Case{"stream", "tasks= cores=: peak memory of many tasks", stream},
      Case{"linalg", "algorithm= n= tile= tile_rows= inner= scheduler= cores=: GFlop/s of a factorization", linalg},
      Case{"sparse-lu", "structure= n= block= super= grain= seed= cores=: GFlop/s of LU of blocks", sparse_lu},
  };
  return run_cases(argc, argv, kCases);
}
