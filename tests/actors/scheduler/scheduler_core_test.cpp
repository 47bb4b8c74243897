#include "actors/scheduler/scheduler_core.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>

#include "graph/codelet.hpp"

namespace troupe::scheduler {
namespace {

/// Places every task on the worker with the fewest queued, and writes down what it was asked.
class Shortest final : public PlacingPolicy {
 public:
  Shortest(bool in_rounds, std::vector<std::string>& asked) : in_rounds_(in_rounds), asked_(asked) {}

  [[nodiscard]] bool in_rounds() const override { return in_rounds_; }
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
const auto kPerElement = boost::test_tools::per_element();

struct Fixture {
  SchedulerCore core(bool in_rounds, std::size_t workers = 2) {
    return {std::make_unique<Shortest>(in_rounds, asked), std::vector<DeviceKind>(workers, DeviceKind::cpu_core), 1};
  }
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
  const std::vector<std::size_t> queued{3, 1};
};

BOOST_FIXTURE_TEST_SUITE(scheduler_core, Fixture)

BOOST_AUTO_TEST_CASE(per_completion_it_decides_at_once_in_the_order_of_the_tasks) {
  SchedulerCore scheduler = core(false);
  BOOST_TEST(
      in_words(scheduler.activated(tasks({5, 3, 8, 4}), queued)) == (Words{"5 on 1", "3 on 1", "8 on 0", "4 on 1"}),
      kPerElement);
  BOOST_TEST(asked == (Words{"5 3 8 4"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(nothing_activated_is_nothing_to_decide) {
  SchedulerCore scheduler = core(false);
  BOOST_TEST(in_words(scheduler.activated({}, queued)).empty());
  SchedulerCore rounds = core(true);
  BOOST_TEST(in_words(rounds.activated({}, queued)).empty());
  BOOST_TEST(in_words(rounds.decide(queued)).empty());
  BOOST_TEST(asked.empty());
}

BOOST_AUTO_TEST_CASE(in_rounds_it_asks_once_and_decides_about_all_that_came_before) {
  SchedulerCore scheduler = core(true);
  BOOST_TEST(in_words(scheduler.activated(tasks({1, 2}), queued)) == (Words{"ask"}), kPerElement);
  BOOST_TEST(in_words(scheduler.activated(tasks({3}), queued)).empty());
  BOOST_TEST(asked.empty());
  BOOST_TEST(in_words(scheduler.decide(queued)) == (Words{"1 on 1", "2 on 1", "3 on 0"}), kPerElement);
  BOOST_TEST(asked == (Words{"1 2 3"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(the_next_round_asks_again_and_knows_nothing_of_the_last) {
  SchedulerCore scheduler = core(true);
  (void)scheduler.activated(tasks({1}), queued);
  (void)scheduler.decide(queued);
  BOOST_TEST(in_words(scheduler.activated(tasks({2}), queued)) == (Words{"ask"}), kPerElement);
  BOOST_TEST(in_words(scheduler.decide(queued)) == (Words{"2 on 1"}), kPerElement);
  BOOST_TEST(in_words(scheduler.decide(queued)).empty());
}

BOOST_AUTO_TEST_CASE(every_decision_sees_the_queues_as_they_are_then) {
  SchedulerCore scheduler = core(true);
  (void)scheduler.activated(tasks({1}), queued);
  BOOST_TEST(in_words(scheduler.decide(std::vector<std::size_t>{0, 1})) == (Words{"1 on 0"}), kPerElement);
}

/// Throws, or places the first task on a worker that is not there and the others on worker 0.
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
  const auto decision = scheduler.activated(tasks({5, 3, 8}), queued);
  BOOST_TEST(in_words(decision) == (Words{"5 on 1", "3 on 1", "8 on 0"}), kPerElement);
  BOOST_TEST(decision.failure == "threw: division by zero (3 tasks were placed on the least loaded workers instead)");
}

BOOST_AUTO_TEST_CASE(a_worker_that_is_not_there_is_replaced_and_the_rest_is_as_the_policy_said) {
  SchedulerCore scheduler(std::make_unique<Broken>(false), {2, DeviceKind::cpu_core}, 1);
  const auto decision = scheduler.activated(tasks({5, 3}), queued);
  BOOST_TEST(in_words(decision) == (Words{"5 on 1", "3 on 0"}), kPerElement);
  BOOST_TEST(decision.failure.find("named a worker that is not there") != std::string::npos);
  BOOST_TEST(decision.failure.find("1 task was placed") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::scheduler
