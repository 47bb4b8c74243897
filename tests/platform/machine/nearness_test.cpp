#include "platform/machine/nearness.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(nearness)

namespace {

using Rings = std::vector<std::vector<int>>;
const auto kPerElement = boost::test_tools::per_element();

/// Returns a core that belongs to the L3 cache with the number `l3`. Each package has `l3_per_package` such caches.
Core core_at(int core, int l3, int l3_per_package = 2) {
  const int package = l3 / l3_per_package;
  return {core,
          core,
          package,
          package,
          {{DomainKind::core, core},
           {DomainKind::l3, l3},
           {DomainKind::numa_node, package},
           {DomainKind::package, package},
           {DomainKind::machine, 0}}};
}

/// Returns cores, `counts[i]` of them in L3 cache i.
std::vector<Core> cores_in(const std::vector<int>& counts) {
  std::vector<Core> cores;
  for (std::size_t l3 = 0; l3 < counts.size(); ++l3) {
    for (int i = 0; i < counts[l3]; ++i) {
      cores.push_back(core_at(static_cast<int>(cores.size()), static_cast<int>(l3)));
    }
  }
  return cores;
}

std::vector<int> chosen_of(const std::vector<Core>& cores, int count) {
  std::vector<int> pus;
  for (const Core& core : compact_choice(cores, count)) pus.push_back(core.pu);
  return pus;
}

BOOST_AUTO_TEST_CASE(rings_go_from_shared_cache_to_machine) {
  const auto rings = rings_around(cores_in({2, 2, 2}), 0);
  BOOST_TEST((rings == Rings{{1}, {2, 3}, {4, 5}}));
}

BOOST_AUTO_TEST_CASE(within_a_ring_the_order_is_cyclic_from_the_centre) {
  const auto rings = rings_around(cores_in({4, 2}), 2);
  BOOST_TEST((rings == Rings{{3, 0, 1}, {4, 5}}));
}

BOOST_AUTO_TEST_CASE(a_core_alone_has_no_ring) { BOOST_TEST(rings_around(cores_in({1}), 0).empty()); }

BOOST_AUTO_TEST_CASE(cores_without_a_common_domain_are_in_the_last_ring) {
  auto cores = cores_in({2});
  cores.push_back({2, 2, 0, 0, {}});
  BOOST_TEST((rings_around(cores, 0) == Rings{{1}, {2}}));
  BOOST_TEST((rings_around(cores, 2) == Rings{{0, 1}}));
}

BOOST_AUTO_TEST_CASE(one_cache_is_taken_rather_than_parts_of_two) {
  // The process may use only one core of the first cache, but four of the second.
  BOOST_TEST(chosen_of(cores_in({1, 4}), 4) == (std::vector<int>{1, 2, 3, 4}), kPerElement);
  BOOST_TEST(chosen_of(cores_in({4, 4}), 2) == (std::vector<int>{0, 1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(one_package_is_taken_rather_than_parts_of_two) {
  // Package 0 has the L3 caches 0 and 1, package 1 has the caches 2 and 3.
  BOOST_TEST(chosen_of(cores_in({1, 1, 2, 2}), 4) == (std::vector<int>{2, 3, 4, 5}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_one_cache_spills_to_the_nearest) {
  BOOST_TEST(chosen_of(cores_in({4, 4, 4, 4}), 6) == (std::vector<int>{0, 1, 2, 3, 4, 5}), kPerElement);
}

BOOST_AUTO_TEST_CASE(all_cores_are_all_cores) {
  BOOST_TEST(chosen_of(cores_in({1, 2}), 3) == (std::vector<int>{0, 1, 2}), kPerElement);
}

BOOST_AUTO_TEST_CASE(second_hyperthreads_are_taken_last) {
  std::vector<Core> pus;
  for (int pu = 0; pu < 6; ++pu) {
    auto core = core_at(pu / 2, 0);
    core.pu = pu;
    pus.push_back(core);
  }
  BOOST_TEST(chosen_of(pus, 2) == (std::vector<int>{0, 2}), kPerElement);
  BOOST_TEST(chosen_of(pus, 3) == (std::vector<int>{0, 2, 4}), kPerElement);
  BOOST_TEST(chosen_of(pus, 4) == (std::vector<int>{0, 1, 2, 4}), kPerElement);
  BOOST_TEST(one_pu_per_core(pus).size() == 3U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
