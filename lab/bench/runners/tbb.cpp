/// The runner of oneTBB: task groups for independent tasks, and flow graphs of continue nodes for ordered tasks.
#include <array>

#include "lab/bench/runners/cases.hpp"

int main(int argc, char** argv) {
  using namespace troupe::bench;
  constexpr std::array kCases{
      Case{"overhead", "shape= tasks= cores=: us per empty task", overhead},
      Case{"granularity", "pattern= width= dependencies= peak= mode=submitted|static cores=: METG(50%)", granularity},
      Case{"start", "state= samples= cores=: submission to start on an idle core", start},
      Case{"memory", "in_flight= cores=: bytes per task of a graph", memory},
      Case{"recursion", "program= n= cutoff= cores=: seconds of a recursive program", recursion},
  };
  return run_cases(argc, argv, kCases);
}
