// Tests the facts that the scheduler gives to policies: loads, times, transfers and ranks.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "actors/scheduler/models/learned_model.hpp"
#include "actors/scheduler/scheduler_core.hpp"
#include "actors/scheduler/submitted_tasks.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/working_set.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(scheduler_core_predictions)

namespace {

using namespace std::chrono_literals;
using Kind = graph::TaskEvent::Kind;
const auto kPerElement = boost::test_tools::per_element();
constexpr TimeStamp kNow = std::chrono::seconds(1);

/// A policy that records what the scheduler shows it, and places every task on the worker that the test names.
class Mirror final : public PlacingPolicy {
 public:
  struct Seen {
    std::vector<ReadyTask> tasks;
    std::vector<WorkerState> workers;
    TimeStamp now{};
  };
  Mirror(Seen& seen, WorkerId& to, Ranks ranks, bool uses_times)
      : seen_(seen), to_(to), ranks_(ranks), uses_times_(uses_times) {}
  [[nodiscard]] PolicyTraits policy_traits() const override { return {.uses_times = uses_times_, .ranks = ranks_}; }
  void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random&,
             std::span<WorkerId> placement) override {
    seen_.tasks.assign(tasks.begin(), tasks.end());
    seen_.workers.assign(snapshot.workers.begin(), snapshot.workers.end());
    seen_.now = snapshot.now;
    for (WorkerId& worker : placement) worker = to_;
  }

 private:
  Seen& seen_;
  WorkerId& to_;
  const Ranks ranks_;
  const bool uses_times_;
};

/// A table of times, by the codelet's name and the kind of device. A kind without an entry was not measured.
class Table final : public ExecutionModel {
 public:
  using Times = std::map<std::string, std::map<DeviceKind, Duration>>;
  explicit Table(Times& times) : times_(times) {}
  [[nodiscard]] std::optional<Duration> predict(const graph::SizeClass& size_class, WorkerId worker) const override {
    const auto& times = times_[size_class.codelet->name];
    const auto found = times.find(kind(worker));
    return found == times.end() ? std::nullopt : std::optional(found->second);
  }
  Change measured(const graph::SizeClass& size_class, WorkerId worker, Duration time) override {
    times_[size_class.codelet->name][kind(worker)] = time;
    return Change::size_class;
  }

 private:
  static DeviceKind kind(WorkerId worker) { return worker.value() == 0 ? DeviceKind::cpu_core : DeviceKind::cuda; }
  Times& times_;
};

/// One core and one GPU. The GPU is node 1, with 100 bytes. Copying a byte takes 1 ns.
struct Machinery {
  explicit Machinery(Ranks ranks = Ranks::none, bool uses_times = true) {
    for (int i = 0; i < 4; ++i) handles.push_back(tests::register_scalar(host.graph, numbers[i]));
    const Kernel nothing = [](const KernelContext&) {};
    for (Codelet* both : {&gemm, &potrf, &huge}) {
      both->implement(DeviceKind::cpu_core, nothing);
      both->implement(DeviceKind::cuda, nothing);
    }
    SchedulerCore::Machine machine;
    machine.workers = {{DeviceKind::cpu_core, NodeId(0)}, {DeviceKind::cuda, NodeId(1)}};
    machine.links = TransferModel(2, {{}, {0ns, 1}, {0ns, 1}, {}});
    machine.capacities = {Bytes{0}, Bytes{100}};
    machine.model = std::make_unique<Table>(times);
    machine.submitted = submitted;
    scheduler =
        std::make_unique<SchedulerCore>(std::make_unique<Mirror>(seen, to, ranks, uses_times), std::move(machine), 1);
  }
  ReadyTask ready(const Codelet& codelet, const std::vector<Access>& accesses) {
    host.graph.submit({codelet, accesses, {}, {}}).value_or_throw();
    return described(host.ready.pop_front());
  }
  ReadyTask described(graph::Task* task) {
    ReadyTask result{task->task_id(), task->codelet, task->priority};
    result.size_class = submitted->classify(*task);
    graph::append_working_set(*task, uses.emplace_back());
    result.data = uses.back();
    return result;
  }
  std::vector<std::uint32_t> place(const std::vector<ReadyTask>& tasks, TimeStamp now = kNow) {
    std::vector<std::uint32_t> workers;
    const auto decision = scheduler->activated(tasks, now);
    failure = decision.failure;
    for (const Placed& placed : decision.tried) workers.push_back(placed.worker.value());
    for (const Placed& placed : decision.placed) workers.push_back(placed.worker.value());
    return workers;
  }
  void started(std::uint32_t worker, TaskId task, TimeStamp at) const {
    scheduler->happened({.kind = Kind::started, .worker = WorkerId(worker), .task = task, .at = at});
  }
  void ended(std::uint32_t worker, TaskId task, TimeStamp at, Duration took) const {
    scheduler->happened({.kind = Kind::ended, .worker = WorkerId(worker), .task = task, .at = at, .took = took});
  }
  /// Returns the workers' loads at `now`. To see the loads, the function places a task that takes no time.
  const std::vector<WorkerState>& loads(TimeStamp now) {
    ReadyTask probe = ready(potrf, {});
    probe.size_class = SizeClassId{};
    (void)place({probe}, now);
    scheduler->happened({.kind = Kind::ended, .worker = to, .task = probe.id, .at = now});
    return seen.workers;
  }

  std::shared_ptr<SubmittedTasks> submitted = std::make_shared<SubmittedTasks>();
  tests::StepHost host{graph::GraphOptions{.device_kinds = kEveryKind, .observers = {submitted.get()}}};
  double numbers[4] = {};
  std::vector<Handle> handles;
  Codelet gemm = Codelet::variadic("gemm");
  Codelet potrf = Codelet::variadic("potrf");
  Codelet huge = Codelet::variadic("huge");
  Table::Times times{{"gemm", {{DeviceKind::cpu_core, 300us}, {DeviceKind::cuda, 10us}}},
                     {"potrf", {{DeviceKind::cpu_core, 40us}, {DeviceKind::cuda, 20us}}},
                     {"huge", {{DeviceKind::cpu_core, 40us}, {DeviceKind::cuda, 20us}}}};
  Mirror::Seen seen;
  WorkerId to{1};
  std::unique_ptr<SchedulerCore> scheduler;
  std::deque<std::vector<memory::Use>> uses;
  std::string failure;
};

BOOST_AUTO_TEST_CASE(events_correct_the_loads) {
  Machinery m;
  const ReadyTask first = m.ready(m.gemm, {});
  const ReadyTask second = m.ready(m.gemm, {});
  (void)m.place({first, second});
  BOOST_TEST((m.loads(kNow)[1].available == kNow + 20us));
  BOOST_TEST(m.loads(kNow)[1].queued == 2U);
  BOOST_TEST(!m.loads(kNow)[1].busy);
  BOOST_TEST((m.seen.now == kNow));
  m.started(1, first.id, kNow + 3us);
  BOOST_TEST((m.loads(kNow + 4us)[1].available == kNow + 23us));
  BOOST_TEST(m.loads(kNow + 4us)[1].queued == 1U);
  BOOST_TEST(m.loads(kNow + 4us)[1].busy);
  m.ended(1, first.id, kNow + 13us, 10us);
  BOOST_TEST((m.loads(kNow + 14us)[1].available == kNow + 24us));
  m.ended(1, second.id, kNow + 14us, 0us);
  BOOST_TEST((m.loads(kNow + 14us)[1].available == kNow + 14us));
  BOOST_TEST((m.loads(kNow + 14us)[0].available == kNow + 14us));
}

BOOST_AUTO_TEST_CASE(tasks_of_a_kernel_that_was_not_measured_are_tried_there_up_to_three_in_all) {
  Machinery m;
  m.times["gemm"].erase(DeviceKind::cuda);
  m.to = WorkerId(0);
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 5; ++t) tasks.push_back(m.ready(m.gemm, {}));
  // Three tasks run on the GPU to measure its time (they are tried there). The core, whose time is known, gets one
  // task. The last task waits.
  BOOST_TEST(m.place(tasks) == (std::vector<std::uint32_t>{1, 1, 1, 0}), kPerElement);
  BOOST_TEST(m.seen.tasks.empty());
  BOOST_TEST(m.scheduler->holds());
  BOOST_TEST(m.scheduler->under_way() == 5U);
  m.started(1, tasks[0].id, kNow);
  m.ended(1, tasks[0].id, kNow + 7us, 7us);
  const auto decision = m.scheduler->ended(kNow + 7us);
  BOOST_REQUIRE(decision.placed.size() == 1U);
  BOOST_TEST((decision.placed[0].task == tasks[4].id));
  BOOST_TEST(m.seen.tasks.size() == 1U);
  BOOST_TEST(!m.scheduler->holds());
  // The time on the GPU is now known, so the policy decides, and no task is tried any more.
  const ReadyTask next = m.ready(m.gemm, {});
  BOOST_TEST(m.place({next}) == (std::vector<std::uint32_t>{0}), kPerElement);
  BOOST_TEST((m.scheduler->predictions().execution(next, WorkerId(1)) == 7us));
  BOOST_TEST((m.scheduler->predictions().execution(next, WorkerId(0)) == 300us));
}

BOOST_AUTO_TEST_CASE(a_class_that_was_measured_nowhere_is_tried_on_all_kinds) {
  Machinery m;
  m.times.erase("gemm");
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 6; ++t) tasks.push_back(m.ready(m.gemm, {}));
  BOOST_TEST(m.place(tasks) == (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1}), kPerElement);
  BOOST_TEST(m.seen.tasks.empty());
}

BOOST_AUTO_TEST_CASE(the_smallest_tasks_are_tried) {
  Machinery m;
  SchedulerCore::Machine machine;
  const std::vector<DeviceType> cores(3, DeviceType(DeviceKind::cpu_core));
  for (const DeviceType& core : cores) machine.workers.push_back({core, NodeId(0)});
  machine.model = std::make_unique<LearnedModel>(std::make_shared<ExecutionHistory>(), cores);
  machine.submitted = m.submitted;
  m.scheduler =
      std::make_unique<SchedulerCore>(std::make_unique<Mirror>(m.seen, m.to, Ranks::none, true), std::move(machine), 1);
  std::vector<double> numbers(20);
  std::vector<ReadyTask> tasks;
  for (const int rows : {18, 3, 16, 1, 14, 2}) {
    tasks.push_back(m.ready(m.gemm, {read(tests::register_matrix(m.host.graph, numbers, rows, 1))}));
  }
  const auto decision = m.scheduler->activated(tasks, kNow);
  BOOST_REQUIRE(decision.tried.size() == 3U);
  BOOST_TEST((decision.tried[0].task == tasks[3].id));
  BOOST_TEST((decision.tried[1].task == tasks[5].id));
  BOOST_TEST((decision.tried[2].task == tasks[1].id));
}

BOOST_AUTO_TEST_CASE(a_class_is_tried_on_each_model_of_a_kind) {
  Machinery m;
  const std::vector<DeviceType> gpus{
      {DeviceKind::cuda, 1, "slow"}, {DeviceKind::cuda, 1, "fast"}, {DeviceKind::cuda, 1, "slow"}};
  SchedulerCore::Machine machine;
  for (const DeviceType& gpu : gpus) machine.workers.push_back({gpu, NodeId(0)});
  machine.model = std::make_unique<LearnedModel>(std::make_shared<ExecutionHistory>(), gpus);
  machine.submitted = m.submitted;
  m.scheduler =
      std::make_unique<SchedulerCore>(std::make_unique<Mirror>(m.seen, m.to, Ranks::none, true), std::move(machine), 1);
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 6; ++t) tasks.push_back(m.ready(m.gemm, {}));
  const std::vector<std::uint32_t> placed = m.place(tasks);
  BOOST_TEST(std::ranges::count(placed, 1U) == 3);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    m.ended(placed[t], tasks[t].id, kNow, placed[t] == 1 ? 1us : 9us);
  }
  // Both GPU models have been tried, so the policy decides, and the scheduler gives it the times on both models.
  (void)m.place({m.ready(m.gemm, {})});
  BOOST_REQUIRE(m.seen.tasks.size() == 1U);
  BOOST_TEST((m.scheduler->predictions().execution(m.seen.tasks[0], WorkerId(1)) == 1us));
  BOOST_TEST((m.scheduler->predictions().execution(m.seen.tasks[0], WorkerId(2)) == 9us));
  BOOST_TEST((m.seen.workers[0].type == m.seen.workers[2].type && m.seen.workers[0].type != m.seen.workers[1].type));
}

BOOST_AUTO_TEST_CASE(further_tasks_of_a_kernel_that_was_measured_nowhere_wait) {
  Machinery m;
  m.times.erase("gemm");
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 12; ++t) tasks.push_back(m.ready(m.gemm, {}));
  BOOST_TEST(m.place(tasks) == (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1}), kPerElement);
  BOOST_TEST(m.seen.tasks.empty());
  // A failed task gives no measured time, so another task is tried instead.
  m.scheduler->happened({.kind = Kind::left, .worker = WorkerId(1), .task = tasks[1].id, .at = kNow});
  const auto again = m.scheduler->ended(kNow);
  BOOST_REQUIRE(again.tried.size() == 1U);
  BOOST_TEST((again.tried[0].task == tasks[6].id && again.tried[0].worker == WorkerId(1)));
  // The time on the GPU is now known, so the GPU gets as many tasks as it has room for. The core gets no task before
  // its time is known, too.
  m.started(1, tasks[3].id, kNow);
  m.ended(1, tasks[3].id, kNow + 1us, 1us);
  m.started(1, tasks[5].id, kNow + 1us);
  const auto known = m.scheduler->ended(kNow + 1us);
  BOOST_TEST(known.tried.empty());
  BOOST_REQUIRE(known.placed.size() == 1U);
  BOOST_TEST((known.placed[0].task == tasks[7].id && known.placed[0].worker == WorkerId(1)));
  // Both times are known, so the policy decides about the four remaining tasks.
  m.started(0, tasks[0].id, kNow);
  m.ended(0, tasks[0].id, kNow + 9us, 9us);
  BOOST_TEST(m.scheduler->ended(kNow + 9us).placed.size() == 4U);
  BOOST_TEST(m.seen.tasks.size() == 4U);
  BOOST_TEST(!m.scheduler->holds());
}

BOOST_AUTO_TEST_CASE(where_only_one_type_can_run_a_kernel_no_worker_is_left_idle_to_find_out) {
  Machinery m;
  SchedulerCore::Machine machine;
  for (int i = 0; i < 6; ++i) machine.workers.push_back({DeviceKind::cpu_core, NodeId(0)});
  machine.model = std::make_unique<LearnedModel>(std::make_shared<ExecutionHistory>(),
                                                 std::vector<DeviceType>(6, DeviceType(DeviceKind::cpu_core)));
  machine.submitted = m.submitted;
  m.scheduler =
      std::make_unique<SchedulerCore>(std::make_unique<Mirror>(m.seen, m.to, Ranks::none, true), std::move(machine), 1);
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 8; ++t) tasks.push_back(m.ready(m.gemm, {}));
  BOOST_TEST(m.place(tasks) == (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}), kPerElement);
}

BOOST_AUTO_TEST_CASE(where_times_are_not_sure_a_policy_places_what_can_start) {
  Machinery m;
  SchedulerCore::Machine machine;
  const std::vector<DeviceType> cores(2, DeviceType(DeviceKind::cpu_core));
  for (const DeviceType& core : cores) machine.workers.push_back({core, NodeId(0)});
  const auto history = std::make_shared<ExecutionHistory>();
  machine.model = std::make_unique<LearnedModel>(history, cores);
  machine.submitted = m.submitted;
  m.scheduler =
      std::make_unique<SchedulerCore>(std::make_unique<Mirror>(m.seen, m.to, Ranks::none, true), std::move(machine), 1);
  KernelHistory& kernel = history->kernel({"gemm", DeviceKind::cpu_core, 8, false});
  // The measured times vary by a factor of ten, and all of them belong to other sizes.
  for (std::uint64_t i = 0; i < 4; ++i) {
    kernel.add(kernel.shape(i, {.size = 1e6 * static_cast<double>(i + 1)}), i % 2 == 0 ? 1e-3 : 1e-2);
  }
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 3; ++t) tasks.push_back(m.ready(m.gemm, {read(m.handles[0])}));
  m.to = WorkerId(1);
  // The policy wants all tasks on worker 1, which has room for one task. The other tasks wait.
  BOOST_TEST(m.place(tasks) == (std::vector<std::uint32_t>{1}), kPerElement);
  BOOST_TEST(m.seen.tasks.size() == 3U);
  BOOST_TEST(m.scheduler->holds());
  m.to = WorkerId(0);
  m.seen.tasks.clear();
  const auto decision = m.scheduler->ended(kNow);
  BOOST_REQUIRE(decision.placed.size() == 1U);
  BOOST_TEST((decision.placed[0].worker == WorkerId(0)));
  // A policy that names a worker that does not exist must not make the tasks wait for ever.
  m.to = WorkerId(7);
  m.started(0, decision.placed[0].task, kNow);
  m.scheduler->happened({.kind = Kind::left, .worker = WorkerId(0), .task = decision.placed[0].task, .at = kNow});
  const auto wrong = m.scheduler->ended(kNow);
  BOOST_TEST(wrong.failure.find("not there") != std::string::npos, wrong.failure);
  BOOST_TEST(wrong.placed.size() == 1U);
  BOOST_TEST(!m.scheduler->holds());
}

/// Two cores. The measured times of "gemm" vary by a factor of ten and belong to other shapes. "potrf" without data
/// takes exactly 1 ms.
struct Unsure : Machinery {
  Unsure() {
    SchedulerCore::Machine machine;
    const std::vector<DeviceType> cores(2, DeviceType(DeviceKind::cpu_core));
    for (const DeviceType& core : cores) machine.workers.push_back({core, NodeId(0)});
    machine.model = std::make_unique<LearnedModel>(history, cores);
    machine.submitted = submitted;
    scheduler =
        std::make_unique<SchedulerCore>(std::make_unique<Mirror>(seen, to, Ranks::none, true), std::move(machine), 1);
    KernelHistory& unsure = history->kernel({"gemm", DeviceKind::cpu_core, 8, false});
    for (std::uint64_t i = 0; i < 4; ++i) {
      unsure.add(unsure.shape(i, {.size = 8.0 * static_cast<double>(i + 1)}), i % 2 == 0 ? 1e-3 : 1e-2);
    }
    const ReadyTask known = ready(potrf, {});
    KernelHistory& sure = history->kernel({"potrf", DeviceKind::cpu_core, 0, false});
    for (int i = 0; i < 3; ++i) sure.add(sure.shape(submitted->size_class(known.size_class).shapes, {}), 1e-3);
  }
  ReadyTask of_rows(int rows) { return ready(gemm, {read(tests::register_matrix(host.graph, numbers, rows, 1))}); }
  Duration predicted(const ReadyTask& task) {
    return scheduler->model()->predict(submitted->size_class(task.size_class), WorkerId(0)).value();
  }

  std::shared_ptr<ExecutionHistory> history = std::make_shared<ExecutionHistory>();
  std::vector<double> numbers = std::vector<double>(20);
};

BOOST_AUTO_TEST_CASE(tasks_that_are_known_surely_wait_with_those_that_are_not) {
  Unsure m;
  m.to = WorkerId(1);
  // While all times are certain, the policy may place any number of tasks on a worker.
  BOOST_TEST(m.place({m.ready(m.potrf, {}), m.ready(m.potrf, {})}) == (std::vector<std::uint32_t>{1, 1}), kPerElement);
  m.to = WorkerId(0);
  const std::vector<ReadyTask> tasks{m.of_rows(1), m.ready(m.potrf, {}), m.of_rows(1), m.ready(m.potrf, {})};
  BOOST_TEST(m.place(tasks) == (std::vector<std::uint32_t>{0}), kPerElement);
  // The policy sees all tasks that compete for the free place, in the order in which they became ready.
  BOOST_REQUIRE(m.seen.tasks.size() == 4U);
  for (std::size_t i = 0; i < tasks.size(); ++i) BOOST_TEST((m.seen.tasks[i].id == tasks[i].id));
  // A task that becomes ready later waits, too.
  BOOST_TEST(m.place({m.ready(m.potrf, {})}).empty());
  BOOST_TEST(m.scheduler->holds());
}

BOOST_AUTO_TEST_CASE(of_tasks_that_wait_for_room_the_most_urgent_begins_and_else_the_longest) {
  Unsure m;
  m.to = WorkerId(0);
  std::vector<ReadyTask> tasks{m.of_rows(2), m.of_rows(1), m.of_rows(18), m.of_rows(3)};
  auto decision = m.scheduler->activated(tasks, kNow);
  BOOST_REQUIRE(decision.placed.size() == 1U);
  BOOST_TEST((decision.placed[0].task == tasks[2].id));
  std::vector<ReadyTask> urgent{m.of_rows(1)};
  urgent[0].priority = 1;
  m.to = WorkerId(1);
  decision = m.scheduler->activated(urgent, kNow);
  BOOST_REQUIRE(decision.placed.size() == 1U);
  BOOST_TEST((decision.placed[0].task == urgent[0].id));
}

BOOST_AUTO_TEST_CASE(nothing_is_put_behind_a_task_of_which_hardly_anything_is_known) {
  Unsure m;
  SchedulerCore::Machine machine;
  const std::vector<DeviceType> gpus(1, DeviceType(DeviceKind::cuda));
  machine.workers = {{DeviceKind::cuda, NodeId(0)}};
  machine.model = std::make_unique<LearnedModel>(m.history, gpus);
  machine.submitted = m.submitted;
  m.scheduler =
      std::make_unique<SchedulerCore>(std::make_unique<Mirror>(m.seen, m.to, Ranks::none, true), std::move(machine), 1);
  m.to = WorkerId(0);
  KernelHistory& kernel = m.history->kernel({"gemm", DeviceKind::cuda, 8, false});
  const auto measure = [&](double size, double time_s) { kernel.add(kernel.shape(99, {.size = size}), time_s); };
  for (const double size : {8.0, 16.0, 24.0, 32.0}) measure(size, size * 1e-3);
  // The size is far from the measured sizes. One task begins, and the others wait until it has ended.
  const std::vector<ReadyTask> tasks{m.of_rows(18), m.of_rows(18), m.of_rows(18)};
  BOOST_TEST(m.scheduler->model()->doubt(m.submitted->size_class(tasks[0].size_class), WorkerId(0)) > 0.3);
  BOOST_TEST(m.place(tasks).size() == 1U);
  m.started(0, tasks[0].id, kNow);
  BOOST_TEST(m.scheduler->ended(kNow).placed.empty());
  // The time is now known better, but not yet exactly, so two tasks may begin.
  m.ended(0, tasks[0].id, kNow + 144ms, 144ms);
  const auto known = m.scheduler->ended(kNow + 144ms);
  BOOST_TEST(m.scheduler->model()->doubt(m.submitted->size_class(tasks[0].size_class), WorkerId(0)) < 0.3);
  BOOST_TEST(known.placed.size() == 2U);
}

BOOST_AUTO_TEST_CASE(tasks_that_were_placed_by_a_guess_count_as_what_is_known_later) {
  Unsure m;
  m.to = WorkerId(1);
  const ReadyTask task = m.of_rows(18);
  const ReadyTask other = m.of_rows(2);
  BOOST_TEST(m.place({task}) == (std::vector<std::uint32_t>{1}), kPerElement);
  const Duration guess = m.predicted(task);
  // The scheduler gives the policy a longer time than expected, because the time is uncertain. The worker's load uses
  // the expected time.
  BOOST_TEST((m.scheduler->predictions().execution(task, WorkerId(1)) > guess));
  m.started(1, task.id, kNow);
  BOOST_TEST((m.loads(kNow)[1].available == kNow + guess));
  m.to = WorkerId(0);
  BOOST_TEST(m.place({other}) == (std::vector<std::uint32_t>{0}), kPerElement);
  m.started(0, other.id, kNow);
  m.ended(0, other.id, kNow + 1us, 100us);
  const Duration known = m.predicted(task);
  BOOST_TEST((known < guess));
  BOOST_TEST((m.loads(kNow + 1us)[1].available == kNow + known));
}

BOOST_AUTO_TEST_CASE(tasks_that_are_held_are_given_up_with_the_actor) {
  Machinery m;
  m.times.erase("gemm");
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 8; ++t) tasks.push_back(m.ready(m.gemm, {}));
  (void)m.place(tasks);
  BOOST_TEST(m.scheduler->holds());
  const auto decision = m.scheduler->abandon({tasks.data() + 6, 2}, "died", kNow);
  BOOST_TEST(decision.placed.size() == 2U);
  BOOST_TEST(!m.scheduler->holds());
  BOOST_TEST(m.scheduler->under_way() == 8U);
}

BOOST_AUTO_TEST_CASE(a_kind_that_was_not_measured_counts_as_ten_times_as_slow_as_the_slowest_that_was) {
  Machinery m;
  m.times["gemm"].erase(DeviceKind::cuda);
  m.to = WorkerId(0);
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 4; ++t) tasks.push_back(m.ready(m.gemm, {}));
  BOOST_TEST(m.place(tasks) == (std::vector<std::uint32_t>{1, 1, 1, 0}), kPerElement);
  BOOST_TEST((m.scheduler->predictions().execution(tasks[3], WorkerId(1)) == 3000us));
}

BOOST_AUTO_TEST_CASE(a_policy_that_does_not_look_at_times_is_asked_about_every_task) {
  Machinery m(Ranks::none, false);
  m.times.erase("gemm");
  m.to = WorkerId(0);
  BOOST_TEST(m.place({m.ready(m.gemm, {}), m.ready(m.gemm, {})}) == (std::vector<std::uint32_t>{0, 0}), kPerElement);
  BOOST_TEST(m.seen.tasks.size() == 2U);
}

BOOST_AUTO_TEST_CASE(predictions_are_compared_with_what_happened) {
  Machinery m;
  m.times["potrf"].erase(DeviceKind::cuda);
  const std::vector<ReadyTask> tasks{m.ready(m.gemm, {}), m.ready(m.gemm, {}), m.ready(m.gemm, {})};
  (void)m.place(tasks);
  const ReadyTask tried = m.ready(m.potrf, {});
  (void)m.place({tried});
  m.ended(1, tasks[0].id, kNow, 8us);
  m.ended(1, tried.id, kNow, 8us);
  // Task 1 failed and task 2 took no time, so neither of them is compared with its prediction.
  m.scheduler->happened({.kind = Kind::left, .worker = WorkerId(1), .task = tasks[1].id, .at = kNow});
  m.ended(1, tasks[2].id, kNow, 0us);
  const auto& errors = m.scheduler->prediction_errors();
  const PredictionErrors& gemm = errors[tasks[0].size_class.index()][static_cast<std::size_t>(DeviceKind::cuda)];
  BOOST_TEST(gemm.tasks == 1U);
  BOOST_TEST((gemm.predicted == 10us));
  BOOST_TEST((gemm.measured == 8us));
  BOOST_TEST(gemm.mean_relative() == 0.25, boost::test_tools::tolerance(1e-9));
  for (const auto& kinds : errors) {
    for (const PredictionErrors& of : kinds) BOOST_TEST(((&of == &gemm) || of.tasks == 0));
  }
}

BOOST_AUTO_TEST_CASE(where_the_data_never_fit_a_task_cannot_run) {
  Machinery m;
  std::vector<double> large(20);
  const Handle handle = tests::register_matrix(m.host.graph, large, 20, 1);
  const ReadyTask task = m.ready(m.huge, {read(handle)});
  BOOST_TEST(m.place({task}) == (std::vector<std::uint32_t>{0}), kPerElement);
  BOOST_TEST(m.failure.find("cannot run the task") != std::string::npos);
  BOOST_TEST((m.scheduler->predictions().execution(task, WorkerId(1)) == ExecutionTimes::kNever));
  BOOST_TEST((m.scheduler->predictions().execution(task, WorkerId(0)) == 40us));
}

BOOST_AUTO_TEST_CASE(a_task_that_fits_nowhere_goes_to_a_worker_with_its_device) {
  Machinery m;
  std::vector<double> large(20);
  const Handle handle = tests::register_matrix(m.host.graph, large, 20, 1);
  Codelet only_gpu = Codelet::variadic("only_gpu");
  only_gpu.implement(DeviceKind::cuda, [](const KernelContext&) {});
  m.to = WorkerId{};
  BOOST_TEST(m.place({m.ready(only_gpu, {read(handle)})}) == (std::vector<std::uint32_t>{1}), kPerElement);
  // The worker will report the error. The scheduler does not ask the policy, because the policy has no choice and might
  // never place the task.
  BOOST_TEST(m.failure == "");
  BOOST_TEST(m.seen.tasks.empty());
}

BOOST_AUTO_TEST_CASE(what_a_placed_task_reads_is_on_its_way) {
  Machinery m;
  const ReadyTask task = m.ready(m.gemm, {read(m.handles[0]), write(m.handles[1])});
  const memory::Use& in = task.data[0];
  const memory::Use& out = task.data[1];
  const Predictions& predictions = m.scheduler->predictions();
  (void)m.place({task});
  BOOST_TEST(predictions.replicas.incoming(in.handle, NodeId(1)));
  BOOST_TEST(!predictions.replicas.incoming(out.handle, NodeId(1)));
  BOOST_TEST(predictions.traffic.in[1] == 8U);
  BOOST_TEST(predictions.traffic.out[0] == 8U);
  // A second task that reads the same data needs no copy of its own.
  (void)m.place({m.ready(m.potrf, {read(m.handles[0])})});
  BOOST_TEST(predictions.traffic.in[1] == 8U);
}

BOOST_AUTO_TEST_CASE(loads_count_that_data_come_later) {
  Machinery m;
  (void)m.place({m.ready(m.gemm, {read(m.handles[0])})});
  BOOST_TEST((m.loads(kNow)[1].available == kNow + 8ns + 10us));
}

BOOST_AUTO_TEST_CASE(changes_of_replicas_are_followed) {
  Machinery m;
  const ReadyTask task = m.ready(m.gemm, {read_write(m.handles[0])});
  const HandleId handle = task.data[0].handle;
  const Predictions& predictions = m.scheduler->predictions();
  (void)m.place({task});
  m.scheduler->happened(
      {.kind = Kind::replica_changed, .state = memory::ReplicaState::incoming, .node = NodeId(1), .handle = handle});
  BOOST_TEST(predictions.traffic.in[1] == 8U);
  m.scheduler->happened(
      {.kind = Kind::replica_changed, .state = memory::ReplicaState::shared, .node = NodeId(1), .handle = handle});
  BOOST_TEST(predictions.replicas.valid(handle, NodeId(1)));
  BOOST_TEST(!predictions.replicas.incoming(handle, NodeId(1)));
  BOOST_TEST(predictions.traffic.in[1] == 0U);
  BOOST_TEST(predictions.traffic.out[0] == 0U);
  m.scheduler->happened(
      {.kind = Kind::replica_changed, .state = memory::ReplicaState::invalid, .node = NodeId(0), .handle = handle});
  m.scheduler->happened(
      {.kind = Kind::replica_changed, .state = memory::ReplicaState::modified, .node = NodeId(1), .handle = handle});
  BOOST_TEST(!predictions.replicas.valid(handle, NodeId(0)));
  BOOST_TEST((predictions.source(handle, NodeId(0)) == NodeId(1)));
  BOOST_TEST(predictions.traffic.in[1] == 0U);
}

BOOST_AUTO_TEST_CASE(a_copy_that_is_given_up_is_no_traffic) {
  Machinery m;
  const ReadyTask task = m.ready(m.gemm, {read(m.handles[0])});
  (void)m.place({task});
  m.scheduler->happened({.kind = Kind::replica_changed,
                         .state = memory::ReplicaState::invalid,
                         .node = NodeId(1),
                         .handle = task.data[0].handle});
  BOOST_TEST(m.scheduler->predictions().traffic.in[1] == 0U);
  BOOST_TEST(!m.scheduler->predictions().present(task.data[0], NodeId(1)));
}

BOOST_AUTO_TEST_CASE(a_policy_that_asks_for_ranks_gets_them) {
  const auto rank_of_first = [](Ranks ranks) {
    Machinery m(ranks);
    // The scheduler knows the class of gemm before any task of that class is ready.
    const Access both = read_write(m.handles[0]);
    m.host.graph.submit({m.potrf, {&both, 1}, {}, {}}).value_or_throw();
    m.host.graph.submit({m.gemm, {&both, 1}, {}, {}}).value_or_throw();
    (void)m.place({m.described(m.host.ready.pop_front())});
    return m.seen.tasks.at(0).upward_rank_s;
  };
  const auto close = boost::test_tools::tolerance(1e-9);
  BOOST_TEST(rank_of_first(Ranks::none) == 0);
  BOOST_TEST(rank_of_first(Ranks::mean) == 30e-6 + 155e-6, close);
  BOOST_TEST(rank_of_first(Ranks::fastest) == 20e-6 + 10e-6, close);
}

BOOST_AUTO_TEST_CASE(ranks_know_classes_that_came_before_the_first_that_is_ready) {
  Machinery m(Ranks::fastest);
  const Access first = read_write(m.handles[0]);
  const Access second = read_write(m.handles[1]);
  // This submission makes the class of `huge` the first one. The policy is never shown a task of that class: the
  // second task of `huge` waits for the task of `potrf`.
  m.host.graph.submit({m.huge, {&second, 1}, {}, {}}).value_or_throw();
  graph::Task* earlier = m.host.ready.pop_front();
  m.host.graph.submit({m.potrf, {&first, 1}, {}, {}}).value_or_throw();
  graph::Task* shown = m.host.ready.pop_front();
  m.host.graph.submit({m.huge, {&first, 1}, {}, {}}).value_or_throw();
  (void)m.place({m.described(shown)});
  BOOST_TEST(m.seen.tasks.at(0).upward_rank_s == 20e-6 + 20e-6, boost::test_tools::tolerance(1e-9));
  (void)earlier;
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
