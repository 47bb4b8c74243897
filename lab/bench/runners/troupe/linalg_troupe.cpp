/// Measures Troupe's own factorizations, with the same code as `troupe run`.
#include "lab/bench/factorization_case.hpp"
#include "lab/bench/runners/cases.hpp"
#include "linalg/factorization.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

class TroupeFactors : public Factors {
 public:
  TroupeFactors(Runtime& runtime, Matrix& a, const linalg::FactorizationOptions& options)
      : factorization_(runtime, a, options) {}
  void solve(Matrix& b) override { factorization_.solve(b); }

 private:
  linalg::Factorization<double> factorization_;
};

linalg::FactorizationOptions options_for(const FactorizationCase& options, std::int64_t n) {
  linalg::FactorizationOptions result;
  result.application = static_cast<linalg::Application>(options.algorithm);
  result.tile = options.tile > 0 ? options.tile : linalg::default_tile(result.application, n);
  result.tile_rows = options.tile_rows;
  if (options.inner > 0) result.inner = options.inner;
  return result;
}

}  // namespace

Json linalg(Parameters& parameters) {
  const FactorizationCase options = factorization_case(parameters);
  parameters.require_all_used();
  RuntimeOptions runtime_options;
  runtime_options.cores = options.cores;
  Runtime runtime(runtime_options);
  Json figures = measure_factorization(
      options, [&](Matrix& a) { return std::make_unique<TroupeFactors>(runtime, a, options_for(options, a.rows)); });
  figures["tile"] = options_for(options, options.n).tile;
  return figures;
}

}  // namespace troupe::bench
