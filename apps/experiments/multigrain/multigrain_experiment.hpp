/// The experiments with super-tasks: J.-Y. Vet, P. Carribault and A. Cohen, Multigrain Affinity for Heterogeneous Work
/// Stealing (2012), sections 3 to 5. Sparse LU over sizes; cores, a GPU and both; single blocks and super-blocks;
/// without and with a cache in the GPU's memory; and other policies.
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

/// The paper's policy: super-tasks in a queue ordered by their index of reuse; and the same queue by age. The GPU takes
/// one when it has ended the one before, and copies its data then (section 3.1).
inline constexpr const char* kAffinityPolicy = "multigrain:order=affinity,ahead=0";
inline constexpr const char* kAgePolicy = "multigrain:order=fifo,ahead=0";
/// The same with the data of the next ones copied meanwhile.
inline constexpr const char* kAheadPolicy = "multigrain:order=affinity";

enum class MultigrainDevices { cores, gpu, both };
/// What the GPU's memory keeps.
enum class MultigrainCache {
  /// The data of one task: with its super-blocks as large as they get, the memory has room for three.
  one_task,
  /// All that there is room for.
  all_of_it
};

/// One line of a figure.
struct MultigrainSeries {
  std::string name;
  SparseGrain grain = SparseGrain::multi;
  MultigrainDevices devices = MultigrainDevices::both;
  MultigrainCache cache = MultigrainCache::all_of_it;
  std::string policy;
  /// `RuntimeOptions::eviction`: the paper's cache goes by indexes of reuse.
  std::string eviction = "reuse";
  /// Tasks have priorities by critical path, which the paper does not know.
  bool priorities = false;
};

/// What the paper leaves open.
struct MultigrainAssumptions {
  linalg::BlockStructure structure;
  /// Of the GPU's peak, in one call with many products.
  double streamed_share = 0.35;

  /// "third, 0.35".
  [[nodiscard]] std::string name() const;
};

struct MultigrainOptions {
  std::vector<std::string> machines{"amd-gtx470", "xeon-gtx480"};
  /// Blocks on a side.
  std::vector<int> blocks{40, 60, 80, 120, 160};
  /// Up to so many blocks on a side, tasks on single blocks are simulated, too: about N^3 / 3, 170,000 of them then.
  int most_fine = 80;
  std::vector<linalg::BlockSteps> steps{linalg::BlockSteps::products, linalg::BlockSteps::all};
  /// Which is compared with the paper's.
  std::string policy = kAheadPolicy;
  std::vector<std::string> others{"homeward", "heft", "dada:alpha=0.5,cp"};
  /// Runs of each point: structures drawn from seeds from `seed` on.
  int repeat = 2;
  std::uint64_t seed = 1;
  int jobs = 1;
};

/// The lines, `options.policy` and the others last.
[[nodiscard]] std::vector<MultigrainSeries> multigrain_series(const MultigrainOptions& options);
/// Names of lines that claims speak of.
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

/// What is factorized, and where.
struct MultigrainPlace {
  std::string machine;
  linalg::BlockSteps steps = linalg::BlockSteps::products;
  int blocks = 0;
  friend auto operator<=>(const MultigrainPlace&, const MultigrainPlace&) = default;
};

/// Of one line at one place: medians over structures.
struct MultigrainPoint {
  MedianInterval gflops;
  MedianInterval bytes;
  /// Of the matrix.
  double stored_bytes = 0;
};

class MultigrainResults {
 public:
  /// By place, then line.
  using Points = std::map<std::pair<MultigrainPlace, std::string>, MultigrainPoint>;

  explicit MultigrainResults(Points points) : points_(std::move(points)) {}
  /// Simulates all of them. Throws as `simulate`.
  static MultigrainResults measure(const MultigrainOptions& options, const MultigrainAssumptions& assumptions,
                                   const ProgressOptions& progress);

  [[nodiscard]] const Points& points() const { return points_; }
  /// Null where it was not measured.
  [[nodiscard]] const MultigrainPoint* point(const MultigrainPlace& place, const std::string& series) const;
  /// Cores alone with their best grain; null where no grain was measured.
  [[nodiscard]] const MultigrainPoint* fastest_on_cores(const MultigrainPlace& place) const;
  /// By machine, then steps, then size.
  [[nodiscard]] std::vector<MultigrainPlace> places() const;

 private:
  Points points_;
};

/// One policy on cores and GPU against the paper's, over all places.
struct MultigrainComparison {
  /// Geometric means of speed over speed, bytes over bytes.
  double mean = 0;
  double bytes = 0;
  double worst = 0;
  std::string worst_place;
  int places = 0;
};
[[nodiscard]] MultigrainComparison compare_with_affinity(const MultigrainResults& results, const std::string& policy);

/// "amd-gtx470 80, step 3".
[[nodiscard]] std::string name_of(const MultigrainPlace& place);
/// "amd-gtx470, step 3 alone".
[[nodiscard]] std::string title_of(const std::string& machine, linalg::BlockSteps steps);

/// Throws `invalid_argument` for machines, sizes and policies that there are not.
void check(const MultigrainOptions& options);

}  // namespace troupe::apps
