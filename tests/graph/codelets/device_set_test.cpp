#include "graph/codelets/device_set.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace troupe {

BOOST_AUTO_TEST_SUITE(device_set)

namespace {

const auto kPerElement = boost::test_tools::per_element();

const std::vector<NamedWorker> kWorkers{{DeviceKind::cpu_core, "cluster of 4 cores 0-3", "AMD EPYC"},
                                        {DeviceKind::cpu_core, "cpu core 4", "AMD EPYC"},
                                        {DeviceKind::cuda, "GPU 0 (NVIDIA H200)", "NVIDIA H200"},
                                        {DeviceKind::cuda, "GPU 1 (NVIDIA H200)", "NVIDIA H200"},
                                        {DeviceKind::cuda, "GPU 10 (NVIDIA A100-SXM4-80GB)", "NVIDIA A100-SXM4-80GB"}};

DeviceSet worker(std::uint32_t number) { return DeviceSet::worker(WorkerId(number)); }
DeviceSet named(const std::string& name) { return DeviceSet::named(name); }

/// Returns the numbers of the workers in the set.
std::vector<int> members(const DeviceSet& devices) {
  const auto found = find_members(devices, kWorkers);
  BOOST_TEST_REQUIRE(found.ok(), (found.ok() ? "" : found.failure().message));
  std::vector<int> numbers;
  for (std::size_t i = 0; i < kWorkers.size(); ++i) {
    if (found.value()[i]) numbers.push_back(static_cast<int>(i));
  }
  return numbers;
}

void check(const DeviceSet& devices, const std::vector<int>& expected) {
  BOOST_TEST(members(devices) == expected, kPerElement);
}

BOOST_AUTO_TEST_CASE(workers_are_found_by_kind_number_name_and_model) {
  check({}, {0, 1, 2, 3, 4});
  check(DeviceSet::cores(), {0, 1});
  check(worker(3), {3});
  check(named("cpu core 4"), {1});
  check(named("Cluster of 4 cores 0-3"), {0});
  check(named("GPU 1"), {3});
  check(named("GPU 0 (NVIDIA H200)"), {2});
  check(named("NVIDIA H200"), {2, 3});
  check(named("h200"), {2, 3});
  check(named("a100"), {4});
  check(named("A100-SXM4"), {4});
  check(named("epyc"), {0, 1});
}

BOOST_AUTO_TEST_CASE(half_a_word_is_no_name) {
  for (const char* name : {"H20", "200", "00", "core", "cpu core", "GPU", "cluster", "GPU 1 ("}) {
    const auto found = find_members(named(name), kWorkers);
    BOOST_TEST_REQUIRE(!found.ok(), name);
    BOOST_TEST((found.failure().code == ErrorCode::invalid_argument));
    BOOST_TEST(found.failure().message ==
               "'" + std::string(name) +
                   "' is neither a model nor a worker here: models are AMD EPYC, NVIDIA A100-SXM4-80GB, NVIDIA H200; "
                   "workers are #0 to #4, named cluster of 4 cores 0-3 to GPU 10 (NVIDIA A100-SXM4-80GB)");
  }
  BOOST_TEST(find_members(worker(5), kWorkers).failure().message.starts_with("there is no worker #5: models are "));
}

BOOST_AUTO_TEST_CASE(any_number_of_them_is_joined) {
  check(worker(0) | worker(4) | worker(0), {0, 4});
  check(worker(1) | named("a100") | DeviceKind::cuda, {1, 2, 3, 4});
  check(DeviceSet::cores() | DeviceSet::accelerators() | worker(0), {0, 1, 2, 3, 4});
  BOOST_TEST((DeviceSet() | worker(0)).all());
  BOOST_TEST((DeviceSet::cores() | DeviceSet::accelerators() | worker(0)).all());
  check(DeviceSet::of_kinds(0) | worker(2), {2});
}

BOOST_AUTO_TEST_CASE(what_is_in_both_is_met) {
  check(DeviceSet::cores() & worker(1), {1});
  check(DeviceSet::cores() & worker(2), {});
  check((worker(0) | worker(2)) & (worker(2) | worker(3)), {2});
  check(named("h200") & (worker(3) | DeviceSet::cores()), {3});
  // Intersections and unions in both orders, and nested.
  check((worker(1) & DeviceSet::cores()) | (named("h200") & worker(2)), {1, 2});
  check(((worker(0) | worker(2)) & (worker(2) | worker(3))) | worker(4), {2, 4});
  check((worker(0) & worker(1)) | (DeviceSet::cores() & named("GPU 0")), {});
}

BOOST_AUTO_TEST_CASE(equal_sets_are_equal_however_they_were_written) {
  BOOST_TEST(((worker(1) | worker(2)) == (worker(2) | worker(1) | worker(2))));
  BOOST_TEST(((named("a") & worker(1)) == (worker(1) & named("a") & named("a"))));
  BOOST_TEST((worker(1) != worker(2)));
  BOOST_TEST((worker(1) != named("1")));
  BOOST_TEST(((worker(1) & DeviceSet()) == worker(1)));
}

BOOST_AUTO_TEST_CASE(people_can_read_them) {
  BOOST_TEST(to_string(worker(3)) == "worker 3");
  BOOST_TEST(to_string(DeviceSet::cores() | named("h200") | worker(3)) == "cpu core, h200, worker 3");
  BOOST_TEST(to_string(DeviceSet::cores() & worker(3)) == "cpu core, of these only worker 3");
  BOOST_TEST(to_string(DeviceSet::cores()) == "cpu core");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
