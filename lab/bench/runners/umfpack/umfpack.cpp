/// The runner of SuiteSparse's UMFPACK, which uses the BLAS library's own threads.
#include <array>

#include "lab/bench/runners/cases.hpp"

int main(int argc, char** argv) {
  using namespace troupe::bench;
  constexpr std::array kCases{
      Case{"sparse", "points= wind= file= cores=: seconds to solve a sparse system", sparse},
  };
  return run_cases(argc, argv, kCases);
}
