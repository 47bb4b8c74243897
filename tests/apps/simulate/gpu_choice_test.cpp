#include "apps/simulate/gpu_choice.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/support/known_machine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(gpu_choice)

namespace {

using Numbers = std::vector<int>;

/// Returns a machine with 8 GPUs. Each of four switches has two GPUs, and each of two bridges has two switches.
const platform::MachineDescription& idgraf() { return tests::known_machine("idgraf"); }

void refuses(const Result<Numbers>& result, const std::string& part) {
  BOOST_TEST_REQUIRE(!result.ok());
  BOOST_TEST((result.failure().code == ErrorCode::invalid_argument));
  BOOST_TEST(tests::contains(result.failure().message, part), result.failure().message);
}

BOOST_AUTO_TEST_CASE(counts_are_numbers_and_ranges_in_their_order) {
  const auto counts = [](const char* text) { return parse_gpu_counts(text, idgraf()).value_or_throw(); };
  BOOST_TEST(counts("4") == Numbers({4}), boost::test_tools::per_element());
  BOOST_TEST(counts("0") == Numbers({0}), boost::test_tools::per_element());
  BOOST_TEST(counts("1-8") == Numbers({1, 2, 3, 4, 5, 6, 7, 8}), boost::test_tools::per_element());
  BOOST_TEST(counts("8,0,2-3") == Numbers({8, 0, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(malformed_counts_are_refused) {
  for (const char* text : {"", "-", "1-", "-3", "8-1", "1,,2", "1,", ",1", "1,1", "1-3,2", "a", "1-2-3", "+1", " 1",
                           "1.5", "99999999999"}) {
    BOOST_TEST_CONTEXT("'" << text << "'") { refuses(parse_gpu_counts(text, idgraf()), "not how many GPUs"); }
  }
}

BOOST_AUTO_TEST_CASE(more_gpus_than_there_are_is_refused_without_listing_them) {
  refuses(parse_gpu_counts("9", idgraf()), "machine 'idgraf' has 8 GPUs");
  refuses(parse_gpu_counts("1-2000000000", idgraf()), "machine 'idgraf' has 8 GPUs");
}

BOOST_AUTO_TEST_CASE(near_ones_share_switches_and_spread_ones_do_not) {
  const auto near = gpu_order("near", idgraf()).value_or_throw();
  BOOST_TEST(near == Numbers({0, 1, 2, 3, 4, 5, 6, 7}), boost::test_tools::per_element());
  const auto spread = gpu_order("spread", idgraf()).value_or_throw();
  BOOST_TEST(spread == Numbers({0, 4, 2, 6, 1, 5, 3, 7}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_is_taken_as_it_is) {
  BOOST_TEST(gpu_order("5,0,2", idgraf()).value_or_throw() == Numbers({5, 0, 2}), boost::test_tools::per_element());
  refuses(gpu_order("0,8", idgraf()), "has no GPU 8");
  refuses(gpu_order("0,0", idgraf()), "neither near, nor spread");
  refuses(gpu_order("far", idgraf()), "neither near, nor spread");
}

BOOST_AUTO_TEST_CASE(a_run_numbers_its_gpus_by_what_they_are) {
  const Numbers expected = regardless_of_numbers({0, 1, 2, 3, 4, 5, 6, 7}, idgraf());
  BOOST_TEST(regardless_of_numbers({6, 3, 0, 5, 1, 7, 2, 4}, idgraf()) == expected, boost::test_tools::per_element());
  // GPUs on the same switch must be neighbours in the order.
  for (std::size_t i = 0; i < expected.size(); i += 2) BOOST_TEST(expected[i] / 2 == expected[i + 1] / 2);
  // A description of this machine with the GPUs in the opposite order must give the same result.
  platform::MachineDescription other = idgraf();
  const std::size_t nodes = other.node_count();
  const auto renumbered = [&](std::size_t node) { return node == 0 ? 0 : nodes - node; };
  std::ranges::reverse(other.gpus);
  for (std::size_t from = 0; from < nodes; ++from) {
    for (std::size_t to = 0; to < nodes; ++to) {
      other.routes[renumbered(from) * nodes + renumbered(to)] = idgraf().routes[from * nodes + to];
    }
  }
  other.kernels.clear();
  platform::MachineDescription same = idgraf();
  same.kernels.clear();
  const Numbers of_same = regardless_of_numbers({0, 1, 2, 3}, same);
  const Numbers of_other = regardless_of_numbers({4, 5, 6, 7}, other);
  for (std::size_t i = 0; i < of_same.size(); ++i) {
    for (std::size_t j = 0; j < of_same.size(); ++j) {
      if (i == j) continue;
      const auto node = [](int gpu) { return static_cast<std::size_t>(gpu) + 1; };
      BOOST_TEST((other.route(node(of_other[i]), node(of_other[j])).links ==
                  same.route(renumbered(node(of_other[i])), renumbered(node(of_other[j]))).links));
      BOOST_TEST(same.route(node(of_same[i]), node(of_same[j])).bandwidth_mb_per_s ==
                 other.route(node(of_other[i]), node(of_other[j])).bandwidth_mb_per_s);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
