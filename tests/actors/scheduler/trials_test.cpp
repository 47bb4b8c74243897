#include "actors/scheduler/trials.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"
#include "troupe/codelet.hpp"

namespace troupe::scheduler {

namespace trials {

using Words = std::vector<std::string>;
const auto kPerElement = boost::test_tools::per_element();

/// The knowledge of the model about the kernels. A kernel is a codelet; its number is the length of its name.
struct Facts {
  /// True for workers 0 and 1 if the kernel "gemm" was measured there.
  bool measured[2] = {true, true};
  bool gemm_is_sure = true;
};

class Model final : public ExecutionModel {
 public:
  explicit Model(const Facts& facts) : facts_(facts) {}
  [[nodiscard]] std::optional<Duration> predict(const graph::SizeClass& size_class, WorkerId worker) const override {
    const bool known = !is_gemm(size_class) || facts_.measured[worker.index()];
    return known ? std::optional(Duration(worker.index() == 0 ? 10 : 1)) : std::nullopt;
  }
  [[nodiscard]] bool is_sure(const graph::SizeClass& size_class, WorkerId) const override {
    return !is_gemm(size_class) || facts_.gemm_is_sure;
  }
  [[nodiscard]] std::size_t kernel(const graph::SizeClass& size_class) const override {
    return size_class.codelet->name.size();
  }
  Change measured(const graph::SizeClass&, WorkerId, Duration) override { return Change::kernel; }

 private:
  static bool is_gemm(const graph::SizeClass& size_class) { return size_class.codelet->name == "gemm"; }
  const Facts& facts_;
};

/// A core and a GPU. A worker has room while nothing is queued there.
struct Fixture {
  Fixture() {
    predictions.execution_times = ExecutionTimes(workers.size());
    for (Codelet* codelet : {&gemm, &potrf}) {
      for (const WorkerState& worker : workers) codelet->implement(worker.kind, [](const KernelContext&) {});
    }
    for (WorkerState& worker : workers) worker.type = times.number_of(worker.kind);
  }
  ReadyTask ready(const Codelet& codelet, int rows = 1) {
    const Access access = read(tests::register_matrix(host.graph, numbers, rows, 1));
    host.graph.submit({codelet, {&access, 1}, {}, {}}).value_or_throw();
    const graph::Task* task = host.ready.pop_front();
    ReadyTask result{TaskId(next++), task->codelet, 0};
    result.size_class = submitted->classify(*task);
    return result;
  }
  /// Returns the numbers of the tasks that were held.
  Words hold(Trials& trials, const std::vector<ReadyTask>& tasks) {
    Words held;
    for (const ReadyTask& task : tasks) {
      if (trials.hold(task, times.of(task.size_class, {workers, predictions}))) held.push_back(word(task.id));
    }
    return held;
  }
  Trials::Scheduler scheduler() {
    const auto has_room = [](const WorkerState& worker) { return worker.queued == 0; };
    const auto place = [this](const ReadyTask& task, WorkerId worker, bool tried) {
      placed.push_back(word(task.id) + (worker.valid() ? " on " + std::to_string(worker.value()) : " nowhere") +
                       (tried ? ", tried" : ""));
      if (worker.valid()) ++workers[worker.index()].queued;
    };
    return {times, {workers, predictions}, {}, has_room, place};
  }
  /// Returns the tasks that are placed. The tasks for the policy go to `shown`.
  Words release(Trials& trials) {
    placed.clear();
    shown.clear();
    trials.release(scheduler(), shown);
    return placed;
  }
  Words waiting(const Trials& trials) {
    Words words;
    for (const ReadyTask& task : trials.waiting_for_room(scheduler())) words.push_back(word(task.id));
    return words;
  }
  static std::string word(TaskId task) { return std::to_string(task.value()); }

  std::vector<double> numbers = std::vector<double>(20);
  std::uint64_t next = 0;
  std::shared_ptr<SubmittedTasks> submitted = std::make_shared<SubmittedTasks>();
  tests::StepHost host{graph::GraphOptions{.device_kinds = kEveryKind}};
  Codelet gemm = Codelet::variadic("gemm");
  Codelet potrf = Codelet::variadic("potrf");
  Facts facts;
  KernelTimes times{std::make_unique<Model>(facts), submitted, PolicyTraits{}};
  Predictions predictions;
  std::vector<WorkerState> workers{{.id = WorkerId(0), .kind = DeviceKind::cpu_core},
                                   {.id = WorkerId(1), .kind = DeviceKind::cuda}};
  Words placed;
  std::vector<ReadyTask> shown;
};

}  // namespace trials

BOOST_FIXTURE_TEST_SUITE(trials, Fixture)

BOOST_AUTO_TEST_CASE(the_smallest_are_tried_as_many_as_measurements_are_missing) {
  facts.measured[1] = false;
  Trials trials(false);
  const std::vector<ReadyTask> tasks{ready(gemm, 9), ready(gemm, 2), ready(gemm, 7), ready(gemm, 1), ready(gemm, 3)};
  BOOST_TEST(hold(trials, tasks) == (Words{"0", "1", "2", "3", "4"}), kPerElement);
  workers[0].queued = 1;
  BOOST_TEST(release(trials) == (Words{"3 on 1, tried", "1 on 1, tried", "4 on 1, tried"}), kPerElement);
  BOOST_TEST(trials.held() == 2U);
  BOOST_TEST(release(trials).empty());
  // One of the trials has failed, so another task is tried.
  trials.ended(times.kernel_of(tasks[3].size_class), workers[1].type);
  BOOST_TEST(release(trials) == (Words{"2 on 1, tried"}), kPerElement);
  // The last task goes to the core, whose time is known, as soon as the core has room.
  workers[0].queued = 0;
  BOOST_TEST(release(trials) == (Words{"0 on 0"}), kPerElement);
  BOOST_TEST(trials.held() == 0U);
  BOOST_TEST(shown.empty());
}

BOOST_AUTO_TEST_CASE(held_tasks_are_the_policy_s_when_their_times_are_known) {
  facts.measured[1] = false;
  workers[0].queued = 1;
  Trials trials(false);
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 5; ++t) tasks.push_back(ready(gemm));
  (void)hold(trials, tasks);
  BOOST_TEST(release(trials).size() == 3U);
  facts.measured[1] = true;
  times.learn_again({workers, predictions});
  BOOST_TEST(release(trials).empty());
  BOOST_REQUIRE(shown.size() == 2U);
  BOOST_TEST((shown[0].id == tasks[3].id && shown[1].id == tasks[4].id));
  BOOST_TEST(hold(trials, {ready(gemm)}).empty());
}

BOOST_AUTO_TEST_CASE(where_times_are_not_sure_all_tasks_wait_for_room_in_their_order) {
  Trials trials(false);
  BOOST_TEST(hold(trials, {ready(potrf)}).empty());
  facts.gemm_is_sure = false;
  BOOST_TEST(hold(trials, {ready(gemm), ready(potrf), ready(gemm)}) == (Words{"1", "2", "3"}), kPerElement);
  BOOST_TEST(release(trials).empty());
  BOOST_TEST(shown.empty());
  BOOST_TEST(waiting(trials) == (Words{"1", "2", "3"}), kPerElement);
  const std::vector<TaskId> gone{TaskId(1), TaskId(3)};
  trials.remove(gone);
  // No unsure task is left, so the policy decides about the sure one.
  BOOST_TEST(release(trials).empty());
  BOOST_TEST(shown.size() == 1U);
  BOOST_TEST(trials.held() == 0U);
}

BOOST_AUTO_TEST_CASE(a_policy_that_keeps_tasks_decides_by_times_that_are_not_sure) {
  facts.gemm_is_sure = false;
  Trials trials(true);
  BOOST_TEST(hold(trials, {ready(gemm)}).empty());
}

BOOST_AUTO_TEST_CASE(a_lost_worker_gets_no_trials_and_what_nobody_runs_is_given_up) {
  facts.measured[0] = facts.measured[1] = false;
  Trials trials(false);
  (void)hold(trials, {ready(gemm), ready(gemm)});
  workers[1].lost = true;
  times.learn_again({workers, predictions});
  BOOST_TEST(release(trials) == (Words{"0 on 0, tried", "1 on 0, tried"}), kPerElement);
  (void)hold(trials, {ready(gemm)});
  workers[0].lost = true;
  times.learn_again({workers, predictions});
  BOOST_TEST(release(trials) == (Words{"2 nowhere"}), kPerElement);
  BOOST_TEST(trials.held() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
