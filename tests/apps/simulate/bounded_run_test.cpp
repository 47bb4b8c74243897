#include <boost/test/unit_test.hpp>

#include "tests/support/random/bounded_run_actor.hpp"
#include "tests/support/tries.hpp"

// Compares random graphs on random machines with their lower bounds. The program soak_bounds tries many more.
namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(bounded_runs)

BOOST_AUTO_TEST_CASE(none_is_below_its_bounds) {
  constexpr std::uint64_t kRuns = tries(2000);
  std::uint64_t close = 0;
  std::uint64_t bytes_bounded = 0;
  std::uint64_t with_clusters = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    BOOST_TEST_INFO_SCOPE("seed " << seed);
    const BoundedRun run = bounded_run(seed);
    for (const std::string& problem : run.problems())
      BOOST_ERROR("seed " << seed << " (" << run.description << "): " << problem);
    BOOST_TEST((run.bound_seconds > 0 || run.tasks == 0), "seed " << seed);
    close += run.bound_seconds > 0.9 * run.seconds ? 1 : 0;
    bytes_bounded += run.bound_bytes > 0 ? 1 : 0;
    with_clusters += run.clusters ? 1 : 0;
  }
  // Trivial bounds would also pass the checks above, so the test counts how often the bounds are close to the results.
  BOOST_TEST_MESSAGE("of " << kRuns << " runs " << close << " reach 90 % of the bound, " << bytes_bounded
                           << " must move bytes, " << with_clusters << " have clusters");
  BOOST_TEST(close > kRuns / 10);
  BOOST_TEST(bytes_bounded > kRuns / 20);
  BOOST_TEST(with_clusters > kRuns / 10);
}

BOOST_AUTO_TEST_CASE(a_linear_program_that_goes_round_in_circles_is_left) {
  // With this seed, GLPK's dual simplex method would never end.
  BOOST_TEST(bounded_run(121099).problems().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
