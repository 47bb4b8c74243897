/// The request of `troupe simulate`, checked before anything runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/simulate/cluster_search.hpp"
#include "apps/simulate/derived_kernels.hpp"
#include "apps/simulate/simulated_factorization.hpp"
#include "apps/simulate/simulation_point.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

/// The arguments as given; `SimulationRequest::make` chooses what is missing.
struct SimulationArguments {
  linalg::Application application = linalg::Application::cholesky;
  /// For LU, the pivoting: none or incremental.
  linalg::Pivoting pivoting = linalg::Pivoting::none;
  std::string platform;
  /// Orders of matrices; with `sparse`, blocks on a side, and empty if `sparse` names a file.
  std::vector<std::int64_t> sizes;
  /// LU of a sparse matrix of blocks; the application is "lu" then.
  std::optional<SparseLuArguments> sparse;
  /// The tile's edge; 0 means the largest that was measured on the machine.
  std::int64_t tile = 0;
  std::int64_t inner = 128;
  /// The precision, "float" or "double". Empty means double if the machine has the kernels in double, otherwise float.
  std::string precision;
  /// The numbers of GPUs; empty means all numbers that the machine allows.
  std::string gpus;
  std::string gpu_order = "near";
  std::vector<std::string> policies{"default"};
  std::string restrict;
  /// The eviction policy: what leaves a full memory first.
  std::string eviction = "next-use";
  int repeat = 1;
  /// True if kernel times vary. Without a value they vary only if there are several runs.
  std::optional<bool> noise;
  /// The runtime whose behaviour is assumed. "starpu" sets defaults for options that are not given.
  std::string assume = "none";
  std::optional<double> memory_share;
  std::optional<double> kernel_overhead_us;
  std::optional<double> launch_us;
  std::optional<double> notice_us;
  std::optional<double> copy_overhead_us;
  std::optional<bool> copy_streams;
  std::optional<bool> priorities;
  /// The remaining options, used as they are.
  SimulationOptions simulation;
};

/// A list of places, each with a number of runs.
class SimulationRequest {
 public:
  /// Checks the arguments. Throws `invalid_argument` or `bad_input`, with what is wrong and what to do.
  static SimulationRequest make(const SimulationArguments& arguments);

  /// If clusters are to be found, finds them for each place. Call it before `runs`. Throws what simulations throw.
  void choose_clusters(const ClusterSearchOptions& options);
  /// Returns one choice for each place if clusters were to be found, otherwise none.
  [[nodiscard]] const std::vector<ClusterChoice>& choices() const { return choices_; }

  /// Returns the places by size, then number of GPUs, then policy.
  [[nodiscard]] const std::vector<SimulationPlace>& places() const { return places_; }
  [[nodiscard]] int repeat() const { return repeat_; }
  [[nodiscard]] SimulatedRun run(const SimulationPlace& place, std::uint64_t seed) const;
  /// Returns all runs: those of the first place, with rising seeds, then those of the second, ….
  [[nodiscard]] SimulationList runs() const;
  /// Returns the settings that all runs share.
  [[nodiscard]] const SimulatedRun& common() const { return common_; }
  /// Returns the kernels whose times the machine's description lacks.
  [[nodiscard]] const std::vector<DerivedKernel>& derived() const { return derived_; }
  /// Returns remarks on things that are not wrong, but worth knowing.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  /// Finds the sparse structures, and the machine's kernels that they need. Returns the orders of the matrices.
  std::vector<std::int64_t> prepare_sparse(const SimulationArguments& arguments, platform::MachineDescription& machine);
  void check_task_count(std::int64_t n) const;
  [[nodiscard]] bool finds_clusters() const;
  void check_clusters();
  void check_memory();
  void remove_repeated_warnings();

  SimulatedRun common_;
  std::vector<SimulationPlace> places_;
  std::vector<ClusterChoice> choices_;
  /// Sparse problems by order.
  std::map<std::int64_t, SimulatedSparseLu> sparse_;
  int repeat_ = 1;
  std::vector<DerivedKernel> derived_;
  std::vector<std::string> warnings_;
};

/// Returns the number of tasks of the tile algorithm on `tiles` x `tiles` tiles.
[[nodiscard]] double task_count(linalg::Application application, std::int64_t tiles);

}  // namespace troupe::apps
