#include "platform/machine/cgroup.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/platform/machine/fake_system.hpp"

namespace troupe::platform {

namespace cgroup {

struct CgroupFixture {
  tests::FakeSystem system;

  std::vector<std::string> names(const std::string& controller) const {
    std::vector<std::string> names;
    for (const auto& group : own_cgroups(system.root(), controller)) names.push_back(group.name);
    return names;
  }
  std::optional<CpuQuota> quota() const { return tightest_cpu_quota(system.root()); }
};

using Names = std::vector<std::string>;
const auto kPerElement = boost::test_tools::per_element();

}  // namespace cgroup

BOOST_FIXTURE_TEST_SUITE(cgroup, CgroupFixture)

BOOST_AUTO_TEST_CASE(groups_are_listed_from_the_own_one_to_the_mount_point) {
  system.use_v2("/a/b");
  BOOST_TEST(names("cpu") == (Names{"/a/b", "/a", "/"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(version_1_lists_the_hierarchy_of_the_controller) {
  system.use_v1("/slurm/job_7");
  BOOST_TEST(names("cpu") == (Names{"/slurm/job_7", "/slurm", "/"}), kPerElement);
  BOOST_TEST(names("blkio").empty());
}

BOOST_AUTO_TEST_CASE(a_container_that_sees_only_its_part_finds_its_files) {
  system.use_v1("/docker/abc/sub", "/docker/abc");
  system.group_file("/cpu,cpuacct", "cpu.cfs_quota_us", "200000");
  system.group_file("/cpu,cpuacct", "cpu.cfs_period_us", "100000");
  BOOST_TEST(names("cpu") == (Names{"/sub", "/"}), kPerElement);
  BOOST_TEST_REQUIRE(quota().has_value());
  BOOST_TEST(quota()->threads() == 2);
}

BOOST_AUTO_TEST_CASE(a_group_outside_of_the_mount_leaves_the_mount_point) {
  system.use_v2("/elsewhere", "/docker/abc");
  BOOST_TEST(names("cpu") == Names{"/"}, kPerElement);
}

BOOST_AUTO_TEST_CASE(a_mount_point_with_blanks_is_understood) {
  system.write("proc/self/cgroup", "0::/\n");
  system.write("proc/self/mountinfo", "31 22 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw\n");
  system.write("my groups/cpu.max", "300000 100000\n");
  BOOST_TEST_REQUIRE(quota().has_value());
  BOOST_TEST(quota()->threads() == 3);
}

BOOST_AUTO_TEST_CASE(a_quota_of_one_and_a_half_cores_keeps_two_threads_busy) {
  system.use_v2("/a");
  system.group_file("/a", "cpu.max", "150000 100000");
  BOOST_TEST_REQUIRE(quota().has_value());
  BOOST_TEST(quota()->cpus() == 1.5);
  BOOST_TEST(quota()->threads() == 2);
  BOOST_TEST(quota()->cgroup == "/a");
}

BOOST_AUTO_TEST_CASE(version_1_writes_quota_and_period_apart) {
  system.use_v1("/a");
  system.group_file("/cpu,cpuacct/a", "cpu.cfs_quota_us", "75000");
  system.group_file("/cpu,cpuacct/a", "cpu.cfs_period_us", "50000");
  BOOST_TEST_REQUIRE(quota().has_value());
  BOOST_TEST(quota()->threads() == 2);
}

BOOST_AUTO_TEST_CASE(the_tightest_limit_on_the_way_out_counts) {
  system.use_v2("/a/b/c");
  system.group_file("/a/b/c", "cpu.max", "max 100000");
  system.group_file("/a/b", "cpu.max", "800000 100000");
  system.group_file("/a", "cpu.max", "50000 20000");
  BOOST_TEST_REQUIRE(quota().has_value());
  BOOST_TEST(quota()->cgroup == "/a");
  BOOST_TEST(quota()->threads() == 3);
}

BOOST_AUTO_TEST_CASE(both_versions_at_once_are_both_heeded) {
  system.write("proc/self/cgroup", "1:cpu:/old\n0::/new\n");
  system.write("proc/self/mountinfo",
               "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
               "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  system.group_file("/unified/new", "cpu.max", "400000 100000");
  BOOST_TEST_REQUIRE(quota().has_value());
  BOOST_TEST(quota()->threads() == 4);
  system.group_file("/cpu/old", "cpu.cfs_quota_us", "300000");
  system.group_file("/cpu/old", "cpu.cfs_period_us", "100000");
  BOOST_TEST(quota()->threads() == 3);
}

BOOST_AUTO_TEST_CASE(no_limit_is_no_limit) {
  BOOST_TEST(!quota().has_value());  // There is no /proc at all.
  system.use_v2("/a");
  BOOST_TEST(!quota().has_value());  // There is no file cpu.max.
  system.group_file("/a", "cpu.max", "max 100000");
  BOOST_TEST(!quota().has_value());
  system.use_v1("/a");
  system.group_file("/cpu,cpuacct/a", "cpu.cfs_quota_us", "-1");
  system.group_file("/cpu,cpuacct/a", "cpu.cfs_period_us", "100000");
  BOOST_TEST(!quota().has_value());
}

BOOST_AUTO_TEST_CASE(damaged_files_limit_nothing) {
  system.use_v2("/a");
  for (const std::string content :
       {"", "100000", "100000 0", "0 100000", "1e5 x", "-5 100000", "1 2 3", "99999999999999999999999 100000"}) {
    BOOST_TEST_CONTEXT("cpu.max: " << content) {
      system.group_file("/a", "cpu.max", content);
      BOOST_TEST(!quota().has_value());
    }
  }
  system.write("proc/self/cgroup", "\nnonsense\n::\n0:\n");
  system.write("proc/self/mountinfo", "\n1 2 -\n- cgroup2 cgroup2 rw\n1 2 3 / /x rw - cgroup2\n");
  BOOST_TEST(!quota().has_value());
}

BOOST_AUTO_TEST_CASE(a_tiny_quota_still_allows_one_thread) {
  system.use_v2("/");
  system.group_file("", "cpu.max", "1000 100000");
  BOOST_TEST_REQUIRE(quota().has_value());
  BOOST_TEST(quota()->threads() == 1);
}

BOOST_AUTO_TEST_CASE(memory_that_only_caches_files_counts_as_free) {
  system.use_v2("/a");
  system.group_file("/a", "memory.max", "1000000");
  system.group_file("/a", "memory.current", "700000");
  system.group_file("/a", "memory.stat", "anon 100000\ninactive_file 400000\nactive_file 100000");
  const auto limits = memory_limits(system.root());
  BOOST_TEST_REQUIRE(limits.size() == 1U);
  BOOST_TEST(limits[0].limit.count == 1000000U);
  BOOST_TEST(limits[0].headroom.count == 700000U);
  BOOST_TEST(limits[0].cgroup == "/a");
}

BOOST_AUTO_TEST_CASE(memory_high_limits_too_and_usage_above_it_leaves_nothing) {
  system.use_v2("/a");
  system.group_file("/a", "memory.max", "max");
  system.group_file("/a", "memory.high", "500000");
  system.group_file("/a", "memory.current", "700000");
  const auto limits = memory_limits(system.root());
  BOOST_TEST_REQUIRE(limits.size() == 1U);
  BOOST_TEST(limits[0].limit.count == 500000U);
  BOOST_TEST(limits[0].headroom.count == 0U);
}

BOOST_AUTO_TEST_CASE(version_1_writes_no_memory_limit_as_a_huge_number) {
  system.use_v1("/a/b");
  system.group_file("/memory/a/b", "memory.limit_in_bytes", "9223372036854771712");
  system.group_file("/memory/a", "memory.limit_in_bytes", "3000000");
  system.group_file("/memory/a", "memory.usage_in_bytes", "1000000");
  system.group_file("/memory/a", "memory.stat", "inactive_file 7\ntotal_inactive_file 500000");
  const auto limits = memory_limits(system.root());
  BOOST_TEST_REQUIRE(limits.size() == 1U);
  BOOST_TEST(limits[0].headroom.count == 2500000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
