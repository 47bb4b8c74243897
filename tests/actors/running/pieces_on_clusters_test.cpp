// Tests of tasks of pieces on clusters of cores, also while the cores are regrouped.
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <deque>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/actors/running/counted_pieces.hpp"
#include "tests/actors/runtime_fixture.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(pieces_on_clusters)

namespace {

using tests::contains;
using tests::Counted;
using tests::counting;
using tests::Held;
using tests::soon;
using tests::TestRuntime;
using tests::workers;
using namespace std::chrono_literals;

RuntimeOptions clusters(int cores, const std::string& clusters, bool regroup = false) {
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:1 core:" + std::to_string(cores) + " pu:1";
  options.clusters = clusters;
  options.threads.regroup = regroup;
  return options;
}

BOOST_AUTO_TEST_CASE(a_cluster_runs_pieces_on_all_its_cores) {
  TestRuntime runtime(clusters(2, "1x2"));
  std::atomic<int> inside{0};
  std::atomic<int> failed{0};
  const Codelet together = Codelet("together", {})
                               .pieces([](const KernelContext&) { return 2; },
                                       [&](std::size_t, const KernelContext&) {
                                         ++inside;
                                         if (!soon([&] { return inside == 2; })) ++failed;
                                       });
  const Codelet broken = Codelet("broken", {})
                             .pieces([](const KernelContext&) { return 100; },
                                     [](std::size_t, const KernelContext&) { throw std::runtime_error("gave up"); });
  for (int round = 0; round < 10; ++round) {
    inside = 0;
    runtime.submit(together);
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(failed == 0);
    runtime.submit(broken);
    const std::string message = runtime.wait();
    BOOST_TEST(contains(message, " of 100: gave up"), message);
    Counted counted(31);
    runtime.submit(counting(counted, 3));
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(counted.all_once());
  }
}

BOOST_AUTO_TEST_CASE(clusters_and_cores_help_one_another) {
  TestRuntime runtime(clusters(3, "1x2"));
  std::atomic<int> inside{0};
  std::mutex mutex;
  std::set<std::uint32_t> ran_on;
  // The pieces end only when all three cores are in this task at the same time.
  const Codelet codelet = Codelet("three", {})
                              .pieces([](const KernelContext&) { return 3; },
                                      [&](std::size_t, const KernelContext& context) {
                                        ++inside;
                                        (void)soon([&] { return inside == 3; });
                                        const std::lock_guard lock(mutex);
                                        ran_on.insert(context.worker.value());
                                      });
  for (int round = 0; round < 10; ++round) {
    inside = 0;
    ran_on.clear();
    runtime.submit(codelet);
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(ran_on.size() == 2U);
  }
}

BOOST_AUTO_TEST_CASE(cores_are_grouped_otherwise_while_pieces_run) {
  TestRuntime runtime(clusters(4, "", true));
  const std::vector<std::string> specifications{"2x2", "1x4", "single", "1x3"};
  for (int round = 0; round < 40; ++round) {
    std::deque<Counted> all;
    for (std::size_t i = 0; i < 20; ++i) runtime.submit(counting(all.emplace_back(50 + i), 1 + i % 3));
    runtime->regroup(specifications[static_cast<std::size_t>(round) % specifications.size()]).value_or_throw();
    for (std::size_t i = 0; i < 20; ++i) runtime.submit(counting(all.emplace_back(50 + i)));
    BOOST_TEST_REQUIRE(runtime.wait() == "");
    BOOST_TEST_REQUIRE(std::ranges::all_of(all, &Counted::all_once));
  }
}

BOOST_AUTO_TEST_CASE(who_helps_stops_where_its_core_is_wanted_in_a_cluster) {
  TestRuntime runtime(clusters(2, "", true));
  BOOST_TEST_REQUIRE(soon([&] { return runtime->report().regroupings == 1; }));
  Held held;
  std::atomic<int> by_helper{0};
  // The worker that evaluates the number of pieces has begun the task. That worker waits in its first piece.
  WorkerId owner;
  const Codelet codelet = Codelet("long", {})
                              .pieces(
                                  [&](const KernelContext& context) {
                                    owner = context.worker;
                                    return 1000;
                                  },
                                  [&](std::size_t, const KernelContext& context) {
                                    if (held.released) return;
                                    if (context.worker == owner) return held.piece();
                                    ++by_helper;
                                    std::this_thread::sleep_for(1ms);
                                  });
  runtime.submit(codelet);
  BOOST_TEST_REQUIRE(soon([&] { return by_helper > 3; }));
  runtime->regroup("1x2").value_or_throw();
  // The helper ends its piece and must not take another one, because its core is to be regrouped.
  std::this_thread::sleep_for(20ms);
  const int then = by_helper;
  std::this_thread::sleep_for(20ms);
  BOOST_TEST(by_helper == then);
  held.released = true;
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST_REQUIRE(soon([&] { return runtime->report().regroupings == 2; }));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
