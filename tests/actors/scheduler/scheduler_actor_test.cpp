#include "actors/scheduler/scheduler_actor.hpp"

#include <boost/test/unit_test.hpp>
#include <deque>
#include <stdexcept>
#include <thread>
#include <utility>

#include "proto/mutex.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/actors/stage_actor.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(scheduler_actor)

namespace {

using tests::GraphFixture;
using tests::Lines;
using tests::Stage;
const auto kPerElement = boost::test_tools::per_element();

/// Takes the place of the workers. A list of task names stands for each worker.
class Queues final : public WorkerQueues {
 public:
  graph::Task* next_activated() override {
    if (activated.empty()) return nullptr;
    graph::Task* task = activated.front();
    activated.pop_front();
    return task;
  }
  void take_events(std::vector<TaskEvent>& out) override {
    if (std::exchange(breaks, false)) throw std::runtime_error("out of luck");
    out.insert(out.end(), events.begin(), events.end());
    events.clear();
  }
  void push(graph::Task* task, WorkerId worker, bool) override {
    workers.at(worker.index()).push_back(task->extras->name);
    done.push_back("push " + task->extras->name);
  }
  void take_back(TaskId task, WorkerId worker) override {
    done.push_back("take back " + std::to_string(task.value()) + " from " + std::to_string(worker.value()));
  }
  void prefetch(NodeId node, const graph::Task&, std::span<const memory::Use> uses) override {
    done.push_back("prefetch " + std::to_string(uses.size()) + " to " + std::to_string(node.value()));
  }
  [[nodiscard]] TimeStamp now() const override { return std::chrono::seconds(1); }
  void regroup(std::size_t) override {}
  [[nodiscard]] bool regroups() const override { return false; }
  void policy_failed(const std::string& what) override { failures.push_back(what); }

  Lines failures;
  /// If true, the next call of `take_events` throws.
  bool breaks = false;
  std::deque<graph::Task*> activated;
  std::vector<TaskEvent> events;
  std::vector<Lines> workers{2};
  /// All prefetches, pushes and requests to take a task back, in their order.
  Lines done;
};

/// Places tasks on the two workers in turn.
class Alternating final : public PlacingPolicy {
 public:
  explicit Alternating(bool in_rounds) : in_rounds_(in_rounds) {}
  [[nodiscard]] PolicyTraits policy_traits() const override { return {.in_rounds = in_rounds_}; }
  void place(std::span<const ReadyTask> tasks, const Snapshot&, Random&, std::span<WorkerId> placement) override {
    ++decisions;
    for (std::size_t i = 0; i < tasks.size(); ++i) placement[i] = WorkerId(next_++ % 2);
  }
  int decisions = 0;

 private:
  bool in_rounds_;
  std::uint32_t next_ = 0;
};

/// A policy that starts one task at a time. It keeps the other tasks until the running task has ended.
class OneByOne final : public PlacingPolicy {
 public:
  [[nodiscard]] PolicyTraits policy_traits() const override { return {.keeps = true}; }
  void place(std::span<const ReadyTask> tasks, const Snapshot&, Random&, std::span<WorkerId>) override {
    for (const ReadyTask& task : tasks) kept_.push_back(task.id);
  }
  void place_kept(const Snapshot& snapshot, Random&, std::vector<Placed>& placed) override {
    const WorkerState& worker = snapshot.workers[0];
    if (kept_.empty() || worker.busy || worker.queued > 0) return;
    placed.push_back({kept_.front(), worker.id});
    kept_.pop_front();
  }

 private:
  std::deque<TaskId> kept_;
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
  [[nodiscard]] std::size_t undecided() const {
    const LockGuard lock(state->mutex);
    return state->undecided.size();
  }
  [[nodiscard]] bool has_replica(HandleId handle, NodeId node) const {
    const LockGuard lock(state->mutex);
    return state->core.predictions().replicas.valid(handle, node);
  }

  Stage stage;
  GraphFixture tasks{2};
  std::shared_ptr<Queues> queues = std::make_shared<Queues>();
  std::shared_ptr<SchedulerState> state;
  Alternating* policy = nullptr;
  caf::actor scheduler;
};

BOOST_AUTO_TEST_CASE(activated_tasks_are_pushed_to_workers_at_once) {
  Dialogue d(false);
  d.activate({"a", "b", "c"});
  d.stage.step();
  BOOST_TEST(d.queues->workers[0] == (Lines{"a", "c"}), kPerElement);
  BOOST_TEST(d.queues->workers[1] == (Lines{"b"}), kPerElement);
  BOOST_TEST(d.undecided() == 0U);
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
  BOOST_TEST(d.undecided() == 3U);
  d.stage.play();
  BOOST_TEST(d.policy->decisions == 1);
  BOOST_TEST(d.queues->workers[0] == (Lines{"a", "c"}), kPerElement);
  BOOST_TEST(d.queues->workers[1] == (Lines{"b"}), kPerElement);
  d.activate({"d"});
  d.stage.play();
  BOOST_TEST(d.policy->decisions == 2);
  BOOST_TEST(d.queues->workers[1] == (Lines{"b", "d"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_worker_decides_in_place_of_the_actor) {
  Dialogue d(false);
  for (const char* name : {"a", "b", "c"}) d.queues->activated.push_back(d.tasks.task(0, name));
  BOOST_TEST((d.state->try_to_decide() == SchedulerState::Left::nothing));
  BOOST_TEST(d.queues->workers[0] == (Lines{"a", "c"}), kPerElement);
  BOOST_TEST(d.queues->workers[1] == (Lines{"b"}), kPerElement);
  BOOST_TEST(d.undecided() == 0U);
}

BOOST_AUTO_TEST_CASE(a_worker_does_not_wait_for_who_decides) {
  Dialogue d(false);
  d.queues->activated.push_back(d.tasks.task(0, "a"));
  auto left = SchedulerState::Left::nothing;
  {
    const LockGuard lock(d.state->mutex);
    std::thread([&] { left = d.state->try_to_decide(); }).join();
  }
  BOOST_TEST((left == SchedulerState::Left::activated));
  BOOST_TEST(d.queues->activated.size() == 1U);
  BOOST_TEST(d.queues->workers[0].empty());
}

BOOST_AUTO_TEST_CASE(a_program_decides_about_a_task_that_is_alone_and_about_no_other) {
  Dialogue d(false);
  using Left = SchedulerState::Left;
  for (const std::uint32_t worker : {0U, 1U}) {
    graph::Task* const task = d.tasks.task(0, "a");
    d.queues->activated.push_back(task);
    BOOST_TEST((d.state->try_to_decide_alone() == Left::nothing));
    BOOST_TEST(d.queues->workers[worker] == Lines{"a"}, kPerElement);
    // The scheduler takes this event when the next task is activated.
    d.queues->events.push_back({.kind = TaskEvent::Kind::ended, .worker = WorkerId(worker), .task = task->task_id()});
  }
  d.queues->activated.push_back(d.tasks.task(0, "b"));
  BOOST_TEST((d.state->try_to_decide_alone() == Left::nothing));
  // Task b has not ended, so task c is not alone and the actor has to decide.
  d.queues->activated.push_back(d.tasks.task(0, "c"));
  BOOST_TEST((d.state->try_to_decide_alone() == Left::activated));
  BOOST_TEST(d.queues->activated.size() == 1U);
  d.stage.tell(d.scheduler, TasksActivated{});
  d.stage.play();
  BOOST_TEST(d.queues->activated.empty());
}

BOOST_AUTO_TEST_CASE(in_rounds_a_worker_leaves_the_decision_to_the_actor) {
  Dialogue d(true);
  d.queues->activated.push_back(d.tasks.task(0, "a"));
  BOOST_TEST((d.state->try_to_decide() == SchedulerState::Left::decide));
  d.queues->activated.push_back(d.tasks.task(0, "b"));
  BOOST_TEST((d.state->try_to_decide() == SchedulerState::Left::nothing));
  BOOST_TEST(d.policy->decisions == 0);
  d.stage.tell(d.scheduler, Decide{});
  d.stage.play();
  BOOST_TEST(d.policy->decisions == 1);
  BOOST_TEST(d.queues->workers[1] == (Lines{"b"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_goes_wrong_while_a_worker_decides_is_what_the_actor_dies_of) {
  Dialogue d(false);
  d.queues->activated.push_back(d.tasks.task(0, "a"));
  d.queues->breaks = true;
  BOOST_TEST((d.state->try_to_decide() == SchedulerState::Left::activated));
  BOOST_TEST(d.undecided() == 1U);
  // The decision failed, so workers now leave decisions to the actor, and the error ends the actor.
  BOOST_TEST((d.state->try_to_decide() == SchedulerState::Left::activated));
  bool dead = false;
  d.scheduler->attach_functor([&dead](const caf::error&) { dead = true; });
  d.stage.tell(std::exchange(d.scheduler, d.stage.system.spawn(scheduler_behavior, d.state)), TasksActivated{});
  d.stage.play();
  BOOST_TEST(dead);
  // The supervisor calls `rescue` after the actor's death.
  d.state->rescue("out of luck");
  BOOST_TEST(d.queues->workers[0] == (Lines{"a"}), kPerElement);
  BOOST_TEST(d.undecided() == 0U);
  BOOST_TEST((d.state->try_to_decide() == SchedulerState::Left::nothing));
}

BOOST_AUTO_TEST_CASE(what_lay_with_an_actor_that_died_is_placed_and_another_actor_goes_on) {
  Dialogue d(true);
  d.activate({"a"});
  d.stage.step();
  d.queues->activated.push_back(d.tasks.task(0, "b"));
  BOOST_TEST(d.state->undecided_count() == 1U);
  // The actor is killed before it decides.
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
  // The new actor decides about the next task.
  d.activate({"c"});
  d.stage.play();
  BOOST_TEST(d.policy->decisions == 1);
  BOOST_TEST(d.queues->workers[0] == (Lines{"a", "c"}), kPerElement);
}

/// A `Dialogue` with the policy `OneByOne`.
struct KeepingDialogue {
  KeepingDialogue() {
    state = std::make_shared<SchedulerState>(
        queues, SchedulerCore(std::make_unique<OneByOne>(), {DeviceKind::cpu_core, DeviceKind::cpu_core}, 1));
    scheduler = stage.system.spawn(scheduler_behavior, state);
    stage.play();
  }
  ~KeepingDialogue() {
    stage.tell(scheduler, Stop{});
    stage.play();
  }
  /// Activates a task. Returns its id.
  TaskId activate(const std::string& name) {
    queues->activated.push_back(tasks.task(0, name));
    return queues->activated.back()->task_id();
  }
  void happened(TaskEvent::Kind kind, TaskId task) {
    TaskEvent event;
    event.kind = kind;
    event.worker = WorkerId(0);
    event.task = task;
    event.at = queues->now();
    queues->events.push_back(event);
  }
  void tell() {
    stage.tell(scheduler, TasksActivated{});
    stage.play();
  }

  Stage stage;
  GraphFixture tasks{2};
  std::shared_ptr<Queues> queues = std::make_shared<Queues>();
  std::shared_ptr<SchedulerState> state;
  caf::actor scheduler;
};

BOOST_AUTO_TEST_CASE(what_is_kept_is_pushed_when_a_task_has_ended) {
  KeepingDialogue d;
  const TaskId a = d.activate("a");
  d.activate("b");
  d.tell();
  BOOST_TEST(d.queues->workers[0] == (Lines{"a"}), kPerElement);
  BOOST_TEST(d.state->undecided_count() == 1U);
  d.happened(TaskEvent::Kind::started, a);
  d.tell();
  BOOST_TEST(d.queues->workers[0] == (Lines{"a"}), kPerElement);
  d.happened(TaskEvent::Kind::ended, a);
  d.tell();
  BOOST_TEST(d.queues->workers[0] == (Lines{"a", "b"}), kPerElement);
  BOOST_TEST(d.state->undecided_count() == 0U);
  BOOST_TEST(d.queues->failures.empty());
}

BOOST_AUTO_TEST_CASE(kept_tasks_survive_the_actor) {
  KeepingDialogue d;
  const TaskId a = d.activate("a");
  d.activate("b");
  d.tell();
  d.state->rescue("killed");
  BOOST_TEST(d.queues->workers[1] == (Lines{"b"}), kPerElement);
  BOOST_TEST(d.state->undecided_count() == 0U);
  // The policy still has task b, but the scheduler does not place b a second time.
  d.happened(TaskEvent::Kind::ended, a);
  d.activate("c");
  d.tell();
  BOOST_TEST(d.queues->workers[0] == (Lines{"a", "c"}), kPerElement);
  BOOST_TEST(d.queues->failures.size() == 1U);
}

BOOST_AUTO_TEST_CASE(events_reach_the_core) {
  Dialogue d(false);
  d.activate({"a"});
  d.stage.play();
  TaskEvent event;
  event.kind = TaskEvent::Kind::replica_changed;
  event.state = memory::ReplicaState::invalid;
  event.handle = HandleId(3);
  event.node = NodeId(0);
  d.queues->events.push_back(event);
  BOOST_TEST(d.has_replica(HandleId(3), NodeId(0)));
  d.activate({});
  d.stage.play();
  BOOST_TEST(!d.has_replica(HandleId(3), NodeId(0)));
}

BOOST_AUTO_TEST_CASE(data_are_asked_for_before_the_worker_has_the_task) {
  auto submitted = std::make_shared<SubmittedTasks>();
  auto queues = std::make_shared<Queues>();
  SchedulerState state(queues, SchedulerCore(std::make_unique<Alternating>(false), {2, DeviceKind::cpu_core}, 1),
                       submitted);
  GraphFixture tasks(2);
  double value = 0;
  const Handle handle = tasks.scalar(value);
  const Codelet codelet = Codelet("reader", {AccessMode::read}).cpu([](const KernelContext&) {});
  tasks.submit(codelet, {read(handle)}, {.name = "a"});
  queues->activated.push_back(tasks.take_ready().pop_front());
  {
    const LockGuard lock(state.mutex);
    state.perform(state.look());
  }
  BOOST_TEST(queues->done == (Lines{"prefetch 1 to 0", "push a"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(an_actor_that_died_without_tasks_is_reported_all_the_same) {
  Dialogue d(false);
  d.state->rescue("killed");
  BOOST_TEST(d.queues->failures == (Lines{"lost its scheduler, whose actor died: killed"}), kPerElement);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
