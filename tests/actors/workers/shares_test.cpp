#include "actors/workers/shares.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "tests/support/loose_tasks.hpp"
#include "troupe/codelet.hpp"

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
  /// Runs all tasks of one turn; each takes `took_ns`. Returns the share whose turn it was.
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

/// The time that `Shares` reads here. Tests advance it with `pass`.
std::chrono::steady_clock::time_point now_here{std::chrono::hours(1)};
std::chrono::steady_clock::time_point tell_now() { return now_here; }
void pass(Duration time) { now_here += std::chrono::duration_cast<std::chrono::steady_clock::duration>(time); }

/// Two or more workers that take turns, user A with small tasks, and user B with large tasks.
struct TwoUsers {
  explicit TwoUsers(std::size_t workers = 2) : shares(workers, nullptr, &tell_now) {
    for (std::uint32_t i = 0; i < workers; ++i) shares.begin(WorkerId(i), 1);
  }
  void wait_for_turn(Share& share, const Codelet& codelet, int priority = 0) {
    graph::Task* const task = tasks(used++, priority);
    task->codelet = &codelet.definition();
    TaskList one;
    one.push_back(task);
    shares.activated(share, 1);
    shares.push(share, one);
  }
  /// Lets the worker take and begin a task from a turn. Returns null if no task may begin.
  graph::Task* begin(std::uint32_t worker) {
    graph::Task* const one = shares.take_turn(WorkerId(worker), own);
    if (one == nullptr) return nullptr;
    shares.taken(WorkerId(worker), *one);
    shares.started(WorkerId(worker), *one);
    return one;
  }
  /// Lets worker 0 take a turn and calls `what` with each task of the turn. Fails if there is no task.
  template <class What>
  void take_turn(const What& what) {
    graph::Task* const first = shares.take_turn(WorkerId(0), own);
    BOOST_TEST_REQUIRE(first != nullptr);
    for (graph::Task* task = first; task != nullptr; task = own.pop_oldest()) {
      shares.taken(WorkerId(0), *task);
      what(*task);
    }
  }
  void end(std::uint32_t worker, graph::Task* one) { shares.left(shares.released(WorkerId(worker), *one)); }

  Shares shares;
  TaskDeque own;
  LooseTasks tasks{4000};
  std::size_t used = 0;
  const Codelet small{"small", {}};
  const Codelet large{"large", {}};
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
  // Tasks of the first share take four times as long. Each share gets an equal part of the time, not of the tasks.
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
  // A third share has work all the time, so the first two shares are never alone.
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
  // The time of the tasks is unknown at first, so the first turn has a single task. It takes a microsecond.
  (void)f.run(1000, &tasks);
  for (int i = 0; i < 20; ++i) (void)f.run(1000, &tasks);
  BOOST_TEST(tasks == 50U);
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
  // A share that is alone takes no time from another share, so its virtual time does not advance.
  BOOST_TEST(a.virtual_ns == b.virtual_ns);
  f.shares.activated(b, 1);
  const double before = b.virtual_ns;
  f.shares.charge(b, Duration(4 * kMillisecond));
  BOOST_TEST(b.used_ns == 4 * kMillisecond);
  BOOST_TEST(b.virtual_ns - before == 2.0 * kMillisecond);
  // Only times of whole tasks enter the mean, not this charge for a part of a task.
  BOOST_TEST(b.mean_ns == 0);
}

BOOST_AUTO_TEST_CASE(users_have_equal_shares_however_many_programs_they_have) {
  Fixture f;
  constexpr std::uint64_t kA = 1000;
  constexpr std::uint64_t kB = 1001;
  const Share& one = f.shares.open(1, kA);
  std::vector<Share*> shares{&const_cast<Share&>(one)};
  for (int i = 0; i < 8; ++i) shares.push_back(&f.shares.open(1, kB));
  std::size_t next = 0;
  for (Share* share : shares) {
    for (int i = 0; i < 400; ++i) f.wait_for_turn(*share, f.tasks(next++));
  }
  for (int i = 0; i < 600; ++i) (void)f.run(kMillisecond);
  BOOST_TEST(static_cast<double>(one.used_ns) == 300.0 * kMillisecond, boost::test_tools::tolerance(0.03));
  // The programs of one user divide that user's share equally.
  for (std::size_t i = 1; i < shares.size(); ++i) {
    BOOST_TEST(static_cast<double>(shares[i]->used_ns) == 300.0 / 8 * kMillisecond, boost::test_tools::tolerance(0.1));
    BOOST_TEST(f.shares.weight_among_all(*shares[i]) == 1.0 / 8);
  }
}

BOOST_AUTO_TEST_CASE(a_user_who_connects_again_has_not_had_less) {
  Fixture f;
  constexpr std::uint64_t kA = 1000;
  constexpr std::uint64_t kB = 1001;
  Share& a = f.shares.open(1, kA);
  std::size_t next = 0;
  for (int i = 0; i < 1000; ++i) f.wait_for_turn(a, f.tasks(next++));
  for (int round = 0; round < 10; ++round) {
    Share& b = f.shares.open(1, kB);
    for (int i = 0; i < 20; ++i) f.wait_for_turn(b, f.tasks(next++));
    while (b.active > 0) (void)f.run(kMillisecond);
    f.shares.close(b);
  }
  // B's ten programs together have used 200 ms. A has used as much, except for the credit of one turn.
  BOOST_TEST(a.used_ns >= 140 * kMillisecond);
}

BOOST_AUTO_TEST_CASE(kernels_that_are_long_on_any_core_tell_their_speed) {
  TwoUsers f;
  Share& a = f.shares.open(1, 1);
  const auto run = [&](const char* name, double flops, Duration time) {
    Codelet codelet(name, {});
    codelet.flops([flops](const KernelContext&) { return flops; });
    f.wait_for_turn(a, codelet);
    graph::Task* const one = f.begin(0);
    pass(time);
    f.end(0, one);
    return f.shares.best_speed(name);
  };
  using std::chrono::milliseconds;
  BOOST_TEST(run("product", 2e9, milliseconds(100)) == 2e10, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(run("product", 2e9, milliseconds(200)) == 2e10, boost::test_tools::tolerance(1e-9));
  // A small kernel that was interrupted for a long time does not count as slow.
  BOOST_TEST(run("small product", 2e6, milliseconds(100)) == 0);
}

BOOST_AUTO_TEST_CASE(a_worker_stays_free_of_long_kernels_for_who_had_work_lately) {
  TwoUsers f;
  Share& a = f.shares.open(1, 1000);
  Share& b = f.shares.open(1, 1001);
  f.wait_for_turn(a, f.small);
  f.end(0, f.begin(0));
  for (int i = 0; i < 8; ++i) f.wait_for_turn(b, f.large);
  // These tasks begin before anybody knows that their kernel is slow.
  std::array<graph::Task*, 2> running{f.begin(0), f.begin(1)};
  BOOST_TEST_REQUIRE((running[0] != nullptr && running[1] != nullptr));
  pass(std::chrono::milliseconds(20));
  f.end(0, running[0]);
  BOOST_TEST(f.shares.guarded());
  BOOST_TEST(f.shares.contended());
  // The other task still runs and is known to be long. But tasks that were pushed earlier are not marked as long, so
  // the test first runs all of these tasks. Tasks that are pushed from now on are marked.
  running[0] = f.begin(0);
  f.end(1, running[1]);
  if (running[0] != nullptr) f.end(0, running[0]);
  while (graph::Task* const one = f.begin(0)) {
    pass(std::chrono::milliseconds(20));
    f.end(0, one);
  }
  for (int i = 0; i < 4; ++i) f.wait_for_turn(b, f.large);
  BOOST_TEST(b.long_waiting.size() == 4U);
  running[0] = f.begin(0);
  BOOST_TEST(running[0] != nullptr);
  BOOST_TEST(f.begin(1) == nullptr);
  // Tasks that may not begin yet do not keep a worker awake.
  BOOST_TEST(f.shares.waiting() == 3U);
  BOOST_TEST(!f.shares.turns_wait());
  f.wait_for_turn(a, f.small);
  BOOST_TEST(f.shares.turns_wait());
  running[1] = f.begin(1);
  BOOST_TEST_REQUIRE(running[1] != nullptr);
  BOOST_TEST(running[1]->codelet->name == "small");
  f.end(1, running[1]);
  BOOST_TEST(f.begin(1) == nullptr);
  pass(std::chrono::milliseconds(20));
  f.end(0, running[0]);
  BOOST_TEST(f.shares.turns_wait());
  running[0] = f.begin(0);
  BOOST_TEST(running[0] != nullptr);
  // User A has had no work for a long time, so B may use both workers.
  pass(std::chrono::seconds(6));
  f.end(0, running[0]);
  BOOST_TEST(!f.shares.guarded());
  running = {f.begin(0), f.begin(1)};
  BOOST_TEST((running[0] != nullptr && running[1] != nullptr));
  for (std::uint32_t i = 0; i < 2; ++i) f.end(i, running[i]);
}

BOOST_AUTO_TEST_CASE(two_users_of_long_kernels_use_all_workers_and_leave_one_to_a_third) {
  TwoUsers f(3);
  std::array<Share*, 2> b{&f.shares.open(1, 1001), &f.shares.open(1, 1002)};
  for (Share* share : b) {
    f.wait_for_turn(*share, f.large);
    graph::Task* const one = f.begin(0);
    pass(std::chrono::milliseconds(20));
    f.end(0, one);
  }
  for (int i = 0; i < 5; ++i) {
    for (Share* share : b) f.wait_for_turn(*share, f.large);
  }
  BOOST_TEST((f.begin(0) != nullptr && f.begin(1) != nullptr && f.begin(2) != nullptr));
  for (std::uint32_t i = 0; i < 3; ++i) f.shares.begin(WorkerId(i), 1);
  // A third user comes, whose task takes the free worker. For a while after that, one worker stays free of long tasks.
  Share& a = f.shares.open(1, 1000);
  f.wait_for_turn(a, f.small);
  while (a.active > 0) {
    graph::Task* const one = f.begin(0);
    BOOST_TEST_REQUIRE(one != nullptr);
    f.end(0, one);
  }
  BOOST_TEST((f.begin(0) != nullptr && f.begin(1) != nullptr));
  BOOST_TEST(f.begin(2) == nullptr);
}

BOOST_AUTO_TEST_CASE(who_wants_more_keeps_a_share_of_the_workers_free_of_long_kernels) {
  TwoUsers f(8);
  Share& a = f.shares.open(1, 1000);
  Share& b = f.shares.open(1, 1001);
  f.wait_for_turn(b, f.large);
  graph::Task* const first = f.begin(0);
  pass(std::chrono::milliseconds(20));
  f.end(0, first);
  for (int i = 0; i < 40; ++i) {
    f.wait_for_turn(a, f.small);
    f.wait_for_turn(b, f.large);
  }
  // The small tasks end at once, so their workers become free again and again. The large tasks go on.
  std::size_t large = 0;
  const auto take_all = [&] {
    for (std::uint32_t worker = 0; worker < 8; ++worker) {
      graph::Task* one = nullptr;
      while ((one = f.begin(worker)) != nullptr && one->codelet->name == "small") f.end(worker, one);
      if (one == nullptr) return worker;
      ++large;
    }
    return 8U;
  };
  const std::uint32_t free = take_all();
  BOOST_TEST(large == 4U);
  BOOST_TEST(a.active == 0);
  // User A has not needed more than one worker for a while, so only one worker is kept free of long tasks.
  pass(std::chrono::seconds(2));
  f.wait_for_turn(a, f.small);
  f.end(free, f.begin(free));
  for (std::uint32_t worker = free; f.begin(worker) != nullptr; ++worker) ++large;
  BOOST_TEST(large == 7U);
}

BOOST_AUTO_TEST_CASE(a_running_kernel_is_charged_and_shown_while_it_runs) {
  TwoUsers f;
  Share& a = f.shares.open(1, 1000);
  Share& b = f.shares.open(1, 1001);
  for (int i = 0; i < 50; ++i) {
    f.wait_for_turn(a, f.small);
    f.wait_for_turn(b, f.small);
  }
  f.wait_for_turn(b, f.large, 1);
  graph::Task* running = nullptr;
  while ((running = f.begin(0)) != nullptr && running->codelet->name != "large") {
    pass(std::chrono::milliseconds(1));
    f.end(0, running);
  }
  BOOST_TEST_REQUIRE(running != nullptr);
  const Duration before = f.shares.used(b);
  pass(std::chrono::milliseconds(100));
  BOOST_TEST((f.shares.used(b) - before == std::chrono::milliseconds(100)));
  BOOST_TEST(b.used_ns == before.count());
  // While this task of B runs, B gets no other worker.
  const std::int64_t of_b = b.active;
  while (a.active > 0) {
    graph::Task* const one = f.begin(1);
    BOOST_TEST_REQUIRE(one != nullptr);
    pass(std::chrono::milliseconds(1));
    f.end(1, one);
  }
  BOOST_TEST(b.active == of_b);
  f.end(0, running);
  BOOST_TEST(b.used_ns > before.count() + 100 * kMillisecond);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_waits_is_not_charged_meanwhile) {
  TwoUsers f;
  Share& a = f.shares.open(1, 1000);
  Share& b = f.shares.open(1, 1001);
  for (int i = 0; i < 50; ++i) f.wait_for_turn(a, f.small);
  f.wait_for_turn(b, f.large);
  graph::Task* waiting = nullptr;
  while ((waiting = f.begin(0)) != nullptr && waiting->codelet->name != "large") {
    pass(std::chrono::milliseconds(1));
    f.end(0, waiting);
  }
  BOOST_TEST_REQUIRE(waiting != nullptr);
  const Duration before = f.shares.used(b);
  pass(std::chrono::milliseconds(10));
  f.shares.suspended(WorkerId(0), *waiting);
  pass(std::chrono::milliseconds(500));
  BOOST_TEST((f.shares.used(b) - before == std::chrono::milliseconds(10)));
  f.shares.resumed(WorkerId(0), *waiting);
  pass(std::chrono::milliseconds(20));
  BOOST_TEST((f.shares.used(b) - before == std::chrono::milliseconds(30)));
  f.end(0, waiting);
  BOOST_TEST(b.used_ns >= before.count() + 30 * kMillisecond);
  BOOST_TEST(b.used_ns < before.count() + 40 * kMillisecond);
}

BOOST_AUTO_TEST_CASE(who_is_alone_is_not_charged_for_what_ran_before_others_came) {
  TwoUsers f;
  Share& a = f.shares.open(1, 1000);
  Share& b = f.shares.open(1, 1001);
  f.wait_for_turn(b, f.large);
  graph::Task* const running = f.begin(0);
  pass(std::chrono::milliseconds(500));
  f.wait_for_turn(a, f.small);
  f.wait_for_turn(b, f.small);
  pass(std::chrono::milliseconds(2));
  const double before = b.user.virtual_ns;
  f.end(0, running);
  BOOST_TEST(b.user.virtual_ns - before < 3.0 * kMillisecond);
  BOOST_TEST(b.used_ns == 502 * kMillisecond);
}

BOOST_AUTO_TEST_CASE(tasks_that_only_some_workers_can_run_are_not_served_before_other_users) {
  Fixture f;
  // Tasks without a graph belong to the runtime's own share, which counts as a user of its own here.
  Share& own = f.shares.of(*f.tasks(0));
  Share& other = f.shares.open(1);
  f.shares.activated(own, 1);
  BOOST_TEST(f.shares.comes_first(*f.tasks(0)));
  f.wait_for_turn(other, f.tasks(1));
  BOOST_TEST(f.shares.comes_first(*f.tasks(0)));
  f.shares.charge(own, Duration(kMillisecond));
  BOOST_TEST(!f.shares.comes_first(*f.tasks(0)));
  f.shares.charge(other, Duration(2 * kMillisecond));
  BOOST_TEST(f.shares.comes_first(*f.tasks(0)));
}

BOOST_AUTO_TEST_CASE(tasks_that_were_cancelled_use_up_turns_too) {
  TwoUsers f;
  Share& b = f.shares.open(1, 1001);
  Share& a = f.shares.open(1, 1000);
  for (int i = 0; i < 1000; ++i) f.wait_for_turn(b, f.small);
  for (int i = 0; i < 100; ++i) f.wait_for_turn(a, f.small);
  // All tasks of both users have been cancelled, so they never begin.
  while (a.active > 0) {
    f.take_turn([&](const graph::Task& task) { f.shares.left(f.shares.released(WorkerId(0), task)); });
  }
  BOOST_TEST(b.active > 0);
}

BOOST_AUTO_TEST_CASE(a_client_is_charged_for_what_its_tasks_cost_a_worker_besides_kernels) {
  TwoUsers f;
  Share& a = f.shares.open(1, 1000);
  Share& b = f.shares.open(1, 1001);
  for (int i = 0; i < 400; ++i) f.wait_for_turn(a, f.small);
  for (int i = 0; i < 1000; ++i) f.wait_for_turn(b, f.large);
  // The kernels of A take 100 us. Those of B take no time, but 50 us pass before each kernel and 50 us after it.
  constexpr std::chrono::microseconds kTime{50};
  while (a.active > 100) {
    f.take_turn([&](const graph::Task& task) {
      const bool of_a = task.codelet->name == "small";
      if (!of_a) pass(kTime);
      f.shares.started(WorkerId(0), task);
      if (of_a) pass(2 * kTime);
      Share& share = f.shares.released(WorkerId(0), task);
      if (!of_a) pass(kTime);
      f.shares.followed_up(WorkerId(0), share);
      f.shares.left(share);
    });
  }
  BOOST_TEST(1000 - b.active >= 290);
  BOOST_TEST(1000 - b.active <= 310);
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
