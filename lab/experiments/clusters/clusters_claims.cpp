#include "lab/experiments/clusters/clusters_claims.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "troupe/machine.hpp"

namespace troupe::apps {

namespace {

constexpr const char* kSingleCores = "20x1";
constexpr const char* kTogether = "2x10";
constexpr const char* kConstrained = "2x10c";

// The orders that stand for the "small", "medium" and "large" matrices of the paper.
constexpr std::int64_t kSmall = 10000;
constexpr std::int64_t kMedium = 25000;
constexpr std::int64_t kLarge = 30000;
constexpr std::int64_t kVeryLarge = 40000;
constexpr std::int64_t kEleven = 11000;
constexpr int kAllGpus = 4;

/// The checks of one claim, and the results on which they are based.
class ClustersChecks : public Judgement {
 public:
  ClustersChecks(const ClustersResults& results, std::string policy) : results_(results), policy_(std::move(policy)) {}

  /// Returns the problems for which `fits` returns true.
  template <class Fits>
  [[nodiscard]] std::vector<ClustersProblem> problems(const Fits& fits) const {
    std::vector<ClustersProblem> problems = results_.problems();
    std::erase_if(problems, [&](const ClustersProblem& problem) { return !fits(problem); });
    return problems;
  }
  /// Returns the tile sizes (edges) that were measured.
  [[nodiscard]] std::set<std::int64_t> tiles() const {
    std::set<std::int64_t> tiles;
    for (const ClustersProblem& problem : results_.problems()) tiles.insert(problem.tile);
    return tiles;
  }

  /// Returns the median GFlop/s; nothing if the point was not measured.
  [[nodiscard]] std::optional<double> speed(const ClustersProblem& problem, const char* configuration) const {
    const ClustersPoint* point = results_.point(problem, configuration, policy_);
    return point == nullptr ? std::nullopt : std::optional(point->gflops(problem).median);
  }
  [[nodiscard]] std::optional<double> spread(const ClustersProblem& problem, const char* configuration) const {
    const ClustersPoint* point = results_.point(problem, configuration, policy_);
    return point == nullptr ? std::nullopt : std::optional(point->spread());
  }
  /// Returns the GFlop/s that correspond to the iterated bound.
  [[nodiscard]] std::optional<double> bound(const ClustersProblem& problem, const char* configuration) const {
    const ClustersBound* bound = results_.bound(problem, configuration);
    return bound == nullptr ? std::nullopt : std::optional(problem.gflops(bound->iterated_s));
  }
  [[nodiscard]] const ProductDistribution* distribution(const char* clusters) const {
    return results_.distribution(clusters, policy_);
  }

  /// Returns the speed of configuration `of` divided by that of `over`, minus one; nothing if either was not measured.
  [[nodiscard]] std::optional<double> gain(const ClustersProblem& problem, const char* of, const char* over) const {
    const auto a = speed(problem, of);
    const auto b = speed(problem, over);
    return a && b ? std::optional(*a / *b - 1) : std::nullopt;
  }
  /// Returns the highest speed among the problems for which `fits` returns true; 0 if there is none.
  template <class Fits>
  [[nodiscard]] double peak(const char* configuration, const Fits& fits) const {
    double peak = 0;
    for (const ClustersProblem& problem : problems(fits))
      peak = std::max(peak, speed(problem, configuration).value_or(0));
    return peak;
  }

 private:
  const ClustersResults& results_;
  std::string policy_;
};

struct ClustersTested {
  Claim claim;
  std::function<void(ClustersChecks&)> test;
};

/// The range and the mean of some values.
struct ValueRange {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  double sum = 0;
  int count = 0;
  std::string least_at;
  std::string most_at;

  void add(double value, const std::string& at) {
    if (value < least) least_at = at;
    if (value > most) most_at = at;
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / count; }
};

std::string percent(double part) { return fmt::format("{:+.0f} %", 100 * part); }

/// Returns a text such as "+12 % (10560/960 1) to +80 % (4800/960 1)".
std::string percents(const ValueRange& range) {
  return fmt::format("{} ({}) to {} ({})", percent(range.least), range.least_at, percent(range.most), range.most_at);
}

bool near(double value, double of) { return std::abs(value / of - 1) <= 0.1; }

void distribution_on_one_cluster(ClustersChecks& c) {
  const ProductDistribution* single = c.distribution("10x1");
  const ProductDistribution* all_single = c.distribution("20x1");
  const ProductDistribution* cluster = c.distribution("1x10");
  if (single == nullptr || all_single == nullptr || cluster == nullptr) return;
  c.check(single->cores.empty() && all_single->cores.empty());
  c.check(cluster->cores == std::vector<std::uint64_t>{6} && cluster->gpu == 22);
  c.say("cores + GPU: 10x1 {}, 20x1 {}, 1x10 {} ({:.1f}, {:.1f} and {:.1f} ms)", single->text(), all_single->text(),
        cluster->text(), 1e3 * single->seconds, 1e3 * all_single->seconds, 1e3 * cluster->seconds);
}

void distribution_on_two_clusters(ClustersChecks& c) {
  const ProductDistribution* clusters = c.distribution("2x10");
  if (clusters == nullptr) return;
  const double best_s = best_makespan(platform::load_machine(kClustersMachine).value_or_throw(), 2);
  c.check(clusters->seconds <= 1.001 * best_s);
  c.say("{} in {:.1f} ms; shortest {:.1f} ms", clusters->text(), 1e3 * clusters->seconds, 1e3 * best_s);
}

void bound_of_small(ClustersChecks& c) {
  for (const ClustersProblem& problem : c.problems([](const auto& p) { return p.gpus == 1 && p.order == 5000; })) {
    const auto together = c.bound(problem, kTogether);
    const auto single = c.bound(problem, kSingleCores);
    if (!together || !single) continue;
    c.check(*together - *single >= 450 && *together - *single <= 750);
    c.say("{}: {:.0f} and {:.0f} GFlop/s, {:+.0f}", problem.name(), *together, *single, *together - *single);
  }
}

void bound_of_large(ClustersChecks& c) {
  for (const ClustersProblem& problem :
       c.problems([](const auto& p) { return p.gpus == 1 && p.order >= kVeryLarge; })) {
    const auto together = c.bound(problem, kTogether);
    const auto single = c.bound(problem, kSingleCores);
    if (!together || !single) continue;
    c.check(*together < *single);
    c.say("{}: {:.0f} and {:.0f} GFlop/s", problem.name(), *together, *single);
  }
}

/// For one GPU and each very large order, compares the gap between the bounds at tile size 960 with the gap at 1920.
void bound_gap_by_tile(ClustersChecks& c) {
  std::map<std::int64_t, std::map<std::int64_t, double>> gaps;
  for (const ClustersProblem& problem :
       c.problems([](const auto& p) { return p.gpus == 1 && p.order >= kVeryLarge; })) {
    const auto together = c.bound(problem, kTogether);
    const auto single = c.bound(problem, kSingleCores);
    if (together && single) gaps[problem.order][problem.tile] = *single - *together;
  }
  for (const auto& [order, by_tile] : gaps) {
    if (!by_tile.contains(960) || !by_tile.contains(1920)) continue;
    c.check(by_tile.at(1920) < by_tile.at(960));
    c.say("n about {}: {:.0f} GFlop/s with tiles of 960, {:.0f} with 1920", order, by_tile.at(960), by_tile.at(1920));
  }
}

/// Checks that each gain of `of` compared with `over` is above `least`.
template <class Fits>
void gains_above(ClustersChecks& c, const char* of, const char* over, double least, const Fits& fits) {
  ValueRange range;
  for (const ClustersProblem& problem : c.problems(fits)) {
    const auto gain = c.gain(problem, of, over);
    if (!gain) continue;
    c.check(*gain > least);
    range.add(*gain, problem.name());
  }
  if (range.count > 0) c.say("{}, mean {}", percents(range), percent(range.mean()));
}

void gain_at_eleven(ClustersChecks& c) {
  for (const ClustersProblem& problem :
       c.problems([](const auto& p) { return p.gpus == 1 && p.order == kEleven && p.tile == 960; })) {
    const auto gain = c.gain(problem, kTogether, kSingleCores);
    if (!gain) continue;
    c.check(*gain >= 0.75 * 0.65);
    c.say("{}: {} ({:.0f} and {:.0f} GFlop/s)", problem.name(), percent(*gain), *c.speed(problem, kTogether),
          *c.speed(problem, kSingleCores));
  }
}

void gain_below_ten(ClustersChecks& c) {
  ValueRange range;
  for (const ClustersProblem& problem : c.problems([](const auto& p) { return p.gpus == 1 && p.order < kSmall; })) {
    if (const auto gain = c.gain(problem, kTogether, kSingleCores)) range.add(*gain, problem.name());
  }
  if (range.count == 0) return;
  c.check(range.most >= 0.75);
  c.say("{}", percents(range));
}

void above_the_other_bound(ClustersChecks& c) {
  ValueRange range;
  for (const ClustersProblem& problem : c.problems([](const auto& p) { return p.gpus == 1 && p.order <= kEleven; })) {
    const auto together = c.speed(problem, kTogether);
    const auto bound = c.bound(problem, kSingleCores);
    if (!together || !bound) continue;
    c.check(*together > *bound);
    range.add(*together / *bound - 1, problem.name());
  }
  if (range.count > 0) c.say("speed over the bound of 20x1: {}", percents(range));
}

void less_variance(ClustersChecks& c) {
  std::map<std::pair<std::int64_t, int>, std::pair<ValueRange, ValueRange>> spreads;
  for (const ClustersProblem& problem :
       c.problems([](const auto& p) { return p.order >= kSmall && p.order <= kMedium; })) {
    const auto single = c.spread(problem, kSingleCores);
    const auto together = c.spread(problem, kTogether);
    if (!single || !together) continue;
    auto& [of_single, of_together] = spreads[{problem.tile, problem.gpus}];
    of_single.add(*single, problem.name());
    of_together.add(*together, problem.name());
  }
  for (const auto& [place, of] : spreads) {
    c.check(of.second.mean() < of.first.mean());
    c.say("tile {}, {} GPUs: {:.1f} and {:.1f} %", place.first, place.second, 100 * of.first.mean(),
          100 * of.second.mean());
  }
}

void peaks_of_few(ClustersChecks& c) {
  for (const auto& [gpus, gflops] : {std::pair{1, 1600.0}, std::pair{2, 2600.0}}) {
    const double peak = c.peak(
        kTogether, [gpus = gpus](const auto& p) { return p.tile == 960 && p.gpus == gpus && p.order >= kLarge; });
    if (peak == 0) continue;
    c.check(near(peak, gflops));
    c.say("{} GPUs: {:.0f} GFlop/s", gpus, peak);
  }
}

void gap_over_gpus(ClustersChecks& c) {
  std::map<int, ValueRange> gaps;
  for (const ClustersProblem& problem : c.problems([](const auto& p) { return p.tile == 1920; })) {
    const auto together = c.speed(problem, kTogether);
    const auto single = c.speed(problem, kSingleCores);
    if (together && single) gaps[problem.gpus].add(*together - *single, problem.name());
  }
  const ValueRange* before = nullptr;
  for (const auto& [gpus, gap] : gaps) {
    if (before != nullptr) c.check(gap.mean() > before->mean());
    before = &gap;
    c.say("{} GPUs: {:+.0f} GFlop/s", gpus, gap.mean());
  }
}

void constrained_large(ClustersChecks& c) {
  for (const std::int64_t tile : c.tiles()) {
    ValueRange range;
    for (const ClustersProblem& problem :
         c.problems([tile](const auto& p) { return p.gpus == kAllGpus && p.order >= kLarge && p.tile == tile; })) {
      if (const auto gain = c.gain(problem, kConstrained, kTogether)) range.add(*gain, problem.name());
    }
    if (range.count == 0) continue;
    c.check(range.mean() >= 0.025);
    c.say("tile {}: mean {}, {}", tile, percent(range.mean()), percents(range));
  }
}

void constrained_small(ClustersChecks& c) {
  ValueRange range;
  for (const ClustersProblem& problem :
       c.problems([](const auto& p) { return p.gpus == kAllGpus && p.order <= kSmall; })) {
    const auto gain = c.gain(problem, kConstrained, kTogether);
    if (!gain) continue;
    c.check(*gain < 0);
    range.add(*gain, problem.name());
  }
  if (range.count > 0) c.say("{}", percents(range));
}

void peak_of_all(ClustersChecks& c) {
  const auto four = [](const auto& p) { return p.gpus == kAllGpus && p.order >= kLarge; };
  const double single = c.peak(kSingleCores, four);
  const double together = c.peak(kTogether, four);
  const double constrained = c.peak(kConstrained, four);
  if (single == 0 || together == 0 || constrained == 0) return;
  c.check(near(std::max(together, constrained), 4600));
  c.check(constrained >= together);
  c.check(std::max(together, constrained) > single);
  c.say("20x1 {:.0f}, 2x10 {:.0f}, 2x10c {:.0f} GFlop/s", single, together, constrained);
}

std::vector<ClustersTested> clusters_with_one_gpu() {
  return {
      {{"products-one-cluster", "5",
        "28 products on ten cores and a GPU: single cores get none, a cluster of ten gets 6",
        "nothing to copy: all on the GPU with 10x1 and 20x1; 6 + 22 with 1x10"},
       distribution_on_one_cluster},
      {{"products-two-clusters", "-", "The same with two clusters of ten (ours): the best there is, 5 + 5 + 18",
        "the makespan is the shortest of all ways to share them out"},
       distribution_on_two_clusters},
      {{"bound-small", "fig. 4", "Bounds, n = 5K: 600 GFlop/s higher with clusters",
        "1 GPU, iterated bounds of 2x10 and 20x1: 450 to 750 GFlop/s apart"},
       bound_of_small},
      {{"bound-large", "fig. 4", "Bounds, large matrices (40K): higher with single cores", "1 GPU, n from 40,000 on"},
       bound_of_large},
      {{"bound-gap", "fig. 4", "Bounds, large matrices: closer to each other with the larger tile",
        "1 GPU, n from 40,000 on: the bound of 20x1 less that of 2x10"},
       bound_gap_by_tile},
      {{"always-ahead", "fig. 4", "With one GPU clusters are always ahead",
        "2x10 over 20x1, every n and tile: above 0"},
       [](ClustersChecks& c) {
         gains_above(c, kTogether, kSingleCores, 0, [](const auto& p) { return p.gpus == 1; });
       }},
      {{"gain-11k", "fig. 4", "... by 65 % at 11K with tiles of 960", "at least three quarters of that"},
       gain_at_eleven},
      {{"gain-small", "fig. 4", "... by up to 100 % below 10K", "the largest gain is at least three quarters of that"},
       gain_below_ten},
      {{"above-bound", "fig. 4", "... and there above the bound of single cores",
        "1 GPU, n up to 11,000, every tile: speed of 2x10 above the iterated bound of 20x1"},
       above_the_other_bound}};
}

std::vector<ClustersTested> clusters_with_several_gpus() {
  return {
      {{"medium", "fig. 5", "Medium matrices: clusters are significantly faster with any number of GPUs",
        "n from 10,000 to 25,000: 2x10 more than 10 % above 20x1"},
       [](ClustersChecks& c) {
         gains_above(c, kTogether, kSingleCores, 0.1,
                     [](const auto& p) { return p.order >= kSmall && p.order <= kMedium; });
       }},
      {{"variance", "fig. 5", "... and vary less",
        "(slowest - fastest) / median, mean of n from 10,000 to 25,000: 20x1 above 2x10, each tile and number of GPUs"},
       less_variance},
      {{"peaks", "fig. 5", "Tile 960: peaks of 1.6 TFlop/s with one GPU and 2.6 with two",
        "2x10, n from 30,000 on: within 10 %"},
       peaks_of_few},
      {{"gap-gpus", "fig. 5", "Tile 1920: the gap grows with the number of GPUs",
        "2x10 less 20x1 in GFlop/s, mean of all n: more with each further GPU"},
       gap_over_gpus},
      {{"constrained-large", "fig. 6", "Large matrices: 5 % more with potrf and trsm on cores alone",
        "4 GPUs, n from 30,000 on, each tile: 2x10c over 2x10, mean at least half of that"},
       constrained_large},
      {{"constrained-small", "fig. 6", "... and less on small ones", "4 GPUs, n up to 10,000: 2x10c below 2x10"},
       constrained_small},
      {{"peak", "fig. 6", "... which makes the peak: 4.6 TFlop/s",
        "4 GPUs, n from 30,000 on: the faster of 2x10 and 2x10c within 10 % of that; it is 2x10c; 20x1 is below"},
       peak_of_all}};
}

std::vector<ClustersTested> not_testable() {
  const auto nothing = [](const char* why) { return [why](ClustersChecks& c) { c.say("{}", why); }; };
  return {{{"memory-bound", "5", "Clusters lower the share of products that wait for memory from 59 to 13 %", "none"},
           nothing("needs many real cores and their counters")},
          {{"libraries", "fig. 6", "Faster than MAGMA and DPLASMA", "none"},
           nothing("needs these libraries on the machine")}};
}

const std::vector<ClustersTested>& clusters_tested() {
  static const std::vector<ClustersTested> all = [] {
    std::vector<ClustersTested> list;
    for (auto&& part : {clusters_with_one_gpu(), clusters_with_several_gpus(), not_testable()}) {
      list.insert(list.end(), part.begin(), part.end());
    }
    return list;
  }();
  return all;
}

}  // namespace

const std::vector<Claim>& clusters_claims() {
  static const std::vector<Claim> claims = [] {
    std::vector<Claim> list;
    for (const ClustersTested& one : clusters_tested()) list.push_back(one.claim);
    return list;
  }();
  return claims;
}

std::vector<Judgement> judge_clusters(const ClustersResults& results, const std::string& policy) {
  std::vector<Judgement> judgements;
  for (const ClustersTested& one : clusters_tested()) {
    ClustersChecks checks(results, policy);
    one.test(checks);
    judgements.push_back(static_cast<const Judgement&>(checks));
  }
  return judgements;
}

}  // namespace troupe::apps
