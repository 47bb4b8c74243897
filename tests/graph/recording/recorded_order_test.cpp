#include "graph/recording/recorded_order.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

#include "proto/random.hpp"
#include "tests/support/tries.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(recorded_order)

namespace {

/// A relation between tasks: `relation[a][b]` is true if task b waits for task a.
using Relation = std::vector<std::vector<bool>>;

Relation none(std::size_t tasks) { return Relation(tasks, std::vector<bool>(tasks)); }

/// Returns the transitive closure, computed in the simplest way.
Relation closure(Relation direct) {
  const std::size_t tasks = direct.size();
  for (std::size_t via = 0; via < tasks; ++via) {
    for (std::size_t before = 0; before < via; ++before) {
      if (!direct[before][via]) continue;
      for (std::size_t after = via + 1; after < tasks; ++after) {
        if (direct[via][after]) direct[before][after] = true;
      }
    }
  }
  return direct;
}

/// A random order, and the dependencies that were added to it.
struct Case {
  explicit Case(std::size_t tasks) : order(tasks), added(none(tasks)), is_explicit(none(tasks)) {}

  void add(std::size_t before, std::size_t after, bool explicitly = false) {
    order.add(before, after, explicitly);
    added[before][after] = true;
    if (explicitly) is_explicit[before][after] = true;
  }
  [[nodiscard]] Relation kept() const {
    Relation relation = none(added.size());
    for (std::size_t task = 0; task < added.size(); ++task) {
      for (const RecordedOrder::Predecessor& before : order.predecessors(task)) relation[before.index][task] = true;
    }
    return relation;
  }
  [[nodiscard]] std::vector<std::uint32_t> predecessors(std::size_t task) const {
    std::vector<std::uint32_t> indices;
    for (const RecordedOrder::Predecessor& before : order.predecessors(task)) indices.push_back(before.index);
    return indices;
  }

  RecordedOrder order;
  Relation added;
  Relation is_explicit;
};

Case random_case(std::uint64_t seed, std::size_t tasks) {
  Random random(seed);
  Case one(tasks);
  // The seed decides how many dependencies a task can have, and how far back they can reach.
  const std::uint32_t most = 1 + random.below(8);
  const std::uint32_t reach = 1 + random.below(static_cast<std::uint32_t>(tasks));
  for (std::size_t after = 1; after < tasks; ++after) {
    for (std::uint32_t i = random.below(most + 1); i > 0; --i) {
      const auto far = 1 + random.below(std::min(reach, static_cast<std::uint32_t>(after)));
      one.add(after - far, after, random.below(20) == 0);
    }
  }
  return one;
}

/// Checks a reduced order: it implies all of the original order and nothing else, it has all explicit dependencies, and
/// predecessors are sorted.
void check_sound(const Case& one) {
  const Relation kept = one.kept();
  BOOST_TEST_REQUIRE((closure(kept) == closure(one.added)));
  for (std::size_t task = 0; task < one.added.size(); ++task) {
    const auto predecessors = one.predecessors(task);
    const bool increasing =
        std::adjacent_find(predecessors.begin(), predecessors.end(), std::greater_equal<>()) == predecessors.end();
    BOOST_TEST_REQUIRE(increasing);
    for (const RecordedOrder::Predecessor& before : one.order.predecessors(task)) {
      BOOST_TEST_REQUIRE(one.added[before.index][task]);
      BOOST_TEST_REQUIRE(before.is_explicit == one.is_explicit[before.index][task]);
    }
    for (std::size_t before = 0; before < task; ++before) {
      if (one.is_explicit[before][task]) BOOST_TEST_REQUIRE(kept[before][task]);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_added_twice_is_there_once_and_explicit_if_either_is) {
  Case one(3);
  one.add(0, 1);
  one.add(0, 1);
  one.add(1, 2);
  one.add(1, 2, true);
  one.add(1, 2);
  one.order.reduce();
  BOOST_TEST_REQUIRE(one.order.predecessors(1).size() == 1U);
  BOOST_TEST(!one.order.predecessors(1)[0].is_explicit);
  BOOST_TEST_REQUIRE(one.order.predecessors(2).size() == 1U);
  BOOST_TEST(one.order.predecessors(2)[0].is_explicit);
  BOOST_TEST(one.order.predecessors(0).empty());
}

BOOST_AUTO_TEST_CASE(what_another_predecessor_waits_for_is_dropped_unless_it_is_explicit) {
  Case one(4);
  one.add(0, 1);
  one.add(1, 2);
  one.add(0, 2);
  one.add(0, 3, true);
  one.add(1, 3);
  one.add(2, 3);
  one.order.reduce();
  BOOST_TEST(one.predecessors(2) == std::vector<std::uint32_t>{1}, boost::test_tools::per_element());
  BOOST_TEST(one.predecessors(3) == (std::vector<std::uint32_t>{0, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_empty_order_has_nothing) {
  RecordedOrder order(0);
  order.reduce();
  RecordedOrder unordered(2);
  unordered.reduce();
  BOOST_TEST(unordered.predecessors(0).empty());
  BOOST_TEST(unordered.predecessors(1).empty());
}

/// There are so few tasks that the search from each task reaches the first task.
BOOST_AUTO_TEST_CASE(small_random_orders_keep_exactly_what_nothing_else_implies) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Case one = random_case(seed, 2 + seed % 60);
    one.order.reduce();
    check_sound(one);
    const Relation all = closure(one.added);
    for (std::size_t task = 0; task < all.size(); ++task) {
      for (const RecordedOrder::Predecessor& before : one.order.predecessors(task)) {
        if (before.is_explicit) continue;
        for (const RecordedOrder::Predecessor& other : one.order.predecessors(task)) {
          BOOST_TEST_REQUIRE(!all[before.index][other.index], "seed " << seed << ": task " << task << " waits for "
                                                                      << before.index << ", which " << other.index
                                                                      << " waits for");
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(large_random_orders_lose_nothing) {
  for (std::uint64_t seed = 1; seed <= tests::tries(12); ++seed) {
    Case one = random_case(1000 + seed, 700);
    one.order.reduce();
    check_sound(one);
  }
}

BOOST_AUTO_TEST_CASE(the_look_behind_a_task_is_bounded) {
  constexpr std::size_t kTasks = 3000;
  Case one(kTasks);
  for (std::size_t task = 1; task < kTasks; ++task) one.add(task - 1, task);
  one.add(kTasks - 101, kTasks - 1);
  one.add(0, kTasks - 1);
  one.order.reduce();
  // The dependency on task 0 is implied, too, but the search does not go back so far, so the dependency stays.
  BOOST_TEST(one.predecessors(kTasks - 1) == (std::vector<std::uint32_t>{0, kTasks - 2}),
             boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
