// Random programs on random machines in virtual time, with real buffers. tests/soak/simulations.cpp runs more of them.
//
//   test_client --run_test=simulated_programs -- FIRST [COUNT]   runs COUNT seeds (default 1), beginning with FIRST.
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>

#include "tests/client/seeds.hpp"
#include "tests/support/random/simulated_run_actor.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(simulated_programs)

namespace {

std::string again(std::uint64_t seed) {
  return "; to run it again: test_client --run_test=simulated_programs -- " + std::to_string(seed);
}

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  const Seeds run = seeds(1000);
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    const SimulatedRun simulated = simulated_run(seed);
    for (const std::string& problem : execute(simulated)) {
      BOOST_ERROR("seed " << seed << " (" << describe(simulated) << "): " << problem << again(seed));
    }
  }
}

BOOST_AUTO_TEST_CASE(end_so_or_say_why_not_where_gpus_fail) {
  const Seeds run = seeds(500);
  int roots = 0;
  int lost = 0;
  std::uint64_t failed = 0;
  std::uint64_t tasks = 0;
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    const SimulatedRun simulated = simulated_run_with_faults(seed);
    Seen seen;
    for (const std::string& problem : execute(simulated, &seen)) {
      BOOST_ERROR("seed " << seed << " (" << describe(simulated) << "): " << problem << again(seed));
    }
    roots += seen.ran.roots;
    lost += seen.ran.lost_roots;
    for (const TaskStatus status : seen.ran.status) {
      ++tasks;
      failed += status == TaskStatus::failed ? 1 : 0;
    }
  }
  BOOST_TEST_MESSAGE(failed << " of " << tasks << " tasks failed, " << lost << " of " << roots << " matrices lost");
  if (run.count < 100) return;
  // Some tasks must fail and some data must be lost, but most must not.
  BOOST_TEST(failed > run.count);
  BOOST_TEST(failed < tasks / 4);
  BOOST_TEST(lost > 0);
  BOOST_TEST(lost < roots / 2);
}

BOOST_AUTO_TEST_CASE(end_the_same_recorded_and_run_again) {
  const Seeds run = seeds(300);
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    const SimulatedRun simulated = simulated_run(seed);
    for (const std::string& problem : execute_recorded(simulated)) {
      BOOST_ERROR("seed " << seed << " (" << describe(simulated) << ", recorded): " << problem << again(seed));
    }
  }
}

BOOST_AUTO_TEST_CASE(use_all_that_there_is_to_be_tested) {
  Seen all;
  std::uint64_t tasks_on_gpus = 0;
  TransferReport sum;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    execute(simulated_run(seed), &all);
    const TransferReport& one = all.report.transfers;
    sum.host_to_device += one.host_to_device;
    sum.device_to_host += one.device_to_host;
    sum.device_to_device += one.device_to_device;
    sum.manager.evictions += one.manager.evictions;
    sum.manager.write_backs += one.manager.write_backs;
    sum.manager.prefetches += one.manager.prefetches;
    sum.manager.prefetches_used += one.manager.prefetches_used;
    for (const WorkerReport& worker : all.report.workers) {
      if (worker.kind == DeviceKind::cuda) tasks_on_gpus += worker.counts.tasks;
    }
  }
  BOOST_TEST_MESSAGE(tasks_on_gpus << " tasks on GPUs, " << sum.host_to_device.count << " bytes to them, "
                                   << sum.device_to_host.count << " from them, " << sum.device_to_device.count
                                   << " between them, " << sum.manager.evictions << " evictions, "
                                   << sum.manager.write_backs << " write-backs, " << sum.manager.prefetches
                                   << " prefetches, " << sum.manager.prefetches_used << " of them used");
  BOOST_TEST(tasks_on_gpus > 1000U);
  BOOST_TEST(sum.host_to_device.count > 100'000U);
  BOOST_TEST(sum.device_to_host.count > 100'000U);
  BOOST_TEST(sum.device_to_device.count > 10'000U);
  BOOST_TEST(sum.manager.evictions > 80U);
  BOOST_TEST(sum.manager.write_backs > 100U);
  BOOST_TEST(sum.manager.prefetches_used > 100U);
}

BOOST_AUTO_TEST_CASE(end_so_on_a_hundred_gpus_of_little_memory_and_seventy_cores) {
  const Seeds run = seeds(6);
  std::set<std::size_t> ran;
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    const SimulatedRun simulated = simulated_run_on_many_devices(seed);
    Seen seen;
    for (const std::string& problem : execute(simulated, &seen)) {
      BOOST_ERROR("seed " << seed << " (" << describe(simulated) << ", many devices): " << problem << again(seed));
    }
    BOOST_TEST_REQUIRE(seen.report.workers.size() == 170U);
    for (std::size_t worker = 0; worker < 170; ++worker) {
      if (seen.report.workers[worker].counts.tasks > 0) ran.insert(worker);
    }
  }
  if (run.count < 6) return;
  // The cores and the GPUs after the first 64 get tasks, too.
  BOOST_TEST(std::distance(ran.lower_bound(64), ran.lower_bound(70)) > 0);
  BOOST_TEST(std::distance(ran.lower_bound(70 + 64), ran.end()) > 0);
}

BOOST_AUTO_TEST_CASE(leave_the_same_trace_for_the_same_seed) {
  const Seeds run = seeds(100);
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    const SimulatedRun simulated = simulated_run(seed);
    Seen first;
    Seen second;
    execute(simulated, &first);
    execute(simulated, &second);
    BOOST_TEST((first.trace == second.trace), "seed " << seed << " leaves two traces" << again(seed));
    BOOST_TEST(!first.trace.empty());
    execute(simulated_run_with_faults(seed), &first);
    execute(simulated_run_with_faults(seed), &second);
    BOOST_TEST((first.trace == second.trace), "seed " << seed << " leaves two traces with faults" << again(seed));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
