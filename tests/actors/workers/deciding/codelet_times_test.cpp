#include "actors/workers/deciding/codelet_times.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstddef>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "tests/support/loose_tasks.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(codelet_times)

namespace {

using std::chrono::microseconds;

BOOST_AUTO_TEST_CASE(the_mean_follows_the_last_times_of_a_codelet) {
  const std::vector<CodeletDefinition> codelets(2);
  tests::LooseTasks tasks(2);
  for (std::size_t i = 0; i < 2; ++i) tasks(i)->codelet = &codelets[i];
  CodeletTimes times;
  BOOST_TEST((times.expected(*tasks(0)) == Duration{}));
  times.note(*tasks(0), microseconds(40));
  times.note(*tasks(0), microseconds(80));
  BOOST_TEST((times.expected(*tasks(0)) == microseconds(50)));
  // A time that is not known changes nothing.
  times.note(*tasks(0), Duration(-1));
  BOOST_TEST((times.expected(*tasks(0)) == microseconds(50)));
  BOOST_TEST((times.expected(*tasks(1)) == Duration{}));
}

BOOST_AUTO_TEST_CASE(the_codelet_that_came_first_is_forgotten_first) {
  constexpr std::size_t kCodelets = 33;
  const std::vector<CodeletDefinition> codelets(kCodelets);
  tests::LooseTasks tasks(kCodelets);
  CodeletTimes times;
  for (std::size_t i = 0; i < kCodelets; ++i) {
    tasks(i)->codelet = &codelets[i];
    times.note(*tasks(i), microseconds(1));
  }
  BOOST_TEST((times.expected(*tasks(0)) == Duration{}));
  BOOST_TEST((times.expected(*tasks(1)) == microseconds(1)));
  BOOST_TEST((times.expected(*tasks(kCodelets - 1)) == microseconds(1)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
