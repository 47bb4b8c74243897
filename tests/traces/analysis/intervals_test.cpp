#include "traces/analysis/intervals.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(intervals)

namespace {

using Pairs = std::vector<std::pair<int, int>>;

Intervals made(const Pairs& pairs) {
  std::vector<Interval> parts;
  for (const auto& [start, end] : pairs) parts.push_back({TimeStamp(start), TimeStamp(end)});
  return Intervals(parts);
}
bool is(const Intervals& intervals, const Pairs& pairs) {
  std::vector<Interval> parts;
  for (const auto& [start, end] : pairs) parts.push_back({TimeStamp(start), TimeStamp(end)});
  return intervals.parts() == parts;
}

BOOST_AUTO_TEST_CASE(are_the_union_of_what_they_are_made_of) {
  BOOST_TEST(is(made({{5, 7}, {1, 2}, {6, 9}, {2, 3}, {4, 4}, {9, 8}}), {{1, 3}, {5, 9}}));
  BOOST_TEST(is(made({}), {}));
  BOOST_TEST(made({{1, 3}, {5, 9}}).length().count() == 6);
}

BOOST_AUTO_TEST_CASE(have_what_they_have_in_common) {
  const Intervals a = made({{0, 10}, {20, 30}});
  BOOST_TEST(is(a.common_with(made({{5, 25}})), {{5, 10}, {20, 25}}));
  BOOST_TEST(is(a.common_with(made({{10, 20}})), {}));
  BOOST_TEST(is(a.common_with(made({})), {}));
}

BOOST_AUTO_TEST_CASE(can_be_taken_away) {
  const Intervals a = made({{0, 10}, {20, 30}});
  BOOST_TEST(is(a.without(made({{2, 3}, {5, 22}, {29, 40}})), {{0, 2}, {3, 5}, {22, 29}}));
  BOOST_TEST(is(a.without(made({{0, 40}})), {}));
  BOOST_TEST(is(a.without(made({})), {{0, 10}, {20, 30}}));
}

BOOST_AUTO_TEST_CASE(obey_the_laws_of_sets) {
  std::mt19937 random(7);
  const auto any = [&] {
    Pairs pairs;
    for (int i = 0; i < 10; ++i) {
      const int start = static_cast<int>(random() % 100);
      pairs.emplace_back(start, start + static_cast<int>(random() % 12));
    }
    return made(pairs);
  };
  for (int i = 0; i < 500; ++i) {
    const Intervals a = any();
    const Intervals b = any();
    BOOST_TEST_REQUIRE((a.common_with(b).length() + a.without(b).length() == a.length()));
    BOOST_TEST_REQUIRE((a.common_with(b).parts() == b.common_with(a).parts()));
    BOOST_TEST_REQUIRE(a.without(b).common_with(b).parts().empty());
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
