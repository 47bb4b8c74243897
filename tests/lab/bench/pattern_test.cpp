#include "lab/bench/pattern.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <set>

namespace troupe::bench {

BOOST_AUTO_TEST_SUITE(pattern)

namespace {

using Needs = std::function<bool(std::int64_t step, int column, int from)>;

/// Compares the dependencies of a pattern with a function that tells for each pair of tasks whether one needs the
/// other.
void follows(const GraphShape& shape, const Needs& needs) {
  const GraphPattern pattern(shape);
  constexpr std::int64_t kSteps = 20;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    for (int column = 0; column < pattern.row_width(step); ++column) {
      std::vector<int> expected;
      for (int from = 0; step > 0 && from < pattern.row_width(step - 1); ++from) {
        if (needs(step, column, from)) expected.push_back(from);
      }
      const auto found = pattern.inputs(step, column);
      BOOST_TEST_CONTEXT(to_string(shape.pattern) << " width " << shape.width << " task " << step << "," << column) {
        BOOST_TEST(std::vector<int>(found.begin(), found.end()) == expected, boost::test_tools::per_element());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(dependencies_are_those_of_task_bench) {
  for (const int width : {1, 2, 3, 5, 8, 13}) {
    follows({Pattern::trivial, width, 0}, [](auto, int, int) { return false; });
    follows({Pattern::stencil_1d, width, 0}, [](auto, int to, int from) { return std::abs(to - from) <= 1; });
    follows({Pattern::stencil_2d, width, 0}, [width](auto, int to, int from) {
      return std::abs(to % width - from % width) <= 1 && std::abs(to / width - from / width) <= 1;
    });
    follows({Pattern::tree, width, 0}, [](auto, int to, int from) { return from == to / 2; });
    const auto levels = std::max(1L, std::lround(std::ceil(std::log2(width))));
    follows({Pattern::fft, width, 0}, [levels](std::int64_t step, int to, int from) {
      const auto stride = std::lround(std::pow(2, (step - 1) % levels));
      return from == to || std::abs(to - from) == stride;
    });
    for (int radix = 0; radix <= 5; ++radix) {
      follows({Pattern::nearest, width, radix}, [radix](auto, int to, int from) {
        return radix > 0 && from >= to - radix / 2 && from <= to + (radix - 1) / 2;
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(random_dependencies_are_near_and_have_the_task_above) {
  const GraphPattern random({Pattern::random_nearest, 64, 5});
  const GraphPattern nearest({Pattern::nearest, 64, 5});
  std::size_t count = 0;
  for (std::int64_t step = 1; step <= 3; ++step) {
    for (int column = 0; column < 64; ++column) {
      const auto near = nearest.inputs(step, column);
      const std::set<int> candidates(near.begin(), near.end());
      bool above = false;
      for (const int from : random.inputs(step, column)) {
        BOOST_TEST(candidates.contains(from));
        above = above || from == column;
        ++count;
      }
      BOOST_TEST(above);
    }
  }
  // Each task has one certain input and four inputs with a probability of 1/4, so it has two inputs on average.
  const double average = static_cast<double>(count) / (3 * 64);
  BOOST_TEST(average > 1.6);
  BOOST_TEST(average < 2.4);
}

BOOST_AUTO_TEST_CASE(no_dependencies_are_none) {
  const GraphPattern random({Pattern::random_nearest, 8, 0});
  for (std::int64_t step = 0; step < 4; ++step) BOOST_TEST(random.inputs(step, 3).empty());
}

BOOST_AUTO_TEST_CASE(tasks_are_counted) {
  BOOST_TEST(GraphPattern({Pattern::fft, 5, 0}).tasks(10) == 50);
  BOOST_TEST(GraphPattern({Pattern::tree, 6, 0}).tasks(1) == 1);
  BOOST_TEST(GraphPattern({Pattern::tree, 6, 0}).tasks(5) == 1 + 2 + 4 + 6 + 6);
}

BOOST_AUTO_TEST_CASE(names_lead_back_to_patterns) {
  for (const Pattern each : kPatterns) BOOST_CHECK(pattern_named(to_string(each)) == each);
  BOOST_CHECK(!pattern_named("star"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::bench
