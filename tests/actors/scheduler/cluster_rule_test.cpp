#include "actors/scheduler/cluster_rule.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "proto/random.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(cluster_rule)

namespace {

const SizeClassId kGemm(0);
const SizeClassId kPanel(1);
const SizeClassId kUnknown(2);

/// Returns equal workers with these times for a gemm and a panel. The time of the third class is unknown.
EqualWorkers equal(int count, double gemm, double panel) { return {count, {gemm, panel, 0}}; }

/// The lowest total cost of all levels, found by trying all sequences of groupings, and the first grouping of that
/// sequence.
struct Way {
  double cost = std::numeric_limits<double>::infinity();
  std::size_t first = 0;
};
Way best_way(const std::vector<std::vector<double>>& seconds, std::size_t present, double change,
             std::size_t level = 0) {
  if (level == seconds.size()) return {0, present};
  Way best;
  for (std::size_t i = 0; i < seconds.front().size(); ++i) {
    const double cost = (i == present ? 0 : change) + seconds[level][i] + best_way(seconds, i, change, level + 1).cost;
    if (cost < best.cost) best = {cost, i};
  }
  return best;
}

}  // namespace

BOOST_AUTO_TEST_CASE(many_tasks_take_what_all_workers_share) {
  const std::vector workers{equal(4, 2, 8)};
  BOOST_TEST(level_seconds({{kGemm, 40}}, workers, 4) == 20.0);
  BOOST_TEST(level_seconds({{kGemm, 38}, {kPanel, 1}}, workers, 4) == 19.0 + 2.0);
  // One task takes 50 s on every worker, so no distribution of the tasks ends earlier.
  const std::vector slow{equal(4, 1, 50)};
  BOOST_TEST(level_seconds({{kGemm, 8}, {kPanel, 1}}, slow, 4) == 50.0);
}

BOOST_AUTO_TEST_CASE(few_tasks_end_where_they_end_first) {
  // One fast worker and three slow workers. The fast worker ends two tasks before a slow worker ends one.
  const std::vector mixed{equal(1, 3, 3), equal(3, 10, 10)};
  BOOST_TEST(level_seconds({{kGemm, 1}}, mixed, 8) == 3.0);
  BOOST_TEST(level_seconds({{kGemm, 2}}, mixed, 8) == 6.0);
  BOOST_TEST(level_seconds({{kGemm, 4}}, mixed, 8) == 10.0);
  // Five tasks on two workers need three rounds.
  BOOST_TEST(level_seconds({{kGemm, 5}}, std::vector{equal(2, 4, 4)}, 8) == 12.0);
  // A core runs the panel first. When the panel ends, the GPU has run all the gemms.
  const std::vector gpu_and_cores{equal(1, 1, 9), equal(4, 20, 6)};
  BOOST_TEST(level_seconds({{kGemm, 6}, {kPanel, 1}}, gpu_and_cores, 8) == 6.0);
}

BOOST_AUTO_TEST_CASE(what_nothing_is_known_of_takes_no_time) {
  const std::vector workers{equal(2, 3, 0)};
  BOOST_TEST(level_seconds({{kUnknown, 7}, {kPanel, 2}}, workers, 2) == 0.0);
  BOOST_TEST(level_seconds({{kUnknown, 7}, {kGemm, 2}}, workers, 2) == 3.0);
  BOOST_TEST(level_seconds({}, workers, 2) == 0.0);
}

BOOST_AUTO_TEST_CASE(a_change_has_to_be_worth_it) {
  const std::vector<std::vector<double>> ten(10, {1.0, 2.0});
  BOOST_TEST((change_now(ten, 1, 1) == std::optional<std::size_t>(0)));
  BOOST_TEST((change_now(ten, 0, 1) == std::nullopt));
  // The change costs more than the other grouping gains.
  BOOST_TEST((change_now(ten, 1, 11) == std::nullopt));
  // The gain is less than a tenth of the time, which is too little for a change.
  BOOST_TEST((change_now(std::vector<std::vector<double>>(100, {1.0, 1.05}), 1, 1) == std::nullopt));
  BOOST_TEST((change_now({}, 0, 1) == std::nullopt));
}

BOOST_AUTO_TEST_CASE(a_change_comes_when_its_time_has_come) {
  // The first level is wide, with many tasks at a time; the later levels are narrow.
  std::vector<std::vector<double>> seconds{{50, 100}};
  seconds.insert(seconds.end(), 100, {1.0, 0.3});
  BOOST_TEST((change_now(seconds, 0, 2) == std::nullopt));
  seconds.erase(seconds.begin());
  BOOST_TEST((change_now(seconds, 0, 2) == std::optional<std::size_t>(1)));
  // The levels are narrow first, then wide. A change pays only if it saves more time in the narrow levels than two
  // changes cost: the change and the change back.
  seconds.assign(20, {1.0, 0.3});
  seconds.push_back({500, 1000});
  BOOST_TEST((change_now(seconds, 0, 2) == std::optional<std::size_t>(1)));
  BOOST_TEST((change_now(seconds, 0, 8) == std::nullopt));
}

BOOST_AUTO_TEST_CASE(it_begins_as_the_cheapest_way_does) {
  Random random(7);
  int changes = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<std::vector<double>> seconds(1 + random.below(4));
    for (auto& level : seconds) {
      for (int grouping = 0; grouping < 3; ++grouping) level.push_back(1 + random.below(100));
    }
    const double change = random.below(30);
    const Way way = best_way(seconds, 0, change);
    const Way stay = [&] {
      Way rest = best_way(std::vector(seconds.begin() + 1, seconds.end()), 0, change);
      if (seconds.size() == 1) rest.cost = 0;
      return Way{seconds[0][0] + rest.cost, 0};
    }();
    const auto chosen = change_now(seconds, 0, change);
    if (!chosen) continue;
    ++changes;
    // The rule may change the grouping slightly too early, but the total cost must be at most 2 % above the lowest
    // cost.
    double then = change + seconds[0][*chosen];
    if (seconds.size() > 1) then += best_way(std::vector(seconds.begin() + 1, seconds.end()), *chosen, change).cost;
    BOOST_TEST(then <= 1.02 * stay.cost + 1e-9);
    BOOST_TEST(then <= 1.02 * way.cost + 1e-9);
  }
  BOOST_TEST(changes > 50);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
