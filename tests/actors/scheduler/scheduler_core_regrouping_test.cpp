// Tests how the scheduler reacts when cores are regrouped.
#include <boost/test/unit_test.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "actors/scheduler/scheduler_core.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(scheduler_core_regrouping)

namespace {

using namespace std::chrono_literals;
constexpr TimeStamp kNow = std::chrono::seconds(1);

/// Predicts 100 us on one core and less on several cores. Records the numbers of cores and the measurements that the
/// scheduler reports.
class ByCores final : public ExecutionModel {
 public:
  struct Taught {
    std::map<std::uint32_t, int> cores;
    std::vector<int> measured_on;
  };
  explicit ByCores(Taught& taught) : taught_(taught) {}
  [[nodiscard]] std::optional<Duration> predict(const graph::SizeClass&, WorkerId worker) const override {
    return Duration(100us) / cores(worker);
  }
  Change measured(const graph::SizeClass&, WorkerId worker, Duration) override {
    taught_.measured_on.push_back(cores(worker));
    return Change::nothing;
  }
  void regrouped(WorkerId worker, const DeviceType& type) override { taught_.cores[worker.value()] = type.cores; }

 private:
  [[nodiscard]] int cores(WorkerId worker) const {
    const auto found = taught_.cores.find(worker.value());
    return found == taught_.cores.end() ? 1 : found->second;
  }
  Taught& taught_;
};

/// Places every task on the worker that will be free first, and records the loads that it saw.
class First final : public PlacingPolicy {
 public:
  explicit First(std::vector<WorkerState>& seen) : seen_(seen) {}
  void place(std::span<const ReadyTask> tasks, const Snapshot& snapshot, Random&,
             std::span<WorkerId> placement) override {
    seen_.assign(snapshot.workers.begin(), snapshot.workers.end());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      for (const WorkerState& worker : snapshot.workers) {
        if (!runs_on(tasks[i], worker, *snapshot.predictions)) continue;
        const auto time = [&](WorkerId one) { return snapshot.predictions->execution(tasks[i], one); };
        if (!placement[i].valid() || time(worker.id) < time(placement[i])) placement[i] = worker.id;
      }
    }
  }

 private:
  std::vector<WorkerState>& seen_;
};

/// A machine of three cores.
struct Machinery {
  Machinery() {
    codelet.implement(DeviceKind::cpu_core, [](const KernelContext&) {});
    SchedulerCore::Machine machine;
    machine.workers.assign(3, {DeviceKind::cpu_core, NodeId(0)});
    machine.links = TransferModel(1, {{}});
    machine.model = std::make_unique<ByCores>(taught);
    machine.submitted = submitted;
    scheduler = std::make_unique<SchedulerCore>(std::make_unique<First>(seen), std::move(machine), 1);
  }
  ReadyTask ready() {
    host.graph.submit({codelet, {}, {}, {}}).value_or_throw();
    graph::Task* task = host.ready.pop_front();
    ReadyTask result{task->task_id(), task->codelet, task->priority};
    result.size_class = submitted->classify(*task);
    return result;
  }
  Placed place() {
    const auto decision = scheduler->activated({{ready()}}, kNow);
    return decision.placed.empty() ? decision.tried.at(0) : decision.placed.at(0);
  }

  std::shared_ptr<SubmittedTasks> submitted = std::make_shared<SubmittedTasks>();
  tests::StepHost host{graph::GraphOptions{.device_kinds = kEveryKind, .observers = {submitted.get()}}};
  Codelet codelet = Codelet::variadic("work");
  ByCores::Taught taught;
  std::vector<WorkerState> seen;
  std::unique_ptr<SchedulerCore> scheduler;
};

BOOST_AUTO_TEST_CASE(who_has_more_cores_is_of_another_type_and_who_helps_gets_nothing) {
  Machinery m;
  BOOST_TEST(m.place().worker.value() == 0U);
  m.scheduler->happened({.kind = graph::TaskEvent::Kind::regrouped, .worker = WorkerId(1), .cores = 2});
  m.scheduler->happened({.kind = graph::TaskEvent::Kind::regrouped, .worker = WorkerId(2), .cores = 0});
  BOOST_TEST(m.place().worker.value() == 1U);
  BOOST_TEST(m.seen[0].type != m.seen[1].type);
  m.scheduler->happened({.kind = graph::TaskEvent::Kind::regrouped, .worker = WorkerId(0), .cores = 0});
  m.scheduler->happened({.kind = graph::TaskEvent::Kind::regrouped, .worker = WorkerId(1), .cores = 0});
  m.scheduler->happened({.kind = graph::TaskEvent::Kind::regrouped, .worker = WorkerId(2), .cores = 3});
  BOOST_TEST(m.place().worker.value() == 2U);
  for (std::uint32_t i = 0; i < 3; ++i)
    m.scheduler->happened({.kind = graph::TaskEvent::Kind::regrouped, .worker = WorkerId(i), .cores = 1});
  BOOST_TEST(m.place().worker.value() == 0U);
  BOOST_TEST(m.seen[0].type == m.seen[1].type);
  BOOST_TEST(m.seen[1].type == m.seen[2].type);
}

BOOST_AUTO_TEST_CASE(what_was_placed_on_another_number_of_cores_teaches_nothing) {
  Machinery m;
  const Placed before = m.place();
  m.scheduler->happened({.kind = graph::TaskEvent::Kind::regrouped, .worker = before.worker, .cores = 2});
  const Placed after = m.place();
  BOOST_TEST(after.worker.value() == before.worker.value());
  m.scheduler->happened(
      {.kind = graph::TaskEvent::Kind::ended, .worker = before.worker, .task = before.task, .at = kNow, .took = 100us});
  BOOST_TEST(m.taught.measured_on.empty());
  m.scheduler->happened(
      {.kind = graph::TaskEvent::Kind::ended, .worker = after.worker, .task = after.task, .at = kNow, .took = 50us});
  BOOST_TEST((m.taught.measured_on == std::vector{2}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
