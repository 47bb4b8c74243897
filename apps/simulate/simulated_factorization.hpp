/// Factorizations in virtual time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "actors/memory/memory_options.hpp"
#include "apps/bounds/factorization_graph.hpp"
#include "apps/run/factorization_outcome.hpp"
#include "apps/run/sparse_problem.hpp"
#include "linalg/factorization.hpp"
#include "linalg/lu.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

enum class Precision { single_precision, double_precision };

/// LU of a sparse matrix of blocks.
struct SimulatedSparseLu {
  std::shared_ptr<const SparseProblem> problem;
  SparseGrain grain = SparseGrain::coarse;
  linalg::BlockSteps steps = linalg::BlockSteps::all;
  linalg::BlockReuse reuse = linalg::BlockReuse::position;
  /// The number of operations and of tasks of these steps.
  double flops = 0;
  double tasks = 0;
};

struct SimulatedRun {
  linalg::Application application = linalg::Application::cholesky;
  Precision precision = Precision::double_precision;
  /// For LU, the pivoting. Partial pivoting needs times of kernels that the machines in Troupe's files do not have.
  linalg::Pivoting pivoting = linalg::Pivoting::none;
  /// For LU without pivoting, the order of submission.
  linalg::LuOrder lu_order = linalg::LuOrder::by_columns;
  std::int64_t n = 0;
  /// The number of columns and rows of a tile. For rows, 0 means as many as columns, and `kRowsByWorkers` means
  /// `linalg::default_tile_rows`.
  std::int64_t tile = 0;
  static constexpr std::int64_t kRowsByWorkers = -1;
  std::int64_t tile_rows = 0;
  /// The number of columns of an inner block, for QR and LU with incremental pivoting.
  std::int64_t inner = 128;
  std::string policy = "heft";
  /// The value of `PlacementOptions::restrict`.
  std::string restrict = {};
  SimulationOptions simulation;
  /// The eviction policy, which chooses the data to remove from a full memory (`AcceleratorOptions::eviction`).
  std::string eviction = "next-use";
  /// If this is true, tile (i, j) has the reuse index i + j, because tiles at the bottom right are used longest.
  bool reuse_by_position = false;
  /// For LU only: each tile off the diagonal is empty with a probability of one third, drawn from this seed.
  std::optional<std::uint64_t> empty_tiles_seed = std::nullopt;
  /// If this has a value, a sparse matrix replaces the dense matrix; then `n`, `tile` and the options of dense matrices
  /// are ignored.
  std::optional<SimulatedSparseLu> sparse = std::nullopt;
  /// The memory manager reports every use of data to this observer; may be null.
  std::shared_ptr<memory::AccessObserver> access_observer = nullptr;
  bool trace = false;
  /// Records the tasks of this run and the places of their tiles in the matrix; may be null. A recorder serves one run
  /// only.
  std::shared_ptr<GraphRecorder> recorder;
};

/// Factorizes a matrix without content in virtual time. Throws `Error`: `invalid_argument` for options that cannot be
/// used, `bad_input` if the machine lacks a kernel.
[[nodiscard]] FactorizationOutcome simulate(const SimulatedRun& run);

/// Returns `problem` with the number of operations and tasks of the steps in `how`. Throws `invalid_argument` if there
/// are more tasks than can be simulated.
[[nodiscard]] SimulatedSparseLu simulated_sparse_lu(std::shared_ptr<const SparseProblem> problem,
                                                    const SparseLuArguments& how);

}  // namespace troupe::apps
