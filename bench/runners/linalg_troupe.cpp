/// Troupe's own factorizations, as `troupe run` uses them.
#include "apps/factorization.hpp"
#include "bench/factorization_case.hpp"
#include "bench/runners/cases.hpp"
#include "client/runtime.hpp"

namespace troupe::bench {
namespace {

class TroupeFactors : public Factors {
 public:
  TroupeFactors(Runtime& runtime, Matrix& a, const apps::FactorizationOptions& options)
      : factorization_(runtime, a, options) {}
  void solve(Matrix& b) override { factorization_.solve(b); }

 private:
  apps::Factorization<double> factorization_;
};

apps::FactorizationOptions options_for(const FactorizationCase& options, std::int64_t n) {
  apps::FactorizationOptions result;
  result.application = static_cast<apps::Application>(options.algorithm);
  result.tile = options.tile > 0 ? options.tile : apps::default_tile(n);
  result.tile_rows = options.tile_rows;
  if (options.inner > 0) result.inner = options.inner;
  return result;
}

}  // namespace

nlohmann::json linalg(Parameters& parameters) {
  const FactorizationCase options = factorization_case(parameters);
  parameters.require_all_used();
  RuntimeOptions runtime_options;
  runtime_options.cores = options.cores;
  Runtime runtime(runtime_options);
  nlohmann::json figures = measure_factorization(
      options, [&](Matrix& a) { return std::make_unique<TroupeFactors>(runtime, a, options_for(options, a.rows)); });
  figures["tile"] = options_for(options, options.n).tile;
  return figures;
}

}  // namespace troupe::bench
