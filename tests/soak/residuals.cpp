// Checks the residuals of many random factorizations.
//
//   soak_residuals -- [COUNT [FIRST]]   runs COUNT seeds (default 10000), beginning with FIRST (default 1).
//
// Every 50th matrix has an order from 300 to 4000, with up to a million tasks. The other matrices are smaller and take
// a fraction of a second. If a case fails, the program prints the command that runs it again.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/support/random/factorization_case_actor.hpp"

namespace troupe::tests {
namespace {

constexpr double kMostTasks = 1e6;
constexpr std::uint64_t kLargeOnesApart = 50;
constexpr std::int64_t kLargest = 4000;
constexpr std::int64_t kSmall = 300;

/// The largest residual of one formula, and the case with this residual.
struct Worst {
  double value = 0;
  std::string where;
};

BOOST_AUTO_TEST_SUITE(residuals)

BOOST_AUTO_TEST_CASE(are_below_the_bound) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const auto argument = [&suite](int index, std::uint64_t otherwise) {
    return suite.argc > index ? std::strtoull(suite.argv[index], nullptr, 10) : otherwise;
  };
  const std::uint64_t count = argument(1, 10000);
  const std::uint64_t first = argument(2, 1);
  std::map<std::string, Worst> worst;
  std::uint64_t failed = 0;
  double tasks = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const FactorizationCase one = seed % kLargeOnesApart == 0 ? drawn_case(seed, kSmall, kLargest, kMostTasks)
                                                              : drawn_case(seed, 1, kSmall, kMostTasks);
    tasks += task_count(one);
    bool accepted = true;
    std::string values;
    try {
      for (const linalg::Residual& residual : residuals_of(one)) {
        accepted = accepted && residual.accepted();
        values += residual.formula + " = " + std::to_string(residual.value) + "; ";
        Worst& known = worst[residual.formula];
        if (residual.value > known.value || !residual.accepted()) known = {residual.value, describe(one)};
      }
    } catch (const Error& error) {
      accepted = false;
      values += error.what();
    }
    if (accepted) continue;
    ++failed;
    BOOST_ERROR("seed " << seed << " (" << describe(one) << "): " << values << "to run it again: " << suite.argv[0]
                        << " -- 1 " << seed);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("%llu cases from seed %llu, %llu failed; %.3g tasks in the factorizations; %.0f s\n",
              static_cast<unsigned long long>(count), static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(failed), tasks, elapsed.count());
  for (const auto& [formula, known] : worst) {
    std::printf("  %-30s at most %.3g (%s)\n", formula.c_str(), known.value, known.where.c_str());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
