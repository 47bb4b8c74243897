#include "platform/machine/host_memory.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/platform/machine/fake_system.hpp"

namespace troupe::platform {

namespace host_memory {

struct MemoryFixture {
  tests::FakeSystem system;
  MemoryFixture() {
    system.use_v2("/a/b");
    system.set_meminfo(8000, 6000);
  }
};

}  // namespace host_memory

BOOST_FIXTURE_TEST_SUITE(host_memory, MemoryFixture)

BOOST_AUTO_TEST_CASE(without_limits_the_machine_counts) {
  const auto memory = read_host_memory(system.root());
  BOOST_TEST(memory.total.count == 8000U * 1024);
  BOOST_TEST(memory.available.count == 6000U * 1024);
  BOOST_TEST(memory.limited_by == "memory of this machine");
}

BOOST_AUTO_TEST_CASE(the_tightest_cgroup_limit_counts_and_is_named) {
  system.group_file("/a/b", "memory.max", "5000000");
  system.group_file("/a/b", "memory.current", "1000000");
  system.group_file("/a", "memory.max", "6000000");
  system.group_file("/a", "memory.current", "4000000");
  const auto memory = read_host_memory(system.root());
  BOOST_TEST(memory.total.count == 5000000U);
  BOOST_TEST(memory.available.count == 2000000U);
  BOOST_TEST(memory.limited_by == "memory limit of cgroup /a");
}

BOOST_AUTO_TEST_CASE(a_limit_above_the_memory_of_the_machine_changes_nothing) {
  system.group_file("/a", "memory.max", "9000000000");
  BOOST_TEST(read_host_memory(system.root()).total.count == 8000U * 1024);
}

BOOST_AUTO_TEST_CASE(this_machine_has_memory) {
  const auto memory = read_host_memory();
  BOOST_TEST(memory.total.count > 0U);
  BOOST_TEST((memory.available <= memory.total));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
