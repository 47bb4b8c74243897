#include "lab/experiments/multigrain/multigrain_claims.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace troupe::apps {

namespace {

/// The machine in figures 2 to 6 of the paper, and the other machine of the paper.
constexpr const char* kFirstMachine = "amd-gtx470";
constexpr const char* kSecondMachine = "xeon-gtx480";
/// The number of blocks on a side at which there are 6,400 blocks: most of the matrix then fits into 1 GiB.
constexpr int kBestCached = 80;
/// The least number of blocks on a side of the matrices that the paper calls "large enough".
constexpr int kLargeBlocks = 120;
/// Matrices with fewer blocks on a side than this are the "relatively small matrices" of the paper.
constexpr int kMediumBlocks = 60;
/// The capacity of each machine's GPU memory, in bytes.
const std::map<std::string, double> kCacheBytes{{kFirstMachine, 1073741824.0}, {kSecondMachine, 1288490188.0}};

class MultigrainChecks : public Judgement {
 public:
  MultigrainChecks(const MultigrainResults& results, std::string policy)
      : results_(results), policy_(std::move(policy)) {}

  [[nodiscard]] const MultigrainResults& results() const { return results_; }
  [[nodiscard]] const std::string& policy() const { return policy_; }

  /// Returns the problems of one machine in which only step 3 of the factorization (the products) was run, the smallest
  /// matrix first.
  [[nodiscard]] std::vector<MultigrainPlace> sizes(const std::string& machine) const {
    std::vector<MultigrainPlace> places = results_.places();
    std::erase_if(places, [&](const MultigrainPlace& place) {
      return place.machine != machine || place.steps != linalg::BlockSteps::products;
    });
    return places;
  }
  [[nodiscard]] std::optional<double> gflops(const MultigrainPlace& place, const std::string& series) const {
    const MultigrainPoint* point = results_.point(place, series);
    return point == nullptr ? std::nullopt : std::optional(point->gflops.median);
  }
  /// Returns the speed of the line `series` divided by the speed of the line `to`.
  [[nodiscard]] std::optional<double> ratio(const MultigrainPlace& place, const std::string& series,
                                            const std::string& to) const {
    const auto of = gflops(place, series);
    const auto other = gflops(place, to);
    return of && other ? std::optional(*of / *other) : std::nullopt;
  }
  /// Returns a line's speed divided by the sum of two speeds: that of the cores alone with their best grain, and that
  /// of the GPU alone.
  [[nodiscard]] std::optional<double> over_sum(const MultigrainPlace& place, const std::string& series,
                                               const char* gpu_alone) const {
    const auto of = gflops(place, series);
    const auto gpu = gflops(place, gpu_alone);
    const MultigrainPoint* cores = results_.fastest_on_cores(place);
    return of && gpu && cores != nullptr ? std::optional(*of / (cores->gflops.median + *gpu)) : std::nullopt;
  }
  /// Returns the known ratios, ordered by size, and appends them to the claim's numbers.
  std::vector<std::pair<int, double>> ratios(const std::string& machine, const std::string& series,
                                             const std::string& to) {
    std::vector<std::pair<int, double>> all;
    for (const MultigrainPlace& place : sizes(machine)) {
      if (const auto known = ratio(place, series, to)) all.emplace_back(place.blocks, *known);
    }
    for (const auto& [blocks, known] : all) say("{}: {:.2f}", blocks, known);
    return all;
  }

 private:
  const MultigrainResults& results_;
  std::string policy_;
};

struct MultigrainTested {
  Claim claim;
  void (*test)(MultigrainChecks&);
};

void fine_on_cores(MultigrainChecks& c) {
  const auto all = c.ratios(kFirstMachine, multigrain::kCoresFine, multigrain::kCoresCoarse);
  for (const auto& [blocks, ratio] : all) c.check(ratio > 1);
}

void fine_most_for_small(MultigrainChecks& c) {
  const auto all = c.ratios(kFirstMachine, multigrain::kCoresFine, multigrain::kCoresCoarse);
  for (std::size_t i = 1; i < all.size(); ++i) c.check(all[i].second < all.front().second);
}

void coarse_on_gpu(MultigrainChecks& c) {
  for (const auto& [blocks, ratio] : c.ratios(kFirstMachine, multigrain::kGpuCoarse, multigrain::kGpuFine)) {
    c.check(ratio > 1);
  }
}

void multi_best(MultigrainChecks& c) {
  for (const MultigrainPlace& place : c.sizes(kFirstMachine)) {
    if (place.blocks < kMediumBlocks) continue;
    for (const char* other : {multigrain::kBothFine, multigrain::kBothCoarse}) {
      if (const auto ratio = c.ratio(place, multigrain::kBothMulti, other)) {
        c.say("{} over {}: {:.2f}", place.blocks, other, *ratio);
        c.check(*ratio >= 1);
      }
    }
  }
}

void fine_best_for_small(MultigrainChecks& c) {
  for (const MultigrainPlace& place : c.sizes(kFirstMachine)) {
    if (place.blocks >= kMediumBlocks) continue;
    if (const auto ratio = c.ratio(place, multigrain::kBothFine, multigrain::kBothMulti)) {
      c.say("{}: {:.2f}", place.blocks, *ratio);
      c.check(*ratio > 1);
    }
  }
}

void fewer_bytes(MultigrainChecks& c) {
  for (const MultigrainPlace& place : c.sizes(kFirstMachine)) {
    const MultigrainPoint* cached = c.results().point(place, multigrain::kGpuCache);
    const MultigrainPoint* none = c.results().point(place, multigrain::kGpuCoarse);
    if (cached == nullptr || none == nullptr || none->bytes.median <= 0) continue;
    c.say("{}: {:.2f}", place.blocks, cached->bytes.median / none->bytes.median);
    c.check(cached->bytes.median < none->bytes.median);
  }
}

void gain_of_cache(MultigrainChecks& c) {
  double most = 0;
  for (const auto& [blocks, ratio] : c.ratios(kFirstMachine, multigrain::kGpuCache, multigrain::kGpuCoarse)) {
    most = std::max(most, ratio - 1);
  }
  if (most > 0) c.check(most >= 2.07 / 2 && most <= 2.07 * 1.5);
}

void gain_peaks(MultigrainChecks& c) {
  const auto all = c.ratios(kFirstMachine, multigrain::kGpuCache, multigrain::kGpuCoarse);
  const auto best = std::ranges::find(all, kBestCached, &std::pair<int, double>::first);
  if (best == all.end()) return;
  for (const auto& [blocks, ratio] : all) {
    if (blocks != kBestCached) c.check(ratio < best->second);
  }
}

void cache_alone(MultigrainChecks& c) {
  for (const auto& [blocks, ratio] : c.ratios(kFirstMachine, multigrain::kBothCache, multigrain::kBothMulti)) {
    c.check(ratio <= 1.2);
  }
}

void cache_and_affinity(MultigrainChecks& c) {
  double most = 0;
  for (const auto& [blocks, ratio] : c.ratios(kFirstMachine, multigrain::kBothAffinity, multigrain::kBothMulti)) {
    most = std::max(most, ratio - 1);
  }
  if (most > 0) c.check(most >= 0.7 / 2 && most <= 0.7 * 1.5);
}

void affinity_above_cache(MultigrainChecks& c) {
  for (const auto& [blocks, ratio] : c.ratios(kFirstMachine, multigrain::kBothAffinity, multigrain::kBothCache)) {
    if (blocks >= kBestCached) c.check(ratio > 1);
  }
}

void check_sums(MultigrainChecks& c, const std::string& series, const char* gpu_alone, double least,
                bool (*counts)(const MultigrainPlace&, const MultigrainPoint&)) {
  for (const std::string machine : {kFirstMachine, kSecondMachine}) {
    for (const MultigrainPlace& place : c.sizes(machine)) {
      const MultigrainPoint* point = c.results().point(place, series);
      const auto ratio = c.over_sum(place, series, gpu_alone);
      if (point == nullptr || !ratio || !counts(place, *point)) continue;
      c.say("{} {}: {:.3f}", machine, place.blocks, *ratio);
      c.check(*ratio >= least);
    }
  }
}

void above_the_sum(MultigrainChecks& c) {
  check_sums(c, multigrain::kBothAffinity, multigrain::kGpuCache, 1,
             [](const MultigrainPlace& place, const MultigrainPoint&) { return place.blocks >= kLargeBlocks; });
}

void check_machines(MultigrainChecks& c, const char* series, double least, double most) {
  for (const MultigrainPlace& place : c.sizes(kFirstMachine)) {
    const auto first = c.gflops(place, series);
    const auto second = c.gflops({kSecondMachine, place.steps, place.blocks}, series);
    if (!first || !second) continue;
    c.say("{}: {:.2f}", place.blocks, *first / *second);
    c.check(*first / *second >= least && *first / *second <= most);
  }
}

void twice_the_cores(MultigrainChecks& c) { check_machines(c, multigrain::kCoresMulti, 1.5, 2.6); }
void faster_gpu(MultigrainChecks& c) { check_machines(c, multigrain::kGpuCache, 0, 1 - 1e-9); }

void aim_together(MultigrainChecks& c) {
  check_sums(c, multigrain::both_under(c.policy()), multigrain::kGpuCache, 0.95,
             [](const MultigrainPlace& place, const MultigrainPoint&) { return place.blocks >= kBestCached; });
}

void aim_together_ahead(MultigrainChecks& c) {
  check_sums(c, multigrain::both_under(c.policy()), multigrain::kGpuAhead, 0.95,
             [](const MultigrainPlace& place, const MultigrainPoint&) { return place.blocks >= kBestCached; });
}

void aim_beyond_cache(MultigrainChecks& c) {
  check_sums(c, multigrain::both_under(c.policy()), multigrain::kGpuCache, 1,
             [](const MultigrainPlace& place, const MultigrainPoint& point) {
               return point.stored_bytes > kCacheBytes.at(place.machine);
             });
}

void aim_policy(MultigrainChecks& c) {
  const MultigrainComparison compared = compare_with_affinity(c.results(), c.policy());
  if (compared.places == 0) return;
  c.say("mean {:.3f}, worst {:.3f} ({}), bytes {:.3f}", compared.mean, compared.worst, compared.worst_place,
        compared.bytes);
  c.check(compared.mean >= 1.05);
  c.check(compared.worst >= 0.98);
  c.check(compared.bytes <= 1);
}

std::vector<MultigrainTested> claims_of_the_paper() {
  return {
      {{"fine-cores", "3.1, fig. 4a", "Fine granularity is faster on cores",
        "step 3, cores of the first machine: fine over coarse above 1 at each size"},
       fine_on_cores},
      {{"fine-small", "3.1, fig. 4a", "... most with small matrices", "the same ratio is largest at the smallest size"},
       fine_most_for_small},
      {{"coarse-gpu", "3.1, fig. 4a", "The GPU is faster with coarse granularity",
        "step 3, GPU alone, no cache: coarse over fine above 1 at each size"},
       coarse_on_gpu},
      {{"multi", "3.2, fig. 4b", "Both together: multigrain is best most of the time",
        "step 3, no cache, 60 blocks on a side and more: multi at least as fast as fine, and as coarse"},
       multi_best},
      {{"multi-small", "3.2, fig. 4b", "... except for small matrices, where fine is slightly better",
        "the same below 60: fine over multi above 1"},
       fine_best_for_small},
      {{"cache-bytes", "4.1, fig. 6a", "The cache reduces transfers",
        "GPU alone: bytes with the cache below those without"},
       fewer_bytes},
      {{"cache-gain", "4.1, fig. 6c", "GPU alone: the cache gains up to 207 %",
        "largest gain between half of that and half as much again"},
       gain_of_cache},
      {{"cache-peak", "4.1, fig. 6c", "... with 6,400 blocks; less with fewer, and with more",
        "the gain at each other size below that at 80"},
       gain_peaks},
      {{"both-cache", "4.2, fig. 6d", "Both: the cache alone gains up to 20 %",
        "multi, in order of age, with the cache over without: at most 1.2 at each size"},
       cache_alone},
      {{"both-affinity", "4.2, fig. 6d", "... with affinity up to 70 %",
        "multi, in order of affinity, with the cache over without in order of age: largest gain between half of that "
        "and half as much again"},
       cache_and_affinity},
      {{"affinity", "4.2, fig. 6d", "Affinity makes the cache more efficient",
        "from 80 on: with the cache, in order of affinity over in order of age above 1"},
       affinity_above_cache},
      {{"above-sum", "5, fig. 7", "Both are faster than cores alone and GPU alone together, for large matrices",
        "from 120 on, both machines: at least 1 (cores with their best grain, GPU in order of age with the cache)"},
       above_the_sum},
      {{"cores-twice", "5, fig. 7", "Cores of the first machine are about twice as fast",
        "multi, first over second machine: from 1.5 to 2.6 at each size"},
       twice_the_cores},
      {{"gpu-second", "5, fig. 7", "The GPU of the second machine is faster",
        "GPU alone, with the cache, at each size"},
       faster_gpu}};
}

std::vector<MultigrainTested> aims() {
  return {
      {{"aim-together", "aim", "Both together at least 0.95 of cores alone and GPU alone",
        "own policy, step 3, from 80 on, both machines; GPU alone with the cache as the paper has it"},
       aim_together},
      {{"aim-ahead", "aim", "... and of the GPU alone with copies ahead", "the same; 1 is all that its kernels leave"},
       aim_together_ahead},
      {{"aim-beyond", "aim", "At least 1 of the first sum where the matrix is larger than the GPU's memory",
        "as before"},
       aim_beyond_cache},
      {{"aim-policy", "aim", "The own policy against the paper's, both with the cache",
        "all places: geometric mean of speeds at least 1.05, worst at least 0.98, bytes no more"},
       aim_policy}};
}

std::vector<MultigrainTested> untestable() {
  const auto nothing = [](MultigrainChecks& c) { c.say("the text has no number, and the figure is lost"); };
  return {{{"streams", "3, fig. 2", "Speed of products over the size of blocks", "none"}, nothing},
          {{"ratio", "4.1, fig. 6b", "Work over time of transfers", "none"}, nothing},
          {{"whole", "5, fig. 7c, d", "Speed of the whole factorization", "none"}, nothing}};
}

const std::vector<MultigrainTested>& multigrain_tested() {
  static const std::vector<MultigrainTested> all = [] {
    std::vector<MultigrainTested> list;
    for (auto&& part : {claims_of_the_paper(), aims(), untestable()}) list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

}  // namespace

const std::vector<Claim>& multigrain_claims() {
  static const std::vector<Claim> claims = [] {
    std::vector<Claim> list;
    for (const MultigrainTested& one : multigrain_tested()) list.push_back(one.claim);
    return list;
  }();
  return claims;
}

std::vector<Judgement> judge_multigrain(const MultigrainResults& results, const std::string& policy) {
  std::vector<Judgement> judgements;
  for (const MultigrainTested& one : multigrain_tested()) {
    MultigrainChecks checks(results, policy);
    one.test(checks);
    judgements.push_back(static_cast<const Judgement&>(checks));
  }
  return judgements;
}

}  // namespace troupe::apps
