/// The runner of the LAPACK in the BLAS library, which uses that library's own threads.
#include <array>

#include "lab/bench/runners/cases.hpp"

int main(int argc, char** argv) {
  using namespace troupe::bench;
  constexpr std::array kCases{
      Case{"linalg", "algorithm= n= cores=: GFlop/s of a factorization", linalg},
  };
  return run_cases(argc, argv, kCases);
}
