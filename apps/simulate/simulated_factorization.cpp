#include "apps/simulate/simulated_factorization.hpp"

#include <fmt/format.h>

#include <utility>

#include "apps/run/sparse_facts.hpp"
#include "apps/simulate/gpu_choice.hpp"
#include "apps/simulate/modelled_codelets.hpp"
#include "apps/simulate/modelled_super_blocks.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/incremental_lu.hpp"
#include "linalg/qr.hpp"
#include "linalg/sparse/block_lu.hpp"
#include "linalg/sparse/block_structure.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

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

RuntimeOptions runtime_options_of(const SimulatedRun& run) {
  RuntimeOptions options;
  options.policy = run.policy;
  options.placement.restrict = run.restrict;
  auto simulation = std::make_shared<SimulationOptions>(run.simulation);
  simulation->gpus = regardless_of_numbers(run.simulation.gpus, run.simulation.machine);
  options.simulation = std::move(simulation);
  options.trace = run.trace;
  options.observation.observer = run.recorder;
  options.accelerators.eviction = run.eviction;
  options.observation.access_observer = run.access_observer;
  // The submission window is so large that policies see all tasks.
  options.window = std::size_t{1} << 24U;
  return options;
}

/// Returns the outcome of a run that has ended.
FactorizationOutcome outcome_of(Runtime& runtime, double flops, bool trace) {
  FactorizationOutcome outcome;
  outcome.report = runtime.report();
  outcome.seconds = seconds(*outcome.report.virtual_time);
  outcome.gflops = outcome.seconds > 0 ? flops / outcome.seconds / 1e9 : 0;
  outcome.tasks = outcome.report.ended;
  if (trace) outcome.trace = runtime.take_trace();
  return outcome;
}

template <class T>
FactorizationOutcome simulate_sparse_in(const SimulatedRun& run) {
  const SimulatedSparseLu& sparse = *run.sparse;
  const SparseProblem& problem = *sparse.problem;
  const auto kernels =
      modelled_block_lu<T>(run.simulation.machine, super_tasks(sparse.grain), problem.cut.side).value_or_throw();
  Runtime runtime(runtime_options_of(run));
  linalg::BlockMatrix<T> a(runtime, problem.pattern, problem.cut, linalg::BlockStorage::none);
  linalg::set_reuse(runtime, a, sparse.reuse, sparse.steps);
  const linalg::ReplacedPivotCounts counts(runtime, a.supers());
  linalg::block_lu(runtime, a, counts, {.steps = sparse.steps}, kernels);
  if (run.recorder) {
    for (const auto& stored : a.super_blocks()) run.recorder->place(stored.handle(), stored.row(), stored.col());
  }
  runtime.wait();
  return outcome_of(runtime, sparse.flops, run.trace);
}

template <class T>
FactorizationOutcome simulate_in(const SimulatedRun& run) {
  if (run.sparse) return simulate_sparse_in<T>(run);
  const auto kernel = modelled_codelets<T>(run.application, run.simulation.machine, run.pivoting).value_or_throw();
  Runtime runtime(runtime_options_of(run));
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
        const linalg::BlockStructure third{linalg::BlockStructure::Kind::third_closed};
        linalg::block_lu_of_tiles(runtime, a, linalg::pattern_of(third, a.tile_cols(), *run.empty_tiles_seed), kernel,
                                  linalg::PanelPlace::cores);
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
  return outcome_of(runtime, linalg::flop_count(run.application, run.n, run.n), run.trace);
}

}  // namespace

FactorizationOutcome simulate(const SimulatedRun& run) {
  return run.precision == Precision::single_precision ? simulate_in<float>(run) : simulate_in<double>(run);
}

SimulatedSparseLu simulated_sparse_lu(std::shared_ptr<const SparseProblem> problem, const SparseLuArguments& how) {
  constexpr double kMostTasks = 5e6;
  SimulatedSparseLu sparse{std::move(problem), how.grain, how.steps, how.reuse};
  const SparseProblem& of = *sparse.problem;
  sparse.tasks = most_tasks(of.pattern, of.cut.side, how.steps);
  if (sparse.tasks > kMostTasks) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}' of {} x {} blocks makes up to {:.3g} tasks, more than {:.0f}: take fewer blocks, or "
                            "--grain coarse with a larger --super",
                            of.name, of.pattern.blocks(), of.pattern.blocks(), sparse.tasks, kMostTasks));
  }
  sparse.flops = of.flops(how.steps);
  return sparse;
}

}  // namespace troupe::apps
