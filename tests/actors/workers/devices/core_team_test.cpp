#include "actors/workers/devices/core_team.hpp"

#include <algorithm>
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "platform/machine/binding.hpp"
#include "platform/machine/cycles.hpp"
#include "proto/random.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(core_team)

namespace {

namespace data = boost::unit_test::data;

CoreTeam::Options team_of(int members, Duration spin = std::chrono::microseconds(50)) {
  CoreTeam::Options options;
  options.helpers.resize(static_cast<std::size_t>(members) - 1);
  options.name = "team";
  options.spin = spin;
  return options;
}

/// The number of calls of each member: `{3, 3}` if both of two members were called three times.
using Counts = std::vector<int>;

BOOST_DATA_TEST_CASE(every_member_runs_the_body_once, data::make({1, 2, 4, 7}), members) {
  CoreTeam team(team_of(members));
  BOOST_TEST(team.size() == members);
  Counts ran(static_cast<std::size_t>(members));
  std::atomic<int> sizes{0};
  for (int round = 0; round < 100; ++round) {
    team.run([&](int rank, int size) {
      ++ran[static_cast<std::size_t>(rank)];
      sizes += size;
    });
  }
  BOOST_TEST(ran == Counts(static_cast<std::size_t>(members), 100), boost::test_tools::per_element());
  BOOST_TEST(sizes == 100 * members * members);
}

BOOST_AUTO_TEST_CASE(members_are_threads_of_their_own_and_the_master_is_who_calls) {
  CoreTeam team(team_of(3));
  std::vector<std::thread::id> threads(3);
  team.run([&](int rank, int) { threads[static_cast<std::size_t>(rank)] = std::this_thread::get_id(); });
  BOOST_TEST((threads[0] == std::this_thread::get_id()));
  std::ranges::sort(threads);
  BOOST_TEST((std::ranges::adjacent_find(threads) == threads.end()));
}

BOOST_DATA_TEST_CASE(for_each_does_all_once, data::make({1, 3}) * data::make({0, 1, 2, 1000}), members, count) {
  CoreTeam team(team_of(members));
  Counts done(static_cast<std::size_t>(count));
  team.for_each(done.size(), [&](std::size_t i) { ++done[i]; });
  BOOST_TEST(done == Counts(done.size(), 1), boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(nobody_passes_a_barrier_before_all_have_come, data::make({2, 3, 5}), members) {
  CoreTeam team(team_of(members));
  std::vector<std::atomic<int>> come(static_cast<std::size_t>(members));
  std::atomic<int> early{0};
  constexpr int kRounds = 100;
  team.run([&](int rank, int) {
    for (int round = 1; round <= kRounds; ++round) {
      come[static_cast<std::size_t>(rank)] = round;
      team.barrier();
      for (const std::atomic<int>& other : come) early += other < round ? 1 : 0;
    }
  });
  BOOST_TEST(early == 0);
  for (const std::atomic<int>& member : come) BOOST_TEST(member == kRounds);
}

BOOST_AUTO_TEST_CASE(who_throws_keeps_nobody_waiting_and_the_first_is_heard) {
  CoreTeam team(team_of(4));
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> passed{0};
    const auto body = [&](int rank, int) {
      if (rank == 1 || rank == 3) throw std::runtime_error("member " + std::to_string(rank));
      team.barrier();
      team.barrier();
      ++passed;
    };
    BOOST_CHECK_EXCEPTION(team.run(body), std::runtime_error,
                          [](const auto& error) { return std::string(error.what()) == "member 1"; });
    BOOST_TEST(passed == 2);
    // An error of one run must not appear in the next run of the team.
    Counts ran(4);
    team.run([&](int rank, int) { ++ran[static_cast<std::size_t>(rank)]; });
    BOOST_TEST(ran == Counts(4, 1), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_kernel_may_get_fewer_members) {
  CoreTeam team(team_of(4));
  Random random(7);
  Counts ran(4);
  Counts expected(4);
  for (int round = 0; round < 500; ++round) {
    const int members = 1 + static_cast<int>(random.next() % 4);
    team.limit(members);
    BOOST_TEST_REQUIRE(team.size() == members);
    for (int rank = 0; rank < members; ++rank) ++expected[static_cast<std::size_t>(rank)];
    team.run([&](int rank, int) {
      team.barrier();
      ++ran[static_cast<std::size_t>(rank)];
    });
  }
  BOOST_TEST(ran == expected, boost::test_tools::per_element());
  team.limit(100);
  BOOST_TEST(team.size() == 4);
  team.limit(0);
  BOOST_TEST(team.size() == 1);
}

constexpr Duration kSome = std::chrono::milliseconds(5);

/// Stands for computing of the duration `kSome`. A sleeping thread needs no core, so other programs hardly matter.
void compute() { std::this_thread::sleep_for(kSome); }

/// Returns the time that the team saves compared with one core, in units of `kSome`. On a busy machine members begin
/// late in some rounds, so the round that comes nearest to `expected` counts.
template <class Work>
double gains(CoreTeam& team, double expected, const Work& work) {
  double nearest = 1e9;
  for (int round = 0; round < 40 && std::abs(nearest - expected) > 0.1; ++round) {
    const std::int64_t before = team.gained_ticks();
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t begin_ticks = platform::rough_ticks();
    team.run(work);
    const double ticks_per_s =
        static_cast<double>(platform::rough_ticks() - begin_ticks) / seconds(std::chrono::steady_clock::now() - begin);
    const double gained = static_cast<double>(team.gained_ticks() - before) / (ticks_per_s * seconds(kSome));
    if (std::abs(gained - expected) < std::abs(nearest - expected)) nearest = gained;
  }
  return nearest;
}

BOOST_AUTO_TEST_CASE(what_helpers_compute_is_gained) {
  const auto tolerance = boost::test_tools::tolerance(0.2);
  CoreTeam three(team_of(3));
  BOOST_TEST(gains(three, 2, [](int, int) { compute(); }) == 2, tolerance);
  three.limit(2);
  BOOST_TEST(gains(three, 1, [](int, int) { compute(); }) == 1, tolerance);
  three.limit(1);
  BOOST_TEST(gains(three, 0, [](int, int) { compute(); }) == 0);
}

BOOST_AUTO_TEST_CASE(whoever_waits_for_others_does_not_compute) {
  CoreTeam team(team_of(3));
  // Only one helper computes. The master and the other helper have nothing to do.
  const auto one = [](int rank, int) {
    if (rank == 1) compute();
  };
  BOOST_TEST(std::abs(gains(team, 0, one)) < 0.2);
  // Only one helper computes. The two other members wait for it at a barrier.
  const auto barrier = [&](int rank, int) {
    if (rank == 1) compute();
    team.barrier();
  };
  BOOST_TEST(std::abs(gains(team, 0, barrier)) < 0.2);
  // Only the master computes. Both helpers wait for it at a barrier.
  const auto master = [&](int rank, int) {
    if (rank == 0) compute();
    team.barrier();
  };
  BOOST_TEST(std::abs(gains(team, 0, master)) < 0.2);
  // The three members compute one after the other, and then all three at once.
  const auto mixed = [&](int rank, int) {
    for (int turn = 0; turn < 3; ++turn) {
      if (rank == turn) compute();
      team.barrier();
    }
    compute();
  };
  BOOST_TEST(gains(team, 2, mixed) == 2, boost::test_tools::tolerance(0.2));
}

BOOST_AUTO_TEST_CASE(helpers_that_sleep_are_woken) {
  CoreTeam team(team_of(3, Duration::zero()));
  std::atomic<int> ran{0};
  for (int round = 0; round < 50; ++round) {
    if (round % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    team.run([&](int, int) { ++ran; });
  }
  BOOST_TEST(ran == 150);
}

BOOST_AUTO_TEST_CASE(helpers_run_where_they_are_told) {
  const auto here = platform::this_thread_binding();
  BOOST_TEST_REQUIRE(here.ok());
  CoreTeam::Options options = team_of(3);
  options.helpers = {{here.value().back()}, {}};
  CoreTeam team(std::move(options));
  std::vector<platform::CpuSet> bound(3);
  team.run([&](int rank, int) { bound[static_cast<std::size_t>(rank)] = platform::this_thread_binding().value(); });
  BOOST_TEST((bound[1] == platform::CpuSet{here.value().back()}));
  BOOST_TEST((bound[2] == here.value()));
}

BOOST_AUTO_TEST_CASE(teams_come_and_go) {
  for (int round = 0; round < 200; ++round) {
    CoreTeam team(team_of(3));
    if (round % 2 == 0) team.run([](int, int) {});
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
