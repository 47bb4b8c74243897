// Tests of runtimes whose workers are teams of cores. A team that is busy, cancelled, killed or failing behaves like a
// single core.
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/actors/runtime_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(teams)

namespace {

using tests::contains;
using tests::TestRuntime;
namespace data = boost::unit_test::data;

/// Returns options for teams of two pretended cores. The threads may run on any real core.
RuntimeOptions teams_of_two(int teams, const std::string& policy = "lws") {
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:1 core:" + std::to_string(2 * teams) + " pu:1";
  options.clusters = std::to_string(teams) + "x2";
  options.policy = policy;
  return options;
}

void wait_for(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

/// A kernel in which all members of the team wait until the test sets `released`.
struct Held {
  std::atomic<int> inside{0};
  std::atomic<bool> released{false};
  std::atomic<int> ran{0};

  Codelet codelet() {
    return Codelet("held", {}).cpu_team([this](const KernelContext& context) {
      context.team().run([this](int, int) {
        ++inside;
        wait_for(released);
      });
      ++ran;
    });
  }
  /// Waits until a team of two is inside the kernel.
  void wait_until_computing() const {
    while (inside < 2) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
};

BOOST_DATA_TEST_CASE(a_steal_does_not_wait_for_the_victims_team, data::make(std::vector<std::string>{"lws", "ws"}),
                     policy) {
  for (int repetition = 0; repetition < 5; ++repetition) {
    TestRuntime runtime(teams_of_two(2, policy));
    std::atomic<bool> all_ran{false};
    std::atomic<int> ran{0};
    std::atomic<int> at_the_victim{0};
    std::atomic<int> members{0};
    WorkerId victim;
    const Codelet small = Codelet("small", {}).cpu([&](const KernelContext& context) {
      if (context.worker == victim) ++at_the_victim;
      if (++ran == 4) all_ran = true;
    });
    const Codelet large = Codelet("large", {}).cpu_team([&](const KernelContext& context) {
      victim = context.worker;
      for (int i = 0; i < 4; ++i) runtime.submit(small);
      context.team().run([&](int, int) {
        ++members;
        // This call never returns if the thief has to wait for this kernel.
        wait_for(all_ran);
      });
    });
    runtime.submit(large);
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(members == 2);
    BOOST_TEST(at_the_victim == 0);
  }
}

BOOST_AUTO_TEST_CASE(what_is_cancelled_behind_a_busy_team_never_runs) {
  TestRuntime runtime(teams_of_two(1));
  Held held;
  const Codelet codelet = held.codelet();
  std::atomic<int> ran{0};
  const Codelet count = Codelet("count", {}).cpu_team([&](const KernelContext&) { ++ran; });
  const Future busy = runtime.submit(codelet);
  held.wait_until_computing();
  const Future queued = runtime.submit(count);
  const Future kept = runtime.submit(count);
  queued.cancel();
  held.released = true;
  (void)runtime.wait();
  BOOST_TEST((busy.status() == TaskStatus::succeeded));
  BOOST_TEST((queued.status() == TaskStatus::cancelled));
  BOOST_TEST((kept.status() == TaskStatus::succeeded));
  BOOST_TEST(ran == 1);
}

BOOST_AUTO_TEST_CASE(a_team_that_computes_ends_its_task_though_it_is_cancelled) {
  TestRuntime runtime(teams_of_two(1));
  Held held;
  const Codelet codelet = held.codelet();
  const Future busy = runtime.submit(codelet);
  held.wait_until_computing();
  busy.cancel();
  BOOST_TEST((busy.status() == TaskStatus::pending));
  const Future next = runtime.submit(codelet, {}, {.after = {busy}});
  held.released = true;
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST((busy.status() == TaskStatus::succeeded));
  BOOST_TEST((next.status() == TaskStatus::succeeded));
  BOOST_TEST(held.ran == 2);
  BOOST_TEST(held.inside == 4);
}

/// Returns the number of this process's threads that are helpers of teams.
int helper_threads() {
  int count = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    count += name.starts_with("team ") ? 1 : 0;
  }
  return count;
}

/// Waits until the number of helper threads is `expected`. A team's master ends the helpers, sometimes only after the
/// next team has begun. Returns false after two seconds.
bool has_helper_threads(int expected) {
  for (int i = 0; i < 2000 && helper_threads() != expected; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return helper_threads() == expected;
}

BOOST_AUTO_TEST_CASE(a_cluster_whose_masters_actor_dies_goes_on_with_new_helpers) {
  TestRuntime runtime(teams_of_two(1));
  std::atomic<int> members{0};
  std::atomic<int> small_teams{0};
  const Codelet work = Codelet("work", {}).cpu_team([&](const KernelContext& context) {
    if (context.team().size() != 2) ++small_teams;
    context.team().run([&](int, int) { ++members; });
  });
  const Codelet suicidal = Codelet("suicidal", {}).cpu_team([&](const KernelContext& context) {
    context.team().run([&](int rank, int) {
      if (rank == 1) runtime->kill_worker(context.worker);
      ++members;
    });
  });
  std::set<std::thread::id> helpers;
  const Codelet look = Codelet("look", {}).cpu_team([&](const KernelContext& context) {
    context.team().run([&](int rank, int) {
      if (rank == 1) helpers.insert(std::this_thread::get_id());
    });
  });
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    // In every second round the worker is killed while it sleeps. In every round it is killed while its team computes.
    if (round % 2 == 0) runtime->kill_worker(WorkerId(0));
    runtime.submit(work);
    runtime.submit(suicidal);
    runtime.submit(work);
    BOOST_TEST_REQUIRE(runtime.wait() == "");
  }
  BOOST_TEST(members == 2 * 3 * kRounds);
  BOOST_TEST(small_teams == 0);
  runtime.submit(look);
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(helpers.size() == 1U);
  BOOST_TEST(has_helper_threads(1));
}

/// Returns the number of times that `part` occurs in `text`.
int count_of(const std::string& part, const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

BOOST_AUTO_TEST_CASE(two_members_that_fail_at_once_fail_their_task_once) {
  TestRuntime runtime(teams_of_two(2));
  int value = 0;
  const Handle handle = runtime.scalar(value);
  std::atomic<int> told{0};
  std::atomic<int> ran{0};
  const Codelet broken = Codelet("broken", {AccessMode::write}).cpu_team([&](const KernelContext& context) {
    std::atomic<int> come{0};
    context.team().run([&](int rank, int size) {
      ++come;
      while (come < size) std::this_thread::yield();
      throw std::runtime_error("member " + std::to_string(rank) + " gave up");
    });
  });
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([&](const int&) { ++ran; });
  const Codelet mend = Codelet("mend", {AccessMode::write}).cpu_team([&](const KernelContext& context) {
    context.team().run([&](int, int) { ++ran; });
  });
  for (int round = 0; round < 20; ++round) {
    told = ran = 0;
    runtime.submit(broken, {handle}, {.callback = [&](const TaskOutcome&) { ++told; }});
    runtime.submit(look, {handle});
    const std::string message = runtime.wait();
    BOOST_TEST(count_of("gave up", message) == 1, message);
    BOOST_TEST(contains(message, "member 0 gave up"), message);
    BOOST_TEST(told == 1);
    BOOST_TEST(ran == 0);
    // After the failure the next task again gets a team of two.
    runtime.submit(mend, {handle});
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(ran == 2);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
