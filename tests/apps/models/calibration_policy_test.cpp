#include "apps/models/calibration_policy.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/codelet.hpp"

namespace troupe::apps {

namespace calibration_policy {

struct Fixture {
  Fixture() {
    predictions.execution_times = scheduler::ExecutionTimes(3);
    workers.push_back({WorkerId(0), DeviceKind::cpu_core});
    workers.push_back({WorkerId(1), DeviceKind::cpu_core});
    workers.push_back({WorkerId(2), DeviceKind::emulated});
    workers.back().type = 1;
  }
  scheduler::ReadyTask task(SizeClassId size_class) {
    scheduler::ReadyTask ready;
    ready.id = TaskId(next++);
    ready.codelet = &codelet.definition();
    ready.size_class = size_class;
    return ready;
  }
  std::vector<WorkerId> place(const std::vector<scheduler::ReadyTask>& tasks) {
    std::vector<WorkerId> placement(tasks.size());
    Random random(1);
    scheduler::Snapshot snapshot;
    snapshot.workers = workers;
    snapshot.predictions = &predictions;
    CalibrationPolicy(ledger).place(tasks, snapshot, random, placement);
    return placement;
  }

  std::uint64_t next = 0;
  const Codelet codelet = Codelet("work", {}).cpu([](const KernelContext&) {});
  scheduler::Predictions predictions;
  std::vector<scheduler::WorkerState> workers;
  const std::shared_ptr<CalibrationLedger> ledger = std::make_shared<CalibrationLedger>();
};

}  // namespace calibration_policy

BOOST_FIXTURE_TEST_SUITE(calibration_policy, Fixture)

BOOST_AUTO_TEST_CASE(each_class_takes_turns_on_all_types_of_device_and_a_type_s_workers_share) {
  const SizeClassId a(0);
  const SizeClassId b(1);
  const auto placed = place({task(a), task(a), task(a), task(a), task(b)});
  const std::vector<WorkerId> expected{WorkerId(0), WorkerId(2), WorkerId(1), WorkerId(2), WorkerId(0)};
  for (std::size_t i = 0; i < expected.size(); ++i) BOOST_TEST(placed[i].value() == expected[i].value(), i);
}

BOOST_AUTO_TEST_CASE(a_worker_that_cannot_run_a_class_gets_none_of_it) {
  const SizeClassId a(0);
  predictions.execution_times.set(a, WorkerId(2), scheduler::ExecutionTimes::kNever);
  for (const WorkerId worker : place({task(a), task(a), task(a)})) BOOST_TEST(worker.value() < 2U);
  BOOST_TEST(ledger->has(3));
}

BOOST_AUTO_TEST_CASE(enough_is_when_every_class_has_had_as_many_on_every_type_of_device) {
  BOOST_TEST(!ledger->has(0));
  (void)place({task(SizeClassId(0)), task(SizeClassId(0))});
  BOOST_TEST(ledger->has(1));
  BOOST_TEST(!ledger->has(2));
  (void)place({task(SizeClassId(1))});
  BOOST_TEST(!ledger->has(1));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
