#include "troupe/openmp_team.hpp"

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "actors/workers/devices/core_team.hpp"
#include "platform/machine/binding.hpp"
#include "tests/support/programs/child_program.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(openmp_team)

namespace {

#ifdef _OPENMP

/// Returns a team whose helpers run on all of these PUs (hardware threads) but the first. The calling thread is its
/// master.
workers::CoreTeam team_on(const platform::CpuSet& pus) {
  workers::CoreTeam::Options options;
  for (std::size_t i = 1; i < pus.size(); ++i) options.helpers.push_back({pus[i]});
  return workers::CoreTeam(std::move(options));
}

/// Runs a parallel region. Returns the PUs to which each OpenMP thread is bound, by the thread's number.
std::map<int, platform::CpuSet> bindings_of_a_region() {
  std::map<int, platform::CpuSet> bindings;
  std::mutex mutex;
#pragma omp parallel
  {
    const std::lock_guard lock(mutex);
    bindings[omp_get_thread_num()] = platform::this_thread_binding().value();
  }
  return bindings;
}

/// Runs `work` in a new thread, because OpenMP creates a team of threads for each thread that calls it.
template <class F>
void in_a_thread(F work) {
  std::thread(work).join();
}

BOOST_AUTO_TEST_CASE(openmps_threads_are_the_teams) {
  const platform::CpuSet here = platform::this_thread_binding().value();
  // A PU may occur twice, because members of a team may share a core.
  const platform::CpuSet pus{here[0], here[1 % here.size()], here[0]};
  std::map<int, platform::CpuSet> during;
  std::map<int, platform::CpuSet> after;
  in_a_thread([&] {
    (void)platform::bind_this_thread(pus[0]);
    workers::CoreTeam team = team_on(pus);
    {
      const auto ready = troupe::openmp_team(team);
      during = bindings_of_a_region();
    }
    after = bindings_of_a_region();
  });
  BOOST_TEST_REQUIRE(during.size() == 3U);
  for (int rank = 0; rank < 3; ++rank) {
    BOOST_TEST((during[rank] == platform::CpuSet{pus[static_cast<std::size_t>(rank)]}));
  }
  BOOST_TEST(after.size() == 1U);
}

BOOST_AUTO_TEST_CASE(two_teams_have_threads_of_their_own_at_the_same_time) {
  const platform::CpuSet here = platform::this_thread_binding().value();
  std::vector<std::map<int, platform::CpuSet>> seen(2);
  std::vector<std::thread> masters;
  for (std::size_t i = 0; i < 2; ++i) {
    masters.emplace_back([&, i] {
      const int pu = here[i % here.size()];
      (void)platform::bind_this_thread(pu);
      workers::CoreTeam team = team_on({pu, pu});
      const auto ready = troupe::openmp_team(team);
      for (int round = 0; round < 20; ++round) seen[i] = bindings_of_a_region();
    });
  }
  for (std::thread& master : masters) master.join();
  for (std::size_t i = 0; i < 2; ++i) {
    BOOST_TEST_REQUIRE(seen[i].size() == 2U);
    for (const auto& [rank, pus] : seen[i]) BOOST_TEST((pus == platform::CpuSet{here[i % here.size()]}));
  }
}

/// Runs the test in a process whose environment binds OpenMP's threads. Any other process starts such a process.
BOOST_AUTO_TEST_CASE(an_environment_that_binds_openmps_threads_is_refused) {
  if (std::getenv("OMP_PROC_BIND") == nullptr) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const std::string test = "openmp_team/an_environment_that_binds_openmps_threads_is_refused";
    const ChildResult child = run_with_input({"env", "OMP_PROC_BIND=true", self, "--run_test=" + test}, "");
    BOOST_TEST_CONTEXT(child.output) { BOOST_TEST(child.status == 0); }
    return;
  }
  LoneTeam alone;
  BOOST_CHECK_EXCEPTION((void)troupe::openmp_team(alone), Error, [](const Error& error) {
    return error.code() == ErrorCode::invalid_argument &&
           std::string(error.what()).find("unset OMP_PROC_BIND") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(a_kernel_that_says_nothing_of_openmp_has_one_thread) {
  RuntimeOptions options;
  options.cores = 2;
  options.threads.oversubscribe = true;
  options.clusters = "1x2";
  Runtime runtime(options);
  std::vector<std::atomic<int>> most(2);
  const Codelet together = Codelet("together", {}).cpu_team([&](Team& team) {
    team.run([&](int rank, int) { most[static_cast<std::size_t>(rank)] = omp_get_max_threads(); });
  });
  runtime.submit(together, {});
  runtime.wait();
  for (const std::atomic<int>& threads : most) BOOST_TEST(threads == 1);
}

BOOST_AUTO_TEST_CASE(pieces_on_a_cluster_have_one_thread_each) {
  RuntimeOptions options;
  options.cores = 2;
  options.threads.oversubscribe = true;
  options.clusters = "1x2";
  Runtime runtime(options);
  std::atomic<int> inside{0};
  std::vector<std::atomic<int>> most(2);
  Codelet apart = Codelet("apart", {})
                      .pieces([](const KernelContext&) { return 2; },
                              [&](std::size_t piece, const KernelContext&) {
                                // Both members must be in a piece at the same time.
                                ++inside;
                                while (inside < 2) std::this_thread::yield();
                                most[piece] = omp_get_max_threads();
                              });
  apart.prologue(troupe::openmp_team);
  runtime.submit(apart, {});
  runtime.wait();
  for (const std::atomic<int>& threads : most) BOOST_TEST(threads == 1);
}

BOOST_AUTO_TEST_CASE(a_team_of_one_has_one_thread) {
  in_a_thread([] {
    LoneTeam alone;
    const auto ready = troupe::openmp_team(alone);
    BOOST_TEST(bindings_of_a_region().size() == 1U);
  });
}

#else

BOOST_AUTO_TEST_CASE(skipped) { BOOST_TEST_MESSAGE("skipped: compiled without OpenMP"); }

#endif

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
