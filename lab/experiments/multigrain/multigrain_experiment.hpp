/// The experiments with super-tasks: J.-Y. Vet, P. Carribault and A. Cohen, Multigrain Affinity for Heterogeneous Work
/// Stealing (2012), sections 3 to 5. They simulate sparse LU for several sizes: on cores, on a GPU and on both; with
/// single blocks and with super-blocks; without and with a cache in the GPU's memory; and with other policies.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"
#include "linalg/sparse/block_structure.hpp"
#include "proto/median.hpp"

namespace troupe::apps {

/// The policies of the paper: a queue of super-tasks ordered by their index of reuse (affinity), and the same queue
/// ordered by age. The GPU takes a task when it has completed the previous task, and only then copies the task's data
/// (section 3.1).
inline constexpr const char* kAffinityPolicy = "multigrain:order=affinity,ahead=0";
inline constexpr const char* kAgePolicy = "multigrain:order=fifo,ahead=0";
/// The affinity policy of the paper, except that the data of the next tasks are copied while the GPU computes.
inline constexpr const char* kAheadPolicy = "multigrain:order=affinity";

enum class MultigrainDevices { cores, gpu, both };
/// The amount of data that the GPU's memory keeps.
enum class MultigrainCache {
  /// The data of one task: the memory has room for three super-blocks of the largest size.
  one_task,
  /// All data, as long as the memory has room.
  all_of_it
};

/// One line of a figure.
struct MultigrainSeries {
  std::string name;
  SparseGrain grain = SparseGrain::multi;
  MultigrainDevices devices = MultigrainDevices::both;
  MultigrainCache cache = MultigrainCache::all_of_it;
  std::string policy;
  /// The eviction policy (`AcceleratorOptions::eviction`). The paper's cache uses indexes of reuse.
  std::string eviction = "reuse";
  /// True if tasks have priorities by critical path. The paper does not use such priorities.
  bool priorities = false;
};

/// Assumptions about facts that are not stated in the paper.
struct MultigrainAssumptions {
  linalg::BlockStructure structure;
  /// The fraction of the GPU's peak speed that one call with many products reaches.
  double streamed_fraction = 0.35;

  /// Returns a name such as "third, 0.35".
  [[nodiscard]] std::string name() const;
};

struct MultigrainOptions {
  std::vector<std::string> machines{"amd-gtx470", "xeon-gtx480"};
  /// The sizes, in blocks on a side.
  std::vector<int> blocks{40, 60, 80, 120, 160};
  /// The largest size at which tasks on single blocks are simulated, too. There are about N^3 / 3 such tasks: 170,000
  /// at this size.
  int most_fine = 80;
  std::vector<linalg::BlockSteps> steps{linalg::BlockSteps::products, linalg::BlockSteps::all};
  /// The policy that is compared with the paper's policy.
  std::string policy = kAheadPolicy;
  std::vector<std::string> others{"homeward", "heft", "dada:alpha=0.5,cp"};
  /// The number of runs of each point. Each run has another random structure; the seeds are `seed`, `seed` + 1, and so
  /// on.
  int repeat = 2;
  std::uint64_t seed = 1;
  int jobs = 1;
};

/// Returns the lines. The lines of `options.policy` and of the other policies come last.
[[nodiscard]] std::vector<MultigrainSeries> multigrain_series(const MultigrainOptions& options);
/// The names of the lines that occur in claims.
namespace multigrain {
inline constexpr const char* kCoresFine = "cores, fine";
inline constexpr const char* kCoresCoarse = "cores, coarse";
inline constexpr const char* kCoresMulti = "cores, multi";
inline constexpr const char* kGpuFine = "GPU, fine, no cache";
inline constexpr const char* kGpuCoarse = "GPU, coarse, no cache";
inline constexpr const char* kGpuCache = "GPU, coarse, cache";
inline constexpr const char* kGpuAhead = "GPU, coarse, cache, copies ahead";
inline constexpr const char* kBothFine = "both, fine, no cache";
inline constexpr const char* kBothCoarse = "both, coarse, no cache";
inline constexpr const char* kBothMulti = "both, multi, no cache";
inline constexpr const char* kBothCache = "both, multi, cache";
inline constexpr const char* kBothAffinity = "both, multi, cache and affinity";
[[nodiscard]] std::string both_under(const std::string& policy);
}  // namespace multigrain

/// The problem to factorize, and the machine.
struct MultigrainPlace {
  std::string machine;
  linalg::BlockSteps steps = linalg::BlockSteps::products;
  int blocks = 0;
  friend auto operator<=>(const MultigrainPlace&, const MultigrainPlace&) = default;
};

/// The medians of one line at one place, over the structures.
struct MultigrainPoint {
  MedianInterval gflops;
  MedianInterval bytes;
  /// The size of the matrix in bytes.
  double stored_bytes = 0;
};

class MultigrainResults {
 public:
  /// Points by place, then line.
  using Points = std::map<std::pair<MultigrainPlace, std::string>, MultigrainPoint>;

  explicit MultigrainResults(Points points) : points_(std::move(points)) {}
  /// Simulates all points. Throws the errors of `simulate`.
  static MultigrainResults measure(const MultigrainOptions& options, const MultigrainAssumptions& assumptions,
                                   const ProgressOptions& progress);

  [[nodiscard]] const Points& points() const { return points_; }
  /// Returns a point; null if it was not measured.
  [[nodiscard]] const MultigrainPoint* point(const MultigrainPlace& place, const std::string& series) const;
  /// Returns the point of the cores alone with their best grain; null if no grain was measured.
  [[nodiscard]] const MultigrainPoint* fastest_on_cores(const MultigrainPlace& place) const;
  /// Returns the places, ordered by machine, then steps, then size.
  [[nodiscard]] std::vector<MultigrainPlace> places() const;

 private:
  Points points_;
};

/// One policy on cores and GPU, compared with the paper's policy over all places.
struct MultigrainComparison {
  /// The geometric means of the ratios of speeds, and of the ratios of bytes.
  double mean = 0;
  double bytes = 0;
  double worst = 0;
  std::string worst_place;
  int places = 0;
};
[[nodiscard]] MultigrainComparison compare_with_affinity(const MultigrainResults& results, const std::string& policy);

/// Returns a name such as "amd-gtx470 80, step 3".
[[nodiscard]] std::string name_of(const MultigrainPlace& place);
/// Returns a title such as "amd-gtx470, step 3 alone".
[[nodiscard]] std::string title_of(const std::string& machine, linalg::BlockSteps steps);

/// Throws `invalid_argument` for machines, sizes and policies that do not exist.
void check(const MultigrainOptions& options);

}  // namespace troupe::apps
