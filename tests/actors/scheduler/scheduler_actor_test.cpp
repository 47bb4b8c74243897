#include "actors/scheduler/scheduler_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <deque>
#include <utility>

#include "tests/actors/graph_fixture.hpp"
#include "tests/actors/stage_actor.hpp"

namespace troupe::scheduler {
namespace {

using tests::GraphFixture;
using tests::Lines;
using tests::Stage;
const auto kPerElement = boost::test_tools::per_element();

/// Workers that are only queues of task names.
class Queues final : public WorkerQueues {
 public:
  graph::Task* next_activated() override {
    if (activated.empty()) return nullptr;
    graph::Task* task = activated.front();
    activated.pop_front();
    return task;
  }
  void queued(std::vector<std::size_t>& out) const override { out = {workers[0].size(), workers[1].size()}; }
  void push(graph::Task* task, WorkerId worker) override { workers.at(worker.index()).push_back(task->extras->name); }

  void policy_failed(const std::string& what) override { failures.push_back(what); }

  Lines failures;
  std::deque<graph::Task*> activated;
  std::vector<Lines> workers{2};
};

/// Alternates between the workers.
class Alternating final : public PlacingPolicy {
 public:
  explicit Alternating(bool in_rounds) : in_rounds_(in_rounds) {}
  [[nodiscard]] bool in_rounds() const override { return in_rounds_; }
  void place(std::span<const ReadyTask> tasks, const Snapshot&, Random&, std::span<WorkerId> placement) override {
    ++decisions;
    for (std::size_t i = 0; i < tasks.size(); ++i) placement[i] = WorkerId(next_++ % 2);
  }
  int decisions = 0;

 private:
  bool in_rounds_;
  std::uint32_t next_ = 0;
};

struct Dialogue {
  explicit Dialogue(bool in_rounds) {
    auto made = std::make_unique<Alternating>(in_rounds);
    policy = made.get();
    state = std::make_shared<SchedulerState>(
        queues, SchedulerCore(std::move(made), {DeviceKind::cpu_core, DeviceKind::cpu_core}, 1));
    scheduler = stage.system.spawn(scheduler_behavior, state);
    stage.play();
  }
  ~Dialogue() {
    stage.tell(scheduler, Stop{});
    stage.play();
  }
  void activate(const Lines& names) {
    for (const std::string& name : names) queues->activated.push_back(tasks.task(0, name));
    stage.tell(scheduler, TasksActivated{});
  }

  Stage stage;
  GraphFixture tasks{2};
  std::shared_ptr<Queues> queues = std::make_shared<Queues>();
  std::shared_ptr<SchedulerState> state;
  Alternating* policy = nullptr;
  caf::actor scheduler;
};

BOOST_AUTO_TEST_SUITE(scheduler_actor)

BOOST_AUTO_TEST_CASE(activated_tasks_are_pushed_to_workers_at_once) {
  Dialogue d(false);
  d.activate({"a", "b", "c"});
  d.stage.step();
  BOOST_TEST(d.queues->workers[0] == (Lines{"a", "c"}), kPerElement);
  BOOST_TEST(d.queues->workers[1] == (Lines{"b"}), kPerElement);
  BOOST_TEST(d.state->undecided.empty());
}

BOOST_AUTO_TEST_CASE(a_message_without_tasks_is_harmless) {
  Dialogue d(false);
  d.activate({});
  d.stage.play();
  BOOST_TEST(d.policy->decisions == 0);
}

BOOST_AUTO_TEST_CASE(in_rounds_all_that_was_activated_before_decide_is_decided_together) {
  Dialogue d(true);
  d.activate({"a"});
  d.activate({"b", "c"});
  d.stage.step();
  BOOST_TEST(d.queues->workers[0].empty());
  BOOST_TEST(d.policy->decisions == 0);
  BOOST_TEST(d.state->undecided.size() == 3U);
  d.stage.play();
  BOOST_TEST(d.policy->decisions == 1);
  BOOST_TEST(d.queues->workers[0] == (Lines{"a", "c"}), kPerElement);
  BOOST_TEST(d.queues->workers[1] == (Lines{"b"}), kPerElement);
  d.activate({"d"});
  d.stage.play();
  BOOST_TEST(d.policy->decisions == 2);
  BOOST_TEST(d.queues->workers[1] == (Lines{"b", "d"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_lay_with_an_actor_that_died_is_placed_and_another_actor_goes_on) {
  Dialogue d(true);
  d.activate({"a"});
  d.stage.step();
  d.queues->activated.push_back(d.tasks.task(0, "b"));
  BOOST_TEST(d.state->undecided_count() == 1U);
  // It would decide now.
  caf::anon_send_exit(std::exchange(d.scheduler, d.stage.system.spawn(scheduler_behavior, d.state)),
                      caf::exit_reason::kill);
  d.state->rescue("killed");
  d.stage.play();
  BOOST_TEST(d.queues->workers[0] == (Lines{"a"}), kPerElement);
  BOOST_TEST(d.queues->workers[1] == (Lines{"b"}), kPerElement);
  BOOST_TEST(d.queues->failures == (Lines{"lost its scheduler, whose actor died: killed (2 tasks were placed on the "
                                          "least loaded workers instead)"}),
             kPerElement);
  BOOST_TEST(d.state->undecided_count() == 0U);
  BOOST_TEST(d.policy->decisions == 0);
  // It is asked to decide anew.
  d.activate({"c"});
  d.stage.play();
  BOOST_TEST(d.policy->decisions == 1);
  BOOST_TEST(d.queues->workers[0] == (Lines{"a", "c"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(an_actor_that_died_without_tasks_is_reported_all_the_same) {
  Dialogue d(false);
  d.state->rescue("killed");
  BOOST_TEST(d.queues->failures == (Lines{"lost its scheduler, whose actor died: killed"}), kPerElement);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::scheduler
