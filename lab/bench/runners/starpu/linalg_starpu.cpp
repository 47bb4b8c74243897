/// Tile factorizations with StarPU. Cholesky and LU work in place, on handles with the matrix's leading dimension:
/// copies to tiles would cost StarPU as much as they cost Troupe.
#include <algorithm>
#include <array>
#include <string>

#include "kernels/blas_threads.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/runners/starpu/factors_starpu.hpp"
#include "lab/bench/runners/starpu/session_starpu.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

/// Returns the tile sizes that Troupe would choose.
linalg::FactorizationOptions options_for(const FactorizationCase& options, std::int64_t n) {
  linalg::FactorizationOptions result;
  result.application = static_cast<linalg::Application>(options.algorithm);
  result.tile = options.tile > 0 ? options.tile : linalg::default_tile(result.application, n);
  result.tile_rows = options.tile_rows > 0
                         ? options.tile_rows
                         : linalg::default_tile_rows(n, result.tile, static_cast<std::size_t>(options.cores));
  result.inner = options.inner > 0 ? options.inner : linalg::default_inner(result.tile_rows, result.tile);
  return result;
}

std::unique_ptr<Factors> factorize(Matrix& a, const linalg::FactorizationOptions& options) {
  switch (options.application) {
    case linalg::Application::cholesky: return starpu_cholesky(a, options);
    case linalg::Application::lu: return starpu_lu(a, options);
    case linalg::Application::qr: return starpu_qr(a, options);
  }
  return nullptr;
}

}  // namespace

Json linalg(Parameters& parameters) {
  const FactorizationCase options = factorization_case(parameters);
  const std::string scheduler = parameters.text("scheduler", "lws");
  parameters.require_all_used();
  // These schedulers need no performance models.
  constexpr std::array kSchedulers{"lws", "ws", "prio", "eager"};
  if (std::find(kSchedulers.begin(), kSchedulers.end(), scheduler) == kSchedulers.end()) {
    throw BadParameter("scheduler=" + scheduler + ": lws, ws, prio or eager");
  }
  const auto single_threaded = kernels::single_threaded_blas();
  const StarpuSession session(options.cores, 0, scheduler.c_str());
  Json figures = measure_factorization(options, [&](Matrix& a) { return factorize(a, options_for(options, a.rows)); });
  figures["tile"] = options_for(options, options.n).tile;
  figures["tile_rows"] = options_for(options, options.n).tile_rows;
  return figures;
}

}  // namespace troupe::bench
