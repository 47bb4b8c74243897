#include "graph/tasks/upward_ranks.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <vector>

#include "proto/random.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(upward_ranks)

namespace {

using Use = UpwardRanks::Use;

struct PlannedTask {
  double cost = 0;
  std::vector<Use> uses;
};
using Program = std::vector<PlannedTask>;

UpwardRanks ranked(const Program& program) {
  UpwardRanks ranks;
  for (const PlannedTask& task : program) ranks.add(task.cost, task.uses);
  return ranks;
}

/// Returns true if the two tasks conflict, so that the later one has to wait for the earlier one.
bool conflict(const PlannedTask& earlier, const PlannedTask& later) {
  for (const Use& a : earlier.uses) {
    for (const Use& b : later.uses) {
      if (a.data == b.data && (a.writes || b.writes)) return true;
    }
  }
  return false;
}

/// Returns the length of the longest chain that begins with a task, found by trying all chains.
double longest_chain(const Program& program, std::size_t task) {
  double longest = 0;
  for (std::size_t later = task + 1; later < program.size(); ++later) {
    if (conflict(program[task], program[later])) longest = std::max(longest, longest_chain(program, later));
  }
  return program[task].cost + longest;
}

Program random_program(std::uint64_t seed) {
  Random random(seed);
  Program program(1 + random.below(12));
  const std::uint32_t data = 1 + random.below(5);
  for (PlannedTask& task : program) {
    task.cost = random.below(10);
    for (std::uint32_t d = 0; d < data; ++d) {
      const std::uint32_t how = random.below(5);
      if (how < 2) task.uses.push_back({d, how == 1});
    }
  }
  return program;
}

BOOST_AUTO_TEST_CASE(the_rank_is_the_longest_chain_to_the_end) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      const Program program = random_program(seed);
      const std::vector<double> ranks = ranked(program).ranks();
      BOOST_TEST_REQUIRE(ranks.size() == program.size());
      for (std::size_t i = 0; i < program.size(); ++i) BOOST_TEST(ranks[i] == longest_chain(program, i));
    }
  }
}

BOOST_AUTO_TEST_CASE(readers_wait_for_the_writer_and_not_for_one_another) {
  const Program program{{1, {{0, true}}}, {2, {{0, false}}}, {5, {{0, false}}}, {1, {{0, true}}}};
  const std::vector<double> expected{7, 3, 6, 1};
  BOOST_TEST(ranked(program).ranks() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_task_without_data_is_a_chain_of_its_own) {
  const Program program{{3, {}}, {4, {{7, true}}}};
  const std::vector<double> expected{3, 4};
  BOOST_TEST(ranked(program).ranks() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_priority_is_never_below_that_of_a_waiting_task) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Program program = random_program(seed);
    for (const int levels : {1, 3, 1000}) {
      const std::vector<int> priorities = ranked(program).priorities(levels);
      for (std::size_t i = 0; i < program.size(); ++i) {
        BOOST_TEST((priorities[i] >= 1 && priorities[i] <= levels));
        for (std::size_t j = i + 1; j < program.size(); ++j) {
          if (conflict(program[i], program[j])) BOOST_TEST(priorities[i] >= priorities[j]);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(priorities_spread_over_all_levels) {
  const Program chain{{1, {{0, true}}}, {1, {{0, true}}}, {1, {{0, true}}}, {1, {{0, true}}}};
  const std::vector<int> expected{4, 4, 3, 2};
  BOOST_TEST(ranked(chain).priorities(4) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(programs_without_tasks_or_costs_have_priorities_too) {
  BOOST_TEST(UpwardRanks().priorities(5).empty());
  const std::vector<int> expected{1, 1};
  BOOST_TEST(ranked({{0, {{0, true}}}, {0, {{0, true}}}}).priorities(5) == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
