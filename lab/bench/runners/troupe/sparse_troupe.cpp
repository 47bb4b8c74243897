/// Measures Troupe's sparse LU, with the same code as `troupe solve --sparse`.
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/sparse/sparse_case.hpp"
#include "linalg/sparse/sparse_factorization.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {

Json sparse(Parameters& parameters) {
  const SparseCase options = sparse_case(parameters);
  linalg::SparseOptions how;
  how.block = parameters.integer("block", 0);
  how.side = static_cast<int>(parameters.integer("super", 0));
  const std::string ordering = parameters.text("ordering", "auto");
  for (const linalg::Ordering one : linalg::kOrderings) {
    if (ordering == to_string(one)) how.ordering = one;
  }
  if (ordering != to_string(how.ordering)) throw BadParameter("ordering=" + ordering + ": auto, natural, rcm or amd");
  parameters.require_all_used();
  RuntimeOptions runtime_options;
  runtime_options.cores = options.cores;
  Runtime runtime(runtime_options);
  Json last;
  Json figures = measure_sparse(options, [&](const std::vector<double>& b) {
    const linalg::SparseFactorization<double> factorization(runtime, options.matrix, how);
    std::vector<double> x = factorization.solve(b).x;
    const linalg::SparseAnalysis& analysis = factorization.analysis();
    last = {{"ordering", to_string(analysis.ordering)},
            {"block", analysis.cut.block},
            {"super", analysis.cut.side},
            {"stored_bytes", factorization.factors().bytes().count},
            {"flops", analysis.work.flops(analysis.cut.block)},
            {"factorization_seconds", factorization.factorization_seconds()}};
    return x;
  });
  figures.update(last);
  return figures;
}

}  // namespace troupe::bench
