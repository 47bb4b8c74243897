// Random programs that run while the clusters of cores change. tests/soak/regroupings.cpp runs more of them.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/support/random/regrouped_run_actor.hpp"
#include "tests/support/tries.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(regrouped_programs)

namespace {

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const bool one = suite.argc > 1;
  const std::uint64_t first = one ? std::strtoull(suite.argv[1], nullptr, 10) : 1;
  const std::uint64_t count = one ? 1 : tests::tries(500);
  std::uint64_t regroupings = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RegroupedRun run = regrouped_run(seed);
    if (one) BOOST_TEST_MESSAGE(describe(run));
    std::uint64_t completed = 0;
    for (const std::string& problem : execute(run, &completed)) {
      BOOST_ERROR("seed " << seed << " (" << describe(run) << "): " << problem
                          << "; to run it again: test_client --run_test=regrouped_programs -- " << seed);
    }
    regroupings += completed;
  }
  BOOST_TEST_MESSAGE(regroupings << " regroupings in " << count << " runs");
  if (!one) BOOST_TEST(regroupings > 3 * count);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
