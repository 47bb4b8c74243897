/// Solves with UMFPACK: calls umfpack_di_symbolic, _numeric and _solve directly, with default settings.
#include <umfpack.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/sparse/sparse_case.hpp"
#include "proto/json/json.hpp"

extern "C" {
// The symbol is weak, because another BLAS library may be linked; that library takes its number of threads from the
// environment.
[[gnu::weak]] void openblas_set_num_threads(int);
}

namespace troupe::bench {
namespace {

void require_ok(int status, const char* routine) {
  if (status != UMFPACK_OK) throw std::runtime_error(std::string(routine) + " returned " + std::to_string(status));
}

/// Solves the transposed system, because the rows of the matrix are passed as columns.
std::vector<double> solve_by_umfpack(const linalg::CompressedMatrix& a, const std::vector<int>& begin,
                                     const std::vector<double>& b, Json& figures) {
  const int n = static_cast<int>(a.order);
  double control[UMFPACK_CONTROL];
  double info[UMFPACK_INFO];
  umfpack_di_defaults(control);
  void* symbolic = nullptr;
  void* numeric = nullptr;
  std::vector<double> x(b.size());
  const int analysed =
      umfpack_di_symbolic(n, n, begin.data(), a.cols.data(), a.values.data(), &symbolic, control, info);
  require_ok(analysed, "umfpack_di_symbolic");
  const int factorized =
      umfpack_di_numeric(begin.data(), a.cols.data(), a.values.data(), symbolic, &numeric, control, info);
  umfpack_di_free_symbolic(&symbolic);
  if (factorized != UMFPACK_OK) umfpack_di_free_numeric(&numeric);
  require_ok(factorized, "umfpack_di_numeric");
  const int solved = umfpack_di_solve(UMFPACK_At, begin.data(), a.cols.data(), a.values.data(), x.data(), b.data(),
                                      numeric, control, info);
  umfpack_di_free_numeric(&numeric);
  require_ok(solved, "umfpack_di_solve");
  figures = {{"flops", info[UMFPACK_FLOPS]},
             {"stored_bytes", (info[UMFPACK_LNZ] + info[UMFPACK_UNZ]) * sizeof(double)}};
  return x;
}

}  // namespace

Json sparse(Parameters& parameters) {
  const SparseCase options = sparse_case(parameters);
  parameters.require_all_used();
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(options.cores);
  const std::vector<int> begin(options.matrix.begin.begin(), options.matrix.begin.end());
  Json last;
  Json figures = measure_sparse(
      options, [&](const std::vector<double>& b) { return solve_by_umfpack(options.matrix, begin, b, last); });
  figures.update(last);
  return figures;
}

}  // namespace troupe::bench
