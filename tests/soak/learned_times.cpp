// Prints how much longer runs in virtual time take if they have to learn the kernel times and no two tasks have the
// same size: a table of policies, laws and numbers of tasks.
//
//   soak_learned_times -- [SEEDS [TASKS...]]   runs one round of graphs for each 10000 seeds, at least one round.
//   TASKS are the numbers of tasks; the default is 100 400 1600.
//   soak_learned_times --run_test=learned_times/drawn -- FIRST COUNT [TASKS]
//   prints a summary of drawn kernels on drawn machines, one graph for each of COUNT seeds from FIRST on.
#include <fmt/format.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/client/learned_cases.hpp"
#include "tests/soak/arguments.hpp"
#include "tests/soak/drawn_cases.hpp"

namespace troupe::tests {
namespace {

BOOST_AUTO_TEST_SUITE(learned_times)

const std::vector<std::string> kPolicies{"homeward", "heft", "mct", "heft-rank", "heteroprio", "dada", "lws"};

void print_row(const LearnedCase& of, int tasks, std::uint64_t seed) {
  std::string row = fmt::format("{:40}{:>6}", of.name, tasks);
  for (const std::string& policy : kPolicies) {
    const double ratio = learned_ratio(of, tasks, policy, seed);
    row += fmt::format("{:>11.2f}", ratio);
    // With fewer than 400 tasks, a large part of them is needed to learn the times, so the ratio is not checked.
    const bool judged = tasks >= 400 && (policy == "homeward" || policy == "heft" || policy == "mct");
    BOOST_TEST((!judged || ratio <= 1.2), of.name << ", " << tasks << " tasks, " << policy << ": " << ratio);
  }
  std::puts(row.c_str());
  std::fflush(stdout);
}

/// Prints, for each judged policy, how many of the ratios are above 1.2, the geometric mean, and the largest ratio.
BOOST_AUTO_TEST_CASE(drawn, *boost::unit_test::disabled()) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  BOOST_REQUIRE_MESSAGE(suite.argc > 2, "arguments are missing: name the FIRST seed and the COUNT of seeds behind --");
  const std::uint64_t first = std::stoull(suite.argv[1]);
  const std::uint64_t count = std::stoull(suite.argv[2]);
  BOOST_REQUIRE_MESSAGE(count > 0, "the COUNT of seeds is 0: name at least one seed");
  const int tasks = suite.argc > 3 ? std::stoi(suite.argv[3]) : 400;
  for (const std::string policy : {"homeward", "heft", "mct"}) {
    std::uint64_t above = 0;
    double logarithms = 0;
    double most = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      const LearnedCase of = drawn_case(seed);
      const double ratio = learned_ratio(of, tasks, policy, seed);
      BOOST_CHECK_MESSAGE(ratio <= 1.2, of.name << ", " << tasks << " tasks, " << policy << ": " << ratio);
      above += ratio > 1.2 ? 1 : 0;
      logarithms += std::log(ratio);
      most = std::max(most, ratio);
    }
    std::puts(fmt::format("{:10}{:>6} tasks: {} of {} above 1.2, mean {:.3f}, most {:.3f}", policy, tasks, above, count,
                          std::exp(logarithms / static_cast<double>(count)), most)
                  .c_str());
    std::fflush(stdout);
  }
}

BOOST_AUTO_TEST_CASE(take_little_longer_than_known_ones) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t rounds = std::max<std::uint64_t>(1, seeds(1) / 10000);
  std::vector<int> counts;
  for (int i = 2; i < suite.argc; ++i) counts.push_back(std::atoi(suite.argv[i]));
  if (counts.empty()) counts = {100, 400, 1600};
  std::string head = fmt::format("{:40}{:>6}", "learned / exact", "tasks");
  for (const std::string& policy : kPolicies) head += fmt::format("{:>11}", policy);
  std::puts(head.c_str());
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    for (const LearnedCase& of : learned_cases()) {
      for (const int tasks : counts) print_row(of, tasks, seed);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
