#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/actors/simulating/machine_by_hand.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/simulation_options.hpp"

// Tests of tasks of pieces in virtual time. Idle cores help with the pieces.
namespace troupe::actors::by_hand {

namespace {

namespace data = boost::unit_test::data;

/// Returns options for a machine on which a task takes 100 us on a core and 10 us on a GPU.
SimulationOptions cores(int number, std::size_t gpus = 0) {
  SimulationOptions options = simulation(gpus);
  options.machine.cores = options.cores = number;
  return options;
}

/// Returns a codelet of ten pieces. Each adds one to its own elements.
Codelet in_ten(std::size_t grain = 1) {
  return Codelet("in ten", {AccessMode::read_write})
      .pieces([](const KernelContext&) { return 10; },
              [](std::size_t piece, const KernelContext& context) {
                const MatrixView<double> x = context.matrix<double>(0);
                for (auto row = static_cast<std::int64_t>(piece); row < x.rows; row += 10) x(row, 0) += 1;
              },
              grain)
      .implement(DeviceKind::cuda,
                 [](const KernelContext& context) {
                   const MatrixView<double> x = context.matrix<double>(0);
                   for (std::int64_t row = 0; row < x.rows; ++row) x(row, 0) += 1;
                 })
      .timed_as("test/kernel/double");
}

Duration makespan(const RunReport& report) { return report.virtual_time.value(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(pieces_in_virtual_time)

BOOST_DATA_TEST_CASE(idle_cores_help, data::make({"lws", "eager", "heft", "homeward", "multigrain"}), policy) {
  TestRuntime runtime(in_virtual_time(cores(4), policy));
  Values values(kElements);
  const Handle handle = registered(runtime, values);
  runtime.submit(in_ten(), {handle});
  BOOST_TEST(runtime.wait() == "");
  // Ten pieces of 10 us on four cores take three rounds.
  BOOST_TEST(makespan(runtime->report()) == microseconds(30));
  BOOST_TEST(std::ranges::count(values, 1.0) == std::ssize(values));
  std::uint64_t stolen = 0;
  std::uint64_t pieces = 0;
  for (const WorkerReport& worker : runtime->report().workers) {
    stolen += worker.counts.stolen_pieces;
    pieces += worker.counts.pieces;
  }
  BOOST_TEST(pieces == 10U);
  BOOST_TEST(stolen == 7U);
}

BOOST_AUTO_TEST_CASE(the_trace_shows_who_helped_with_what_and_for_how_long) {
  TestRuntime runtime(in_virtual_time(cores(4)));
  Values values(kElements);
  const TaskId task = runtime.submit(in_ten(), {registered(runtime, values)}).id();
  BOOST_TEST(runtime.wait() == "");
  const Trace trace = runtime->take_trace();
  BOOST_TEST_REQUIRE(trace.events.size() == 1U);
  Duration helped{};
  int helpers = 0;
  for (const TraceState& state : trace.states) {
    BOOST_TEST(state.task.valid() == (state.state == WorkerActivity::helping));
    if (state.state != WorkerActivity::helping) continue;
    BOOST_TEST((state.task == task));
    BOOST_TEST((state.worker != trace.events[0].worker));
    helped += state.end - state.start;
    ++helpers;
  }
  BOOST_TEST(helpers == 3);
  // The task has ten pieces of 10 us. The worker that began it has run three of them, and the other cores seven.
  BOOST_TEST((trace.events[0].duration() == microseconds(30)));
  BOOST_TEST((helped == microseconds(70)));
}

BOOST_AUTO_TEST_CASE(a_core_takes_a_grain_at_a_time) {
  TestRuntime runtime(in_virtual_time(cores(4)));
  Values values(kElements);
  const Handle handle = registered(runtime, values);
  runtime.submit(in_ten(4), {handle});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(makespan(runtime->report()) == microseconds(40));
}

BOOST_AUTO_TEST_CASE(pieces_are_counted_once_where_tasks_may_be_submitted) {
  TestRuntime runtime(in_virtual_time(cores(2)));
  int counted = 0;
  const Codelet nested = Codelet("nested", {}).cpu([](const KernelContext&) {}).timed_as("test/kernel/double");
  for (const std::int64_t pieces : {0, 1, 10}) {
    Values values(kElements);
    const Codelet submits = Codelet("submits", {AccessMode::read_write})
                                .pieces(
                                    [&, pieces](const KernelContext&) {
                                      ++counted;
                                      runtime.submit(nested);
                                      return pieces;
                                    },
                                    [](std::size_t piece, const KernelContext& context) {
                                      context.matrix<double>(0)(static_cast<std::int64_t>(piece), 0) += 1;
                                    })
                                .timed_as("test/kernel/double");
    counted = 0;
    runtime.submit(submits, {registered(runtime, values)});
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(counted == 1);
    BOOST_TEST(std::ranges::count(values, 1.0) == pieces);
  }
  BOOST_TEST(runtime->report().ended == 6U);
}

BOOST_AUTO_TEST_CASE(one_core_takes_as_long_as_for_a_whole) {
  TestRuntime runtime(in_virtual_time(cores(1)));
  Values values(kElements);
  const Handle handle = registered(runtime, values);
  for (int i = 0; i < 3; ++i) runtime.submit(in_ten(), {handle});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(makespan(runtime->report()) == 3 * kOnCore);
}

BOOST_AUTO_TEST_CASE(who_is_free_goes_on_while_others_are_in_their_last_pieces) {
  // Three tasks of ten pieces on three cores. A core that finds no more pieces of a task begins the next task.
  TestRuntime runtime(in_virtual_time(cores(3), "multigrain"));
  std::vector<Values> values(3, Values(kElements));
  for (Values& one : values) runtime.submit(in_ten(), {registered(runtime, one)});
  BOOST_TEST(runtime.wait() == "");
  // The thirty pieces of 10 us run on three cores without a gap.
  BOOST_TEST(makespan(runtime->report()) == microseconds(100));
}

BOOST_DATA_TEST_CASE(a_core_goes_back_to_work_of_its_own, data::make({0, 1}), lookahead) {
  SimulationOptions options = cores(2);
  options.accelerators.ahead.core = static_cast<std::size_t>(lookahead);
  TestRuntime runtime(in_virtual_time(options, "multigrain"));
  Values large(kElements);
  Values small(kElements);
  runtime.submit(in_ten(), {registered(runtime, large)});
  // No worker can help with this task. It becomes ready when both cores are busy with pieces.
  const Codelet plain = Codelet("plain", {AccessMode::read_write}).cpu([](const KernelContext&) {});
  runtime.submit(std::move(Codelet(plain)).timed_as("test/kernel/double"), {registered(runtime, small)});
  BOOST_TEST(runtime.wait() == "");
  std::vector<Span> all = spans(runtime->take_trace());
  BOOST_TEST_REQUIRE(all.size() == 2U);
  // The plain task starts at once or after the first piece, not after all pieces.
  BOOST_TEST(all[1].start <= microseconds(10));
  BOOST_TEST(makespan(runtime->report()) <= microseconds(110));
}

BOOST_AUTO_TEST_CASE(the_next_begins_when_nobody_can_join) {
  // Each super-task (a task of pieces) has two pieces of 50 us, so four cores run two super-tasks at a time.
  TestRuntime runtime(in_virtual_time(cores(4), "multigrain"));
  std::vector<Values> values(4, Values(kElements));
  for (Values& one : values) runtime.submit(in_ten(5), {registered(runtime, one)});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(makespan(runtime->report()) == kOnCore);
  // A super-task of one piece occupies a single core, so four cores run four super-tasks at a time.
  TestRuntime whole(in_virtual_time(cores(4), "multigrain"));
  for (Values& one : values) whole.submit(in_ten(10), {registered(whole, one)});
  BOOST_TEST(whole.wait() == "");
  BOOST_TEST(makespan(whole->report()) == kOnCore);
}

BOOST_AUTO_TEST_CASE(reuse_decides_which_super_tasks_the_accelerator_runs) {
  for (const bool by_position : {false, true}) {
    TestRuntime runtime(in_virtual_time(cores(1, 1), "multigrain:ahead=0"));
    std::vector<Values> values(3, Values(kElements));
    std::vector<Handle> handles;
    for (Values& one : values) handles.push_back(registered(runtime, one));
    // Without this call, the last vector is the one with the most uses.
    if (by_position) BOOST_TEST(runtime->set_reuse(handles[0], 1000).ok());
    const Codelet look = Codelet("look", {AccessMode::read}).cpu([](const KernelContext&) {});
    for (const Handle& handle : handles) runtime.submit(in_ten(), {handle});
    const Codelet timed = std::move(Codelet(look)).timed_as("test/kernel/double");
    for (int i = 0; i < 5; ++i) runtime.submit(timed, {handles[2]});
    BOOST_TEST(runtime.wait() == "");
    const std::vector<Span> all = spans(runtime->take_trace());
    BOOST_TEST_REQUIRE(all.size() == 8U);
    BOOST_TEST(all[by_position ? 0 : 2].worker.value() == 1U);
    BOOST_TEST(all[by_position ? 0 : 2].start <= kCopy);
  }
}

BOOST_AUTO_TEST_CASE(an_accelerator_runs_it_whole) {
  TestRuntime runtime(in_virtual_time(cores(1, 1), "multigrain:ahead=0"));
  std::vector<Values> values(2, Values(kElements));
  std::vector<Handle> handles;
  for (Values& one : values) handles.push_back(registered(runtime, one));
  for (const Handle& handle : handles) runtime.submit(in_ten(), {handle});
  BOOST_TEST(runtime.wait() == "");
  const RunReport report = runtime->report();
  BOOST_TEST(report.workers[1].counts.tasks == 1U);
  BOOST_TEST(report.workers[1].counts.pieces == 0U);
  BOOST_TEST(makespan(report) == kOnCore);
  for (std::size_t i = 0; i < 2; ++i) {
    graph::Task* hold = runtime->graph().acquire(handles[i], AccessMode::read).value_or_throw();
    BOOST_TEST(std::ranges::count(values[i], 1.0) == std::ssize(values[i]));
    runtime->graph().give_back(hold);
  }
}

BOOST_DATA_TEST_CASE(cores_take_back_what_an_accelerator_has_not_begun, data::make({false, true}), takes_back) {
  // Both tasks go to the accelerator, the second one before the first has ended. If the cores take the second task
  // back, they must wait until the copy of its data has ended.
  TestRuntime runtime(in_virtual_time(cores(2, 1), takes_back ? "multigrain:take-back" : "multigrain"));
  std::vector<Values> values(2, Values(kElements));
  for (Values& one : values) runtime.submit(in_ten(), {registered(runtime, one)});
  BOOST_TEST(runtime.wait() == "");
  const RunReport report = runtime->report();
  BOOST_TEST(report.workers[2].counts.tasks == (takes_back ? 1U : 2U));
  BOOST_TEST(report.workers[0].counts.pieces + report.workers[1].counts.pieces == (takes_back ? 10U : 0U));
  BOOST_TEST(makespan(report) == 2 * kCopy + (takes_back ? kOnCore / 2 : kOnGpu));
  BOOST_TEST(runtime.wait() == "");
}

BOOST_AUTO_TEST_CASE(a_piece_that_throws_fails_the_task) {
  TestRuntime runtime(in_virtual_time(cores(3)));
  Values values(kElements);
  const Handle handle = registered(runtime, values);
  const Codelet broken = Codelet("broken", {AccessMode::read_write})
                             .pieces([](const KernelContext&) { return 10; },
                                     [](std::size_t piece, const KernelContext&) {
                                       if (piece == 4) throw std::runtime_error("gave up");
                                     })
                             .timed_as("test/kernel/double");
  runtime.submit(broken, {handle});
  const std::string message = runtime.wait();
  BOOST_TEST(tests::contains(message, "piece 4 of 10: gave up"), message);
  // When piece 4 fails, another worker has just taken the seventh piece. No worker takes the last three pieces.
  BOOST_TEST(makespan(runtime->report()) == microseconds(30));
}

BOOST_AUTO_TEST_CASE(a_worker_that_dies_in_a_piece_fails_its_task_and_no_other) {
  TestRuntime runtime(in_virtual_time(cores(3)));
  Values values(kElements);
  Values other(kElements);
  const Handle handle = registered(runtime, values);
  const Codelet kills = Codelet("kills", {AccessMode::read_write})
                            .pieces([](const KernelContext&) { return 10; },
                                    [&](std::size_t piece, const KernelContext& context) {
                                      const std::uint32_t next = (context.worker.value() + 1) % 3;
                                      if (piece == 0) runtime->kill_worker(WorkerId(next));
                                    })
                            .timed_as("test/kernel/double");
  runtime.submit(kills, {handle});
  runtime.submit(in_ten(), {registered(runtime, other)});
  const std::string message = runtime.wait();
  BOOST_TEST(tests::contains(message, "(codelet kills) was lost with "), message);
  BOOST_TEST(std::ranges::count(other, 1.0) == std::ssize(other));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors::by_hand
