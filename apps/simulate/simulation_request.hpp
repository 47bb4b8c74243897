/// The request of `troupe simulate`, which is checked before the first simulation.
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

/// The user's arguments. `SimulationRequest::make` chooses defaults for missing arguments.
struct SimulationArguments {
  linalg::Application application = linalg::Application::cholesky;
  /// For LU, the pivoting: none or incremental.
  linalg::Pivoting pivoting = linalg::Pivoting::none;
  std::string platform;
  /// The orders of matrices. With `sparse`, the numbers of blocks on a side, or empty if `sparse` names a file.
  std::vector<std::int64_t> sizes;
  /// If this has a value, LU of a sparse matrix of blocks is simulated; the application is then "lu".
  std::optional<SparseLuArguments> sparse;
  /// The edge of a tile; 0 means the largest tile that was measured on the machine.
  std::int64_t tile = 0;
  std::int64_t inner = 128;
  /// The precision, "float" or "double". Empty means double if the machine has the kernels in double, otherwise float.
  std::string precision;
  /// The numbers of GPUs to compare, such as "1-8"; empty means only the number of all the machine's GPUs.
  std::string gpus;
  std::string gpu_order = "near";
  std::vector<std::string> policies{"default"};
  std::string restrict;
  /// The eviction policy, which chooses the data to remove from a full memory.
  std::string eviction = "next-use";
  int repeat = 1;
  /// True if kernel times vary. Without a value they vary only if there are several runs.
  std::optional<bool> noise;
  /// The runtime whose behaviour is assumed. "starpu" changes the defaults of options that are not given.
  std::string assume = "none";
  std::optional<double> memory_fraction;
  std::optional<double> kernel_overhead_us;
  std::optional<double> launch_us;
  std::optional<double> notice_us;
  std::optional<double> copy_overhead_us;
  std::optional<bool> copy_streams;
  std::optional<bool> priorities;
  /// The remaining options, which are used unchanged.
  SimulationOptions simulation;
};

/// A list of places (configurations), each with a number of runs.
class SimulationRequest {
 public:
  /// Checks the arguments. Throws `invalid_argument` or `bad_input`; the message names the problem and the remedy.
  static SimulationRequest make(const SimulationArguments& arguments);

  /// If the user requests automatic clusters, finds the best clusters for each of `places()`. Call this function before
  /// `runs`. Passes on the errors of simulations.
  void choose_clusters(const ClusterSearchOptions& options);
  /// Returns one choice for each of `places()` if the user requested automatic clusters, and otherwise none.
  [[nodiscard]] const std::vector<ClusterChoice>& choices() const { return choices_; }

  /// Returns the places (configurations), sorted by size, then number of GPUs, then policy.
  [[nodiscard]] const std::vector<SimulationPlace>& places() const { return places_; }
  [[nodiscard]] int repeat() const { return repeat_; }
  [[nodiscard]] SimulatedRun run(const SimulationPlace& place, std::uint64_t seed) const;
  /// Returns all runs: the runs of the first place, with increasing seeds, then the runs of the second place, and so
  /// on.
  [[nodiscard]] SimulationList runs() const;
  /// Returns the settings that all runs share.
  [[nodiscard]] const SimulatedRun& common() const { return common_; }
  /// Returns the kernels whose times were derived, because the machine's description lacks these kernels.
  [[nodiscard]] const std::vector<DerivedKernel>& derived() const { return derived_; }
  /// Returns remarks on settings that are allowed but probably not intended.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  /// Prepares the sparse problems, and derives the machine's kernels that they need. Returns the orders of the
  /// matrices.
  std::vector<std::int64_t> prepare_sparse(const SimulationArguments& arguments, platform::MachineDescription& machine);
  void check_task_count(std::int64_t n) const;
  [[nodiscard]] bool finds_clusters() const;
  void check_clusters();
  void check_memory();
  void remove_repeated_warnings();

  SimulatedRun common_;
  std::vector<SimulationPlace> places_;
  std::vector<ClusterChoice> choices_;
  /// The sparse problems, by the order of their matrices.
  std::map<std::int64_t, SimulatedSparseLu> sparse_;
  int repeat_ = 1;
  std::vector<DerivedKernel> derived_;
  std::vector<std::string> warnings_;
};

/// Returns the number of tasks of the tile algorithm on `tiles` x `tiles` tiles.
[[nodiscard]] double task_count(linalg::Application application, std::int64_t tiles);

}  // namespace troupe::apps
