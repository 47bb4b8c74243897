#include "actors/scheduler/scheduler_core.hpp"

#include <boost/test/unit_test.hpp>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>

#include "troupe/codelet.hpp"

namespace troupe::scheduler {

namespace scheduler_core {

/// Places every task on the worker with the fewest queued tasks, and records the tasks about which it was asked.
class Shortest final : public PlacingPolicy {
 public:
  Shortest(bool in_rounds, std::vector<std::string>& asked) : in_rounds_(in_rounds), asked_(asked) {}

  [[nodiscard]] PolicyTraits policy_traits() const override { return {.in_rounds = in_rounds_}; }
  void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random&,
             std::span<WorkerId> placement) override {
    std::string words;
    std::vector<std::size_t> queued;
    for (const WorkerState& worker : snapshot.workers) queued.push_back(worker.queued);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      words += (i == 0 ? "" : " ") + std::to_string(tasks[i].id.value());
      std::size_t best = 0;
      for (std::size_t w = 1; w < queued.size(); ++w) best = queued[w] < queued[best] ? w : best;
      ++queued[best];
      placement[i] = snapshot.workers[best].id;
    }
    asked_.push_back(words);
  }

 private:
  bool in_rounds_;
  std::vector<std::string>& asked_;
};

using Words = std::vector<std::string>;
using Kind = graph::TaskEvent::Kind;
const auto kPerElement = boost::test_tools::per_element();
constexpr TimeStamp kNow = std::chrono::seconds(1);

struct Fixture {
  SchedulerCore core(bool in_rounds, std::size_t workers = 2) {
    return {std::make_unique<Shortest>(in_rounds, asked), std::vector<DeviceKind>(workers, DeviceKind::cpu_core), 1};
  }
  /// Returns a scheduler core with three tasks on worker 0 and one on worker 1 that have not started.
  SchedulerCore loaded_core(bool in_rounds) {
    SchedulerCore scheduler = core(in_rounds);
    (void)scheduler.abandon(tasks({100, 101, 102, 103, 104, 105}), "loads it", kNow);
    scheduler.happened({.kind = Kind::started, .worker = WorkerId(1), .task = TaskId(101), .at = kNow});
    scheduler.happened({.kind = Kind::started, .worker = WorkerId(1), .task = TaskId(103), .at = kNow});
    return scheduler;
  }
  std::uint64_t next = 0;
  std::vector<ReadyTask> tasks(const std::vector<std::uint64_t>& ids) const {
    std::vector<ReadyTask> result;
    for (const std::uint64_t id : ids) result.push_back({TaskId(id), &codelet.definition(), 0});
    return result;
  }
  static Words in_words(const SchedulerCore::Decision& decision) {
    Words words;
    for (const auto& placed : decision.placed) {
      words.push_back(std::to_string(placed.task.value()) + " on " + std::to_string(placed.worker.value()));
    }
    if (decision.ask_to_decide) words.emplace_back("ask");
    return words;
  }

  const Codelet codelet = Codelet("empty", {}).cpu([](const KernelContext&) {});
  Words asked;
};

}  // namespace scheduler_core

BOOST_FIXTURE_TEST_SUITE(scheduler_core, Fixture)

BOOST_AUTO_TEST_CASE(per_completion_it_decides_at_once_in_the_order_of_the_tasks) {
  SchedulerCore scheduler = loaded_core(false);
  BOOST_TEST(
      in_words(scheduler.activated(tasks({5, 3, 8, 4}), kNow)) == (Words{"5 on 1", "3 on 1", "8 on 0", "4 on 1"}),
      kPerElement);
  BOOST_TEST(asked == (Words{"5 3 8 4"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(nothing_activated_is_nothing_to_decide) {
  SchedulerCore scheduler = core(false);
  BOOST_TEST(in_words(scheduler.activated({}, kNow)).empty());
  SchedulerCore rounds = core(true);
  BOOST_TEST(in_words(rounds.activated({}, kNow)).empty());
  BOOST_TEST(in_words(rounds.decide(kNow)).empty());
  BOOST_TEST(asked.empty());
}

BOOST_AUTO_TEST_CASE(in_rounds_it_asks_once_and_decides_about_all_that_came_before) {
  SchedulerCore scheduler = loaded_core(true);
  BOOST_TEST(in_words(scheduler.activated(tasks({1, 2}), kNow)) == (Words{"ask"}), kPerElement);
  BOOST_TEST(in_words(scheduler.activated(tasks({3}), kNow)).empty());
  BOOST_TEST(asked.empty());
  BOOST_TEST(in_words(scheduler.decide(kNow)) == (Words{"1 on 1", "2 on 1", "3 on 0"}), kPerElement);
  BOOST_TEST(asked == (Words{"1 2 3"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(the_next_round_asks_again_and_does_not_decide_again_about_the_last) {
  SchedulerCore scheduler = core(true);
  (void)scheduler.activated(tasks({1}), kNow);
  (void)scheduler.decide(kNow);
  BOOST_TEST(in_words(scheduler.activated(tasks({2}), kNow)) == (Words{"ask"}), kPerElement);
  BOOST_TEST(in_words(scheduler.decide(kNow)) == (Words{"2 on 1"}), kPerElement);
  BOOST_TEST(in_words(scheduler.decide(kNow)).empty());
}

BOOST_AUTO_TEST_CASE(every_decision_sees_the_loads_as_they_are_then) {
  SchedulerCore scheduler = loaded_core(true);
  (void)scheduler.activated(tasks({1}), kNow);
  for (const std::uint64_t started : {100U, 102U, 104U})
    scheduler.happened({.kind = Kind::started, .worker = WorkerId(0), .task = TaskId(started), .at = kNow});
  BOOST_TEST(in_words(scheduler.decide(kNow)) == (Words{"1 on 0"}), kPerElement);
}

/// Throws, or places the first task on a worker that does not exist and the others on worker 0.
class Broken final : public PlacingPolicy {
 public:
  explicit Broken(bool throws) : throws_(throws) {}
  void place(std::span<const ReadyTask>, const Snapshot&, Random&, std::span<WorkerId> placement) override {
    for (std::size_t i = 0; i < placement.size(); ++i) placement[i] = WorkerId(i == 0 ? 7 : 0);
    if (throws_) throw std::runtime_error("division by zero");
  }

 private:
  bool throws_;
};

BOOST_AUTO_TEST_CASE(what_a_policy_that_throws_leaves_goes_to_the_least_loaded_workers) {
  SchedulerCore scheduler(std::make_unique<Broken>(true), {2, DeviceKind::cpu_core}, 1);
  const auto decision = scheduler.activated(tasks({5, 3, 8}), kNow);
  BOOST_TEST(in_words(decision) == (Words{"5 on 0", "3 on 1", "8 on 0"}), kPerElement);
  BOOST_TEST(decision.failure == "threw: division by zero (3 tasks were placed on the least loaded workers instead)");
}

BOOST_AUTO_TEST_CASE(a_worker_that_is_not_there_is_replaced_and_the_rest_is_as_the_policy_said) {
  SchedulerCore scheduler(std::make_unique<Broken>(false), {2, DeviceKind::cpu_core}, 1);
  const auto decision = scheduler.activated(tasks({5, 3}), kNow);
  BOOST_TEST(in_words(decision) == (Words{"5 on 0", "3 on 0"}), kPerElement);
  BOOST_TEST(decision.failure.find("named a worker that is not there") != std::string::npos);
  BOOST_TEST(decision.failure.find("1 task was placed") != std::string::npos);
}

/// Throws an exception in `policy_traits`.
class Nameless final : public PlacingPolicy {
 public:
  [[nodiscard]] PolicyTraits policy_traits() const override { throw 1; }
  void place(std::span<const ReadyTask>, const Snapshot&, Random&, std::span<WorkerId> placement) override {
    for (WorkerId& worker : placement) worker = WorkerId(1);
  }
};

BOOST_AUTO_TEST_CASE(a_policy_that_throws_when_asked_what_it_is_still_places) {
  SchedulerCore scheduler(std::make_unique<Nameless>(), {2, DeviceKind::cpu_core}, 1);
  BOOST_TEST(in_words(scheduler.activated(tasks({5}), kNow)) == (Words{"5 on 1"}), kPerElement);
}

// Tests of policies that keep tasks: they do not place a ready task at once, but later in `place_kept`.

/// Keeps every task until the test says in `go` that the task may start, and on which worker.
class Hoard final : public PlacingPolicy {
 public:
  explicit Hoard(std::map<std::uint64_t, std::uint32_t>& go) : go_(go) {}
  [[nodiscard]] PolicyTraits policy_traits() const override { return {.keeps = true}; }
  void place(std::span<const ReadyTask> tasks, const Snapshot&, Random&, std::span<WorkerId>) override {
    for (const ReadyTask& task : tasks) kept_.push_back(task.id);
  }
  void place_kept(const Snapshot&, Random&, std::vector<Placed>& placed) override {
    std::deque<TaskId> left;
    for (const TaskId task : kept_) {
      const auto found = go_.find(task.value());
      if (found == go_.end()) {
        left.push_back(task);
      } else {
        placed.push_back({task, WorkerId(found->second)});
      }
    }
    kept_ = left;
  }

 private:
  std::map<std::uint64_t, std::uint32_t>& go_;
  std::deque<TaskId> kept_;
};

struct Keeping : Fixture {
  std::map<std::uint64_t, std::uint32_t> go;
  SchedulerCore scheduler{std::make_unique<Hoard>(go), {2, DeviceKind::cpu_core}, 1};
};

BOOST_FIXTURE_TEST_CASE(kept_tasks_are_placed_when_others_have_ended, Keeping) {
  BOOST_TEST(scheduler.keeps());
  go = {{1, 0}};
  BOOST_TEST(in_words(scheduler.activated(tasks({1, 2, 3}), kNow)) == (Words{"1 on 0"}), kPerElement);
  BOOST_TEST(in_words(scheduler.ended(kNow)).empty());
  go = {{2, 1}, {3, 0}};
  const auto decision = scheduler.ended(kNow);
  BOOST_TEST(in_words(decision) == (Words{"2 on 1", "3 on 0"}), kPerElement);
  BOOST_TEST(decision.failure.empty());
  go = {};
  BOOST_TEST(in_words(scheduler.ended(kNow)).empty());
}

BOOST_FIXTURE_TEST_CASE(kept_tasks_are_asked_for_when_more_become_ready, Keeping) {
  go = {{1, 0}};
  (void)scheduler.activated(tasks({1, 2}), kNow);
  go = {{2, 1}, {3, 1}};
  BOOST_TEST(in_words(scheduler.activated(tasks({3}), kNow)) == (Words{"2 on 1", "3 on 1"}), kPerElement);
}

BOOST_FIXTURE_TEST_CASE(a_policy_that_keeps_tasks_while_no_worker_has_any_loses_them, Keeping) {
  const auto decision = scheduler.activated(tasks({3, 1}), kNow);
  BOOST_TEST(in_words(decision) == (Words{"1 on 0", "3 on 1"}), kPerElement);
  BOOST_TEST(decision.failure ==
             "keeps tasks while no worker has any (2 tasks were placed on the least loaded workers instead)");
}

BOOST_FIXTURE_TEST_CASE(the_last_end_is_when_a_starving_policy_is_found_out, Keeping) {
  go = {{1, 0}};
  BOOST_TEST(scheduler.activated(tasks({1, 2}), kNow).failure.empty());
  scheduler.happened({.kind = Kind::started, .worker = WorkerId(0), .task = TaskId(1), .at = kNow});
  BOOST_TEST(scheduler.ended(kNow).failure.empty());
  scheduler.happened({.kind = Kind::ended, .worker = WorkerId(0), .task = TaskId(1), .at = kNow, .took = Duration(5)});
  const auto decision = scheduler.ended(kNow);
  BOOST_TEST(in_words(decision) == (Words{"2 on 0"}), kPerElement);
  BOOST_TEST(!decision.failure.empty());
}

BOOST_FIXTURE_TEST_CASE(what_was_placed_without_the_policy_is_ignored_when_it_comes_to_place_it, Keeping) {
  (void)scheduler.activated(tasks({1, 2}), kNow);
  go = {{1, 1}, {2, 1}, {3, 1}};
  const auto decision = scheduler.activated(tasks({3}), kNow);
  BOOST_TEST(in_words(decision) == (Words{"3 on 1"}), kPerElement);
  BOOST_TEST(decision.failure.empty());
}

BOOST_FIXTURE_TEST_CASE(what_was_abandoned_is_ignored_when_the_policy_comes_to_place_it, Keeping) {
  go = {{1, 0}};
  (void)scheduler.activated(tasks({1, 2}), kNow);
  BOOST_TEST(in_words(scheduler.abandon(tasks({2}), "lost", kNow)) == (Words{"2 on 1"}), kPerElement);
  go = {{2, 1}, {3, 1}};
  const auto decision = scheduler.activated(tasks({3}), kNow);
  BOOST_TEST(in_words(decision) == (Words{"3 on 1"}), kPerElement);
  BOOST_TEST(decision.failure.empty());
}

BOOST_FIXTURE_TEST_CASE(what_was_abandoned_and_is_ready_again_goes_past_the_policy, Keeping) {
  go = {{1, 0}};
  (void)scheduler.activated(tasks({1, 2}), kNow);
  (void)scheduler.abandon(tasks({2}), "lost", kNow);
  BOOST_TEST(scheduler.taken_away(TaskId(2)));
  // Task 2 leaves worker 1, because it has to wait for a commute lock, and becomes ready once more.
  scheduler.happened({.kind = Kind::left, .worker = WorkerId(1), .task = TaskId(2), .at = kNow});
  BOOST_TEST(in_words(scheduler.activated(tasks({2}), kNow)) == (Words{"2 on 1"}), kPerElement);
  go = {{2, 0}, {3, 1}};
  const auto decision = scheduler.activated(tasks({3}), kNow);
  BOOST_TEST(in_words(decision) == (Words{"3 on 1"}), kPerElement);
  BOOST_TEST(decision.failure.empty());
}

BOOST_FIXTURE_TEST_CASE(a_kept_task_on_a_worker_that_is_not_there_is_a_failure, Keeping) {
  go = {{1, 9}};
  const auto decision = scheduler.activated(tasks({1}), kNow);
  BOOST_TEST(in_words(decision) == (Words{"1 on 0"}), kPerElement);
  BOOST_TEST(decision.failure ==
             "placed a kept task twice, or on a worker that is not there or cannot run it (1 task was placed on the "
             "least loaded workers instead)");
}

/// Places task 1 on a worker that does not exist and task 2 on worker 1, and keeps the others.
class HalfBroken final : public PlacingPolicy {
 public:
  [[nodiscard]] PolicyTraits policy_traits() const override { return {.keeps = true}; }
  void place(std::span<const ReadyTask> tasks, const Snapshot&, Random&, std::span<WorkerId> placement) override {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (tasks[i].id == TaskId(1)) placement[i] = WorkerId(7);
      if (tasks[i].id == TaskId(2)) placement[i] = WorkerId(1);
    }
  }
};

BOOST_AUTO_TEST_CASE(one_wrong_worker_does_not_take_kept_tasks_away) {
  SchedulerCore scheduler(std::make_unique<HalfBroken>(), {2, DeviceKind::cpu_core}, 1);
  const auto decision = scheduler.activated(tasks({1, 3, 2}), kNow);
  BOOST_TEST(in_words(decision) == (Words{"1 on 0", "2 on 1"}), kPerElement);
  BOOST_TEST(decision.failure.find("1 task was placed") != std::string::npos);
}

/// Places all tasks on the accelerator, worker 1. Tasks that have not begun may be taken back for the core, worker 0.
class TakesBack final : public PlacingPolicy {
 public:
  [[nodiscard]] PolicyTraits policy_traits() const override { return {.keeps = true, .takes_back = true}; }
  [[nodiscard]] WorkerId taker(const Snapshot&) const override { return WorkerId(0); }
  void place(std::span<const ReadyTask>, const Snapshot&, Random&, std::span<WorkerId> placement) override {
    for (WorkerId& worker : placement) worker = WorkerId(1);
  }
};

BOOST_AUTO_TEST_CASE(the_last_task_of_pieces_that_has_not_begun_is_taken_back) {
  SchedulerCore scheduler(std::make_unique<TakesBack>(), {DeviceKind::cpu_core, DeviceKind::cuda}, 1);
  const auto here = [](const KernelContext&) {};
  Codelet super("super", {});
  super.pieces([](const KernelContext&) { return 9; }, [](std::size_t, const KernelContext&) {});
  super.implement(DeviceKind::cuda, here);
  const Codelet plain = Codelet("plain", {}).cpu(here).implement(DeviceKind::cuda, here);
  const auto ready = [](const Codelet& codelet, std::uint64_t id) {
    return ReadyTask{TaskId(id), &codelet.definition(), 0};
  };
  const auto taken = [](const SchedulerCore::Decision& decision) {
    Words words;
    for (const Placed& one : decision.taken_back) {
      words.push_back(std::to_string(one.task.value()) + " from " + std::to_string(one.worker.value()));
    }
    return words;
  };
  // No task is taken back from an accelerator that has only one task.
  BOOST_TEST(taken(scheduler.activated(std::vector<ReadyTask>{ready(super, 0)}, kNow)).empty());
  scheduler.happened({.kind = Kind::ended, .worker = WorkerId(1), .task = TaskId(0), .at = kNow});
  BOOST_TEST(taken(scheduler.activated(std::vector<ReadyTask>{ready(plain, 1)}, kNow)).empty());
  const std::vector<ReadyTask> tasks{ready(super, 2), ready(super, 3), ready(plain, 4)};
  BOOST_TEST(taken(scheduler.activated(tasks, kNow)) == (Words{"3 from 1"}), kPerElement);
  // Only one task is taken back at a time.
  BOOST_TEST(taken(scheduler.ended(kNow)).empty());
  // Task 3 is back from the accelerator and goes to the core. Then the scheduler takes back the next task.
  scheduler.happened({.kind = Kind::left, .worker = WorkerId(1), .task = TaskId(3), .at = kNow});
  const auto decision = scheduler.activated(std::vector<ReadyTask>{tasks[1]}, kNow);
  BOOST_TEST(in_words(decision) == (Words{"3 on 0"}), kPerElement);
  BOOST_TEST(taken(decision) == (Words{"2 from 1"}), kPerElement);
  // Task 2 began before the accelerator received the request, and has ended. If it becomes ready again, it is not taken
  // back.
  scheduler.happened({.kind = Kind::started, .worker = WorkerId(1), .task = TaskId(2), .at = kNow});
  BOOST_TEST(taken(scheduler.ended(kNow)).empty());
  scheduler.happened({.kind = Kind::ended, .worker = WorkerId(1), .task = TaskId(2), .at = kNow});
  BOOST_TEST(in_words(scheduler.activated(std::vector<ReadyTask>{tasks[0]}, kNow)) == (Words{"2 on 1"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(who_helps_is_busy_and_what_nobody_can_join_is_not_open) {
  SchedulerCore scheduler = core(false, 3);
  const Codelet super =
      Codelet("super", {}).pieces([](const KernelContext&) { return 9; }, [](std::size_t, const KernelContext&) {});
  (void)scheduler.activated(std::vector<ReadyTask>{{TaskId(1), &super.definition(), 0}}, kNow);
  const auto look = [&](std::size_t worker) {
    // The scheduler updates the loads when it decides, so this function activates a task.
    (void)scheduler.activated(tasks({100 + next++}), kNow);
    return scheduler.workers()[worker];
  };
  BOOST_TEST(look(0).open == 1U);
  scheduler.happened({.kind = Kind::started, .worker = WorkerId(0), .task = TaskId(1), .at = kNow});
  BOOST_TEST(!look(1).busy);
  scheduler.happened({.kind = Kind::joined, .worker = WorkerId(1)});
  BOOST_TEST(look(1).busy);
  BOOST_TEST(look(0).busy);
  scheduler.happened({.kind = Kind::all_taken, .task = TaskId(1)});
  BOOST_TEST(look(0).open == 0U);
  // Worker 0 has no more pieces of the task to run and goes on with other tasks. Worker 1 still runs a piece.
  scheduler.happened({.kind = Kind::stopped, .worker = WorkerId(0), .task = TaskId(1), .at = kNow});
  BOOST_TEST(!look(0).busy);
  BOOST_TEST(look(1).busy);
  scheduler.happened({.kind = Kind::stopped, .worker = WorkerId(1), .task = TaskId(1), .at = kNow});
  BOOST_TEST(!look(1).busy);
  scheduler.happened({.kind = Kind::ended, .worker = WorkerId(0), .task = TaskId(1), .at = kNow});
  BOOST_TEST(look(0).open == 0U);
}

BOOST_AUTO_TEST_CASE(a_task_of_pieces_is_open_until_who_began_it_stops) {
  SchedulerCore scheduler = core(false, 2);
  const Codelet super =
      Codelet("super", {}).pieces([](const KernelContext&) { return 9; }, [](std::size_t, const KernelContext&) {});
  (void)scheduler.activated(std::vector<ReadyTask>{{TaskId(1), &super.definition(), 0}}, kNow);
  std::size_t next = 0;
  const auto is_open = [&] {
    (void)scheduler.activated(tasks({100 + next++}), kNow);
    return scheduler.workers()[0].open > 0;
  };
  scheduler.happened({.kind = Kind::started, .worker = WorkerId(0), .task = TaskId(1), .at = kNow});
  scheduler.happened({.kind = Kind::joined, .worker = WorkerId(1)});
  scheduler.happened({.kind = Kind::stopped, .worker = WorkerId(1), .task = TaskId(1), .at = kNow});
  // Worker 1 may have stopped before all pieces were taken, and worker 0 has not stopped yet, so other workers can
  // still join the task.
  BOOST_TEST(is_open());
  scheduler.happened({.kind = Kind::stopped, .worker = WorkerId(0), .task = TaskId(1), .at = kNow});
  BOOST_TEST(!is_open());
}

BOOST_AUTO_TEST_CASE(a_task_of_pieces_that_was_placed_again_is_open_once) {
  SchedulerCore scheduler = core(false, 2);
  const Codelet super =
      Codelet("super", {}).pieces([](const KernelContext&) { return 9; }, [](std::size_t, const KernelContext&) {});
  const std::vector<ReadyTask> task{{TaskId(1), &super.definition(), 0}};
  (void)scheduler.activated(task, kNow);
  (void)scheduler.activated(task, kNow);
  BOOST_TEST(scheduler.workers()[0].open == 0U);
  BOOST_TEST(scheduler.workers()[1].open == 1U);
  // This event comes late, from the first placement: the task has been placed on another worker since.
  scheduler.happened({.kind = Kind::left, .worker = WorkerId(0), .task = TaskId(1), .at = kNow});
  BOOST_TEST(scheduler.workers()[1].open == 1U);
  scheduler.happened({.kind = Kind::left, .worker = WorkerId(1), .task = TaskId(1), .at = kNow});
  BOOST_TEST(scheduler.workers()[1].open == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
