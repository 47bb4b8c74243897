/// The runner of Troupe. It uses Troupe as users' programs do: through include/troupe/runtime.hpp.
#include <array>

#include "lab/bench/runners/cases.hpp"

int main(int argc, char** argv) {
  using namespace troupe::bench;
  constexpr std::array kCases{
      Case{"overhead", "shape= handles= tasks= cores=: us per empty task", overhead},
      Case{"granularity", "pattern= width= dependencies= peak= mode= cores=: METG(50%)", granularity},
      Case{"start", "state= samples= cores=: submission to start on an idle core", start},
      Case{"steal", "what=answer|surplus victim_ms= gap_us= samples=: stealing from a kernel", steal},
      Case{"pieces", "what=cost|steal pieces= grain= tasks= rounds= first_ms= gap_us= samples=: tasks of pieces",
           pieces},
      Case{"regroup",
           "cores= rounds= kernel_us= policy=: microseconds from the last kernel on single cores to the first "
           "of all together, and back",
           regroup},
      Case{"team", "kernel= tile= inner= rounds= cores=: a team's speed over the sum of its members'", team},
      Case{"device", "links= kernel_us= issue_ahead= rounds=: idle time of an emulated GPU in a chain", device},
      Case{"memory", "in_flight= cores=: bytes per task in flight", memory},
      Case{"stream", "tasks= cores=: peak memory of many tasks", stream},
      Case{"temporaries", "bytes= pieces= cores=: time on data made in a loop over that on data kept outside",
           temporaries},
      Case{"constructs", "construct= n= cores=: ns of a construct of a program, tasks included", constructs},
      Case{"linalg", "algorithm= n= tile= tile_rows= inner= cores=: GFlop/s of a factorization", linalg},
      Case{"sparse", "points= wind= file= ordering= block= super= cores=: seconds to solve a sparse system", sparse},
      Case{"sparse-lu", "structure= n= block= super= grain= seed= cores=: GFlop/s of LU of blocks", sparse_lu},
      Case{"recursion", "program= n= cutoff= policy= cores=: seconds of a recursive program", recursion},
  };
  return run_cases(argc, argv, kCases);
}
