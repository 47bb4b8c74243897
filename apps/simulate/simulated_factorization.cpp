#include "apps/simulate/simulated_factorization.hpp"

#include "apps/simulate/gpu_choice.hpp"
#include "apps/simulate/modelled_codelets.hpp"
#include "client/runtime.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/incremental_lu.hpp"
#include "linalg/qr.hpp"
#include "linalg/sparse_lu.hpp"

namespace troupe::apps {

namespace {

template <class T>
void place_tiles(GraphRecorder& recorder, const TiledMatrix<T>& a) {
  for (int column = 0; column < a.tile_cols(); ++column) {
    for (int row = 0; row < a.tile_rows(); ++row) recorder.place(a(row, column), row, column);
  }
}

template <class T>
void set_reuse_by_position(Runtime& runtime, const TiledMatrix<T>& a) {
  for (int column = 0; column < a.tile_cols(); ++column) {
    for (int row = 0; row < a.tile_rows(); ++row) runtime.set_reuse(a(row, column), row + column);
  }
}

template <class T>
FactorizationOutcome simulate_in(const SimulatedRun& run) {
  RuntimeOptions options;
  options.policy = run.policy;
  options.restrict = run.restrict;
  auto simulation = std::make_shared<SimulationOptions>(run.simulation);
  simulation->gpus = regardless_of_numbers(run.simulation.gpus, run.simulation.machine);
  options.simulation = std::move(simulation);
  options.trace = run.trace;
  options.observer = run.recorder;
  options.eviction = run.eviction;
  options.access_observer = run.access_observer;
  // Policies may see all of it.
  options.window = std::size_t{1} << 24U;
  const auto kernel = modelled_codelets<T>(run.application, run.simulation.machine, run.pivoting).value_or_throw();
  Runtime runtime(options);
  const std::int64_t rows = run.tile_rows > 0    ? run.tile_rows
                            : run.tile_rows == 0 ? run.tile
                                                 : linalg::default_tile_rows(run.n, run.tile, runtime.workers());
  TiledMatrix<T> a(runtime, run.n, run.n, TileSize(rows, run.tile), TileStorage::none);
  if (run.reuse_by_position) set_reuse_by_position(runtime, a);
  std::optional<linalg::QrFactors<T>> reflectors;
  std::optional<linalg::IncrementalFactors<T>> pairs;
  std::optional<linalg::Pivots> pivots;
  switch (run.application) {
    case linalg::Application::cholesky: linalg::cholesky(runtime, a, kernel); break;
    case linalg::Application::lu:
      if (run.empty_tiles_seed) {
        linalg::sparse_lu_without_pivoting(runtime, a, kernel, *run.empty_tiles_seed);
      } else if (run.pivoting == linalg::Pivoting::partial) {
        pivots.emplace(runtime, run.n, run.tile);
        linalg::lu(runtime, a, *pivots, kernel);
      } else if (run.pivoting == linalg::Pivoting::incremental) {
        pairs.emplace(runtime, a, run.inner, TileStorage::none);
        linalg::lu_incremental(runtime, a, *pairs, kernel);
      } else {
        linalg::lu_without_pivoting(runtime, a, kernel, run.lu_order);
      }
      break;
    case linalg::Application::qr:
      reflectors.emplace(runtime, a, run.inner, TileStorage::none);
      linalg::qr(runtime, a, *reflectors, kernel);
      break;
  }
  if (run.recorder) place_tiles(*run.recorder, a);
  runtime.wait();
  FactorizationOutcome outcome;
  outcome.report = runtime.report();
  outcome.seconds = seconds(*outcome.report.virtual_time);
  outcome.gflops = linalg::flop_count(run.application, run.n, run.n) / outcome.seconds / 1e9;
  outcome.tasks = outcome.report.ended;
  if (run.trace) outcome.trace = runtime.take_trace();
  return outcome;
}

}  // namespace

FactorizationOutcome simulate(const SimulatedRun& run) {
  return run.precision == Precision::single_precision ? simulate_in<float>(run) : simulate_in<double>(run);
}

}  // namespace troupe::apps
