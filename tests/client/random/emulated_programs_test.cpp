// Random programs on cores and emulated accelerators, with real threads. tests/soak/emulated_programs.cpp runs more.
//
//   test_client --run_test=emulated_programs -- FIRST [COUNT]   runs COUNT seeds (default 1), beginning with FIRST.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/client/seeds.hpp"
#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/random/emulated_run_actor.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(emulated_programs)

namespace {

std::string again(std::uint64_t seed) {
  return "; to run it again: test_client --run_test=emulated_programs -- " + std::to_string(seed);
}

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other_or_say_why_not) {
  const Seeds run = seeds(500);
  SeedWatchdog watchdog;
  int roots = 0;
  int lost = 0;
  std::uint64_t tasks_there = 0;
  TransferReport sum;
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    watchdog.next(seed);
    const EmulatedRun emulated = emulated_run(seed);
    RanProgram ran;
    RunReport report;
    for (const std::string& problem : execute(emulated, &ran, &report)) {
      BOOST_ERROR("seed " << seed << " (" << describe(emulated) << "): " << problem << again(seed));
    }
    roots += ran.roots;
    lost += ran.lost_roots;
    sum.host_to_device += report.transfers.host_to_device;
    sum.device_to_host += report.transfers.device_to_host;
    sum.device_to_device += report.transfers.device_to_device;
    sum.manager.evictions += report.transfers.manager.evictions;
    sum.manager.write_backs += report.transfers.manager.write_backs;
    for (const WorkerReport& worker : report.workers) {
      if (worker.kind == DeviceKind::emulated) tasks_there += worker.counts.tasks;
    }
  }
  BOOST_TEST_MESSAGE(tasks_there << " tasks on accelerators, " << sum.host_to_device.count << " bytes to them, "
                                 << sum.device_to_host.count << " from them, " << sum.device_to_device.count
                                 << " between them, " << sum.manager.evictions << " evictions, "
                                 << sum.manager.write_backs << " write-backs; " << lost << " of " << roots
                                 << " matrices lost");
  if (run.count < 100) return;
  // The runs must have copied, evicted, written back and lost data. Most data must not have been lost, so that the test
  // could compare them.
  BOOST_TEST(tasks_there > 10 * run.count);
  BOOST_TEST(sum.host_to_device.count > 1000 * run.count);
  BOOST_TEST(sum.device_to_host.count > 1000 * run.count);
  BOOST_TEST(sum.device_to_device.count > 5 * run.count);
  BOOST_TEST(5 * sum.manager.evictions > run.count);
  BOOST_TEST(10 * sum.manager.write_backs > run.count);
  BOOST_TEST(lost > 0);
  BOOST_TEST(lost < roots / 2);
}

BOOST_AUTO_TEST_CASE(end_the_same_recorded_and_run_again) {
  const Seeds run = seeds(100);
  SeedWatchdog watchdog;
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    watchdog.next(seed);
    const EmulatedRun emulated = emulated_run(seed);
    for (const std::string& problem : execute_recorded(emulated)) {
      BOOST_ERROR("seed " << seed << " (" << describe(emulated) << ", recorded): " << problem << again(seed));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
