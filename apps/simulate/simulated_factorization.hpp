/// A factorization in virtual time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "actors/memory/memory_options.hpp"
#include "actors/simulating/simulation_options.hpp"
#include "apps/bounds/factorization_graph.hpp"
#include "apps/run/factorization_outcome.hpp"
#include "apps/run/sparse_problem.hpp"
#include "linalg/factorization.hpp"
#include "linalg/lu.hpp"

namespace troupe::apps {

enum class Precision { single_precision, double_precision };

/// LU of a sparse matrix of blocks.
struct SimulatedSparseLu {
  std::shared_ptr<const SparseProblem> problem;
  SparseGrain grain = SparseGrain::coarse;
  linalg::BlockSteps steps = linalg::BlockSteps::all;
  linalg::BlockReuse reuse = linalg::BlockReuse::position;
  /// Of these steps.
  double flops = 0;
  double tasks = 0;
};

struct SimulatedRun {
  linalg::Application application = linalg::Application::cholesky;
  Precision precision = Precision::double_precision;
  /// LU. With partial pivoting the description needs times of kernels that files do not have.
  linalg::Pivoting pivoting = linalg::Pivoting::none;
  /// Of LU without pivoting.
  linalg::LuOrder lu_order = linalg::LuOrder::by_columns;
  std::int64_t n = 0;
  /// Columns of a tile, and its rows: 0 for as many, `kRowsByWorkers` for `linalg::default_tile_rows`.
  std::int64_t tile = 0;
  static constexpr std::int64_t kRowsByWorkers = -1;
  std::int64_t tile_rows = 0;
  /// QR, LU with incremental pivoting: inner block of the triangular factors.
  std::int64_t inner = 128;
  std::string policy = "heft";
  /// `RuntimeOptions::restrict`.
  std::string restrict = {};
  SimulationOptions simulation;
  /// What leaves a full memory first (`RuntimeOptions::eviction`).
  std::string eviction = "next-use";
  /// Tile (i, j) has the reuse index i + j: what lies to the bottom right is used longest.
  bool reuse_by_position = false;
  /// LU only: tiles off the diagonal are empty with a probability of a third, as drawn from this seed.
  std::optional<std::uint64_t> empty_tiles_seed = std::nullopt;
  /// That instead of the application's dense matrix: `n`, `tile` and the dense ones' options are not looked at.
  std::optional<SimulatedSparseLu> sparse = std::nullopt;
  /// Hears from the memory manager who uses what; null: nobody.
  std::shared_ptr<memory::AccessObserver> access_observer = nullptr;
  bool trace = false;
  /// Who writes down the tasks, and where their tiles lie, of this one run; null: nobody.
  std::shared_ptr<GraphRecorder> recorder;
};

/// Factorizes a matrix that has no content. Throws `Error`: `invalid_argument` for options that cannot be used,
/// `bad_input` where the machine lacks a kernel.
[[nodiscard]] FactorizationOutcome simulate(const SimulatedRun& run);

/// `problem` with what follows from it: the operations and tasks of these steps. Throws `invalid_argument` where these
/// are more than can be simulated.
[[nodiscard]] SimulatedSparseLu simulated_sparse_lu(std::shared_ptr<const SparseProblem> problem,
                                                    const SparseLuArguments& how);

}  // namespace troupe::apps
