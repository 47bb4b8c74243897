#include "actors/workers/shares.hpp"

#include <array>
#include <boost/test/unit_test.hpp>

#include "tests/support/loose_tasks.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(shares)

namespace {

using graph::TaskList;
using tests::LooseTasks;

constexpr std::int64_t kMillisecond = 1'000'000;

struct Fixture {
  void wait_for_turn(Share& share, graph::Task* task) {
    TaskList one;
    one.push_back(task);
    shares.activated(share, 1);
    shares.push(share, one);
  }
  /// Runs one turn, each task of which takes so long; returns whose it was.
  const Share* run(std::int64_t took_ns, std::size_t* tasks = nullptr) {
    Shares::Turn turn = shares.take();
    if (tasks != nullptr) *tasks = turn.tasks.size();
    std::int64_t charged = turn.charged_ns;
    while (!turn.tasks.empty()) {
      turn.tasks.pop_front();
      shares.settle(*turn.share, charged, took_ns);
      shares.left(*turn.share);
      charged = 0;
    }
    return turn.share;
  }
  Shares shares;
  LooseTasks tasks{4000};
};

}  // namespace

BOOST_AUTO_TEST_CASE(one_client_alone_is_not_contended_and_two_with_work_are) {
  Fixture f;
  Share& a = f.shares.open(1);
  Share& b = f.shares.open(1);
  f.shares.activated(a, 5);
  BOOST_TEST(!f.shares.contended());
  const std::uint64_t before = f.shares.contentions();
  f.shares.activated(b, 1);
  BOOST_TEST(f.shares.contended());
  BOOST_TEST(f.shares.contentions() != before);
  f.shares.left(b);
  BOOST_TEST(!f.shares.contended());
  for (int i = 0; i < 5; ++i) f.shares.left(a);
  BOOST_TEST(f.shares.in_service() == 0);
}

BOOST_AUTO_TEST_CASE(clients_get_time_in_proportion_to_their_weights) {
  Fixture f;
  std::array<Share*, 3> shares{&f.shares.open(1), &f.shares.open(2), &f.shares.open(5)};
  // The tasks of the first take longest: time counts, not tasks.
  const std::array<std::int64_t, 3> took{4 * kMillisecond, kMillisecond, kMillisecond};
  std::size_t next = 0;
  for (Share* share : shares) {
    for (int i = 0; i < 1300; ++i) f.wait_for_turn(*share, f.tasks(next++));
  }
  std::int64_t total = 0;
  while (total < 800 * kMillisecond) {
    Shares::Turn turn = f.shares.take();
    const auto who = static_cast<std::size_t>(std::find(shares.begin(), shares.end(), turn.share) - shares.begin());
    BOOST_TEST_REQUIRE(who < 3U);
    turn.tasks.pop_front();
    BOOST_TEST(turn.tasks.empty());
    f.shares.settle(*turn.share, turn.charged_ns, took[who]);
    f.shares.left(*turn.share);
    total += took[who];
  }
  const auto part = [&](std::size_t i) {
    return static_cast<double>(shares[i]->used_ns.load()) / static_cast<double>(total);
  };
  BOOST_TEST(part(0) == 1. / 8, boost::test_tools::tolerance(0.1));
  BOOST_TEST(part(1) == 2. / 8, boost::test_tools::tolerance(0.05));
  BOOST_TEST(part(2) == 5. / 8, boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(a_client_that_comes_back_catches_up_on_a_little_and_no_more) {
  Fixture f;
  Share& steady = f.shares.open(1);
  Share& other = f.shares.open(1);
  std::size_t next = 0;
  // A third one that always has work, so that the first two are never alone.
  f.shares.activated(f.shares.open(1), 1);
  for (int i = 0; i < 1000; ++i) f.wait_for_turn(steady, f.tasks(next++));
  for (int i = 0; i < 500; ++i) BOOST_TEST(f.run(kMillisecond) == &steady);
  for (int i = 0; i < 1000; ++i) f.wait_for_turn(other, f.tasks(next++));
  std::size_t in_a_row = 0;
  while (f.run(kMillisecond) == &other) ++in_a_row;
  BOOST_TEST(in_a_row >= 45U);
  BOOST_TEST(in_a_row <= 55U);
}

BOOST_AUTO_TEST_CASE(several_short_tasks_are_given_out_at_once_and_long_ones_singly) {
  Fixture f;
  Share& a = f.shares.open(1);
  Share& b = f.shares.open(1);
  f.shares.activated(b, 1);
  std::size_t next = 0;
  for (int i = 0; i < 2000; ++i) f.wait_for_turn(a, f.tasks(next++));
  std::size_t tasks = 0;
  // Their time is not known: one, which takes a microsecond.
  (void)f.run(1000, &tasks);
  for (int i = 0; i < 20; ++i) (void)f.run(1000, &tasks);
  BOOST_TEST(tasks == 32U);
  for (int i = 0; i < 5; ++i) (void)f.run(10 * kMillisecond, &tasks);
  BOOST_TEST(tasks == 1U);
}

BOOST_AUTO_TEST_CASE(more_urgent_tasks_of_a_client_come_first) {
  Fixture f;
  Share& a = f.shares.open(1);
  f.wait_for_turn(a, f.tasks(0, 1));
  f.wait_for_turn(a, f.tasks(1, 3));
  f.wait_for_turn(a, f.tasks(2, 3));
  a.mean_ns = 1000;
  Shares::Turn turn = f.shares.take();
  BOOST_TEST_REQUIRE(turn.tasks.size() == 3U);
  BOOST_TEST(turn.tasks.pop_front() == f.tasks(1, 3));
  BOOST_TEST(turn.tasks.pop_front() == f.tasks(2, 3));
  BOOST_TEST(turn.tasks.pop_front() == f.tasks(0, 1));
  BOOST_TEST(f.shares.take().tasks.empty());
}

BOOST_AUTO_TEST_CASE(a_task_that_did_not_run_costs_its_client_nothing) {
  Fixture f;
  Share& a = f.shares.open(1);
  Share& b = f.shares.open(1);
  a.mean_ns = b.mean_ns = 10 * kMillisecond;
  f.shares.activated(b, 1);
  for (std::size_t i = 0; i < 100; ++i) {
    f.wait_for_turn(a, f.tasks(i));
    Shares::Turn turn = f.shares.take();
    BOOST_TEST(turn.charged_ns == 10 * kMillisecond);
    f.shares.settle(a, turn.charged_ns, 0);
    f.shares.left(a);
  }
  BOOST_TEST(a.used_ns == 0);
  BOOST_TEST(a.virtual_ns == b.virtual_ns);
}

BOOST_AUTO_TEST_CASE(who_helps_with_a_task_charges_its_client) {
  Fixture f;
  Share& a = f.shares.open(1);
  Share& b = f.shares.open(2);
  f.shares.activated(a, 1);
  f.shares.charge(a, Duration(5 * kMillisecond));
  BOOST_TEST(a.used_ns == 5 * kMillisecond);
  // Who is alone takes from nobody.
  BOOST_TEST(a.virtual_ns == b.virtual_ns);
  f.shares.activated(b, 1);
  const double before = b.virtual_ns;
  f.shares.charge(b, Duration(4 * kMillisecond));
  BOOST_TEST(b.used_ns == 4 * kMillisecond);
  BOOST_TEST(b.virtual_ns - before == 2.0 * kMillisecond);
  // What one task takes is not known from its parts.
  BOOST_TEST(b.mean_ns == 0);
}

BOOST_AUTO_TEST_CASE(a_closed_share_is_not_served_any_more) {
  Fixture f;
  Share& a = f.shares.open(1);
  Share& b = f.shares.open(1);
  f.shares.close(a);
  f.wait_for_turn(b, f.tasks(0));
  BOOST_TEST(f.run(1000) == &b);
  BOOST_TEST((f.run(1000) == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
