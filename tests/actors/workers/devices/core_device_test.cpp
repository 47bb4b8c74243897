#include "actors/workers/devices/core_device.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "tests/actors/graph_fixture.hpp"

namespace troupe::workers {

namespace core_device {

using tests::GraphFixture;

/// A clock that advances by one nanosecond each time it is read.
class CountingClock final : public platform::Clock {
 public:
  [[nodiscard]] TimeStamp now() const noexcept override { return TimeStamp(++looks_); }

 private:
  mutable std::int64_t looks_ = 0;
};

struct Fixture {
  GraphFixture tasks{2};
  CountingClock clock;
  WorkerTrace trace;
  TeamCounters used;
  const CoreDevice::Options options{.graph = &tasks.graph,
                                    .worker = WorkerId(1),
                                    .name = "cpu core 7",
                                    .trace = &trace,
                                    .clock = &clock,
                                    .team_use = &used};
  std::unique_ptr<CoreDevice> core = std::make_unique<CoreDevice>(options);

  void give_team(int members) {
    CoreTeam::Options team;
    team.helpers.resize(static_cast<std::size_t>(members) - 1);
    core = std::make_unique<CoreDevice>(options, std::make_unique<CoreTeam>(std::move(team)));
  }

  /// Runs one ready task of the codelet. Returns the text of its failure; empty if it succeeded.
  std::string run(const Codelet& codelet, const std::vector<Access>& accesses = {}, const TaskOptions& options = {}) {
    tasks.submit(codelet, accesses, options);
    graph::TaskList ready = tasks.take_ready();
    BOOST_TEST_REQUIRE(!ready.empty());
    graph::Task* task = ready.pop_front();
    const Started started = core->start(*task);
    BOOST_TEST(started.finished);
    tasks.graph.complete(*task, started.cause, WorkerId(1), ready);
    if (!started.cause) return {};
    code = started.cause->code;
    return started.cause->message;
  }

  /// The error code of the last failure.
  ErrorCode code{};
};

std::vector<TaskSpan> traced(const WorkerTrace::Content& content) {
  std::vector<TaskSpan> spans;
  content.tasks.for_each([&](const TaskSpan& span) { spans.push_back(span); });
  return spans;
}

}  // namespace core_device

BOOST_FIXTURE_TEST_SUITE(core_device, Fixture)

BOOST_AUTO_TEST_CASE(it_has_the_name_it_was_given) { BOOST_TEST(core->name() == "cpu core 7"); }

BOOST_AUTO_TEST_CASE(a_kernel_sees_its_data_worker_and_task) {
  double value = 2;
  const Handle handle = tasks.scalar(value);
  WorkerId worker;
  TaskId task;
  const Codelet codelet = Codelet("twice", {AccessMode::read_write}).cpu([&](const KernelContext& context) {
    context.scalar<double>(0) *= 2;
    worker = context.worker;
    task = context.task;
  });
  BOOST_TEST(run(codelet, {handle}) == "");
  BOOST_TEST(value == 4);
  BOOST_TEST((worker == WorkerId(1)));
  BOOST_TEST(task.valid());
}

BOOST_AUTO_TEST_CASE(what_a_kernel_throws_names_task_codelet_worker_device_and_cause) {
  const Codelet codelet = Codelet("bad", {}).cpu([](const KernelContext&) { throw std::runtime_error("no luck"); });
  const std::string message = run(codelet, {}, {.name = "the third"});
  for (const char* part : {"'the third'", "codelet bad", "worker 1", "cpu core 7", "no luck"}) {
    BOOST_TEST_CONTEXT(message << " should tell of " << part) { BOOST_TEST(message.find(part) != std::string::npos); }
  }
  BOOST_TEST((code == ErrorCode::kernel_failed));
}

BOOST_AUTO_TEST_CASE(an_error_keeps_its_code) {
  const Codelet codelet = Codelet("potrf", {}).cpu([](const KernelContext&) {
    throw Error(ErrorCode::numerical, "leading minor 3 is not positive definite");
  });
  BOOST_TEST(run(codelet).find("leading minor 3") != std::string::npos);
  BOOST_TEST((code == ErrorCode::numerical));
}

BOOST_AUTO_TEST_CASE(a_kernel_may_throw_anything) {
  const Codelet codelet = Codelet("odd", {}).cpu([](const KernelContext&) { throw 42; });
  BOOST_TEST(run(codelet).find("no std::exception") != std::string::npos);
  // The device still works.
  BOOST_TEST(run(Codelet("fine", {}).cpu([](const KernelContext&) {})) == "");
}

BOOST_AUTO_TEST_CASE(a_reducing_kernel_gets_the_partial_result_of_its_worker) {
  double sum = 10;
  const Handle handle = tasks.scalar(sum);
  tasks.graph.set_reduction(handle, sum_reduction<double>()).value_or_throw();
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([&](const KernelContext& context) {
    BOOST_TEST(&context.scalar<double>(0) != &sum);
    context.scalar<double>(0) += 1;
  });
  BOOST_TEST(run(add, {handle}) == "");
  BOOST_TEST(run(add, {handle}) == "");
  BOOST_TEST(sum == 10);
  double result = 0;
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([&](const double& value) { result = value; });
  tasks.submit(look, {handle});
  for (graph::TaskList ready = tasks.take_ready(); !ready.empty();) {
    graph::Task* task = ready.pop_front();
    tasks.graph.complete(*task, core->start(*task).cause, WorkerId(1), ready);
  }
  BOOST_TEST(result == 12);
}

BOOST_AUTO_TEST_CASE(an_initializer_that_throws_fails_the_task) {
  double sum = 0;
  const Handle handle = tasks.scalar(sum);
  ReductionMethods methods = sum_reduction<double>();
  methods.initialize = [](const DataView&) { throw std::runtime_error("no zero here"); };
  tasks.graph.set_reduction(handle, methods).value_or_throw();
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([](const KernelContext&) {});
  BOOST_TEST(run(add, {handle}).find("no zero here") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_trace_tells_what_ran_when_and_how_much_it_computed) {
  const Codelet counted =
      Codelet("counted", {}).cpu([](const KernelContext&) {}).flops([](const KernelContext&) { return 123.0; });
  run(counted, {}, {.priority = 5, .name = "first"});
  run(Codelet("uncounted", {}).cpu([](const KernelContext&) {}));
  const auto content = trace.take(TimeStamp(1000));
  const std::vector<TaskSpan> spans = traced(content);
  BOOST_TEST_REQUIRE(spans.size() == 2U);
  BOOST_TEST(spans[0].codelet->name == "counted");
  BOOST_TEST(spans[0].flops == 123.0);
  BOOST_TEST(spans[0].priority == 5);
  BOOST_TEST(!spans[0].failed);
  BOOST_TEST(spans[0].start.count() < spans[0].end.count());
  BOOST_TEST(spans[0].end.count() < spans[1].start.count());
  BOOST_TEST(spans[1].flops == 0.0);
  BOOST_TEST_REQUIRE(content.names.size() == 1U);
  BOOST_TEST(content.names[0].name == "first");
}

BOOST_AUTO_TEST_CASE(a_kernel_that_failed_is_in_the_trace_as_such) {
  run(Codelet("bad", {}).cpu([](const KernelContext&) { throw std::runtime_error("no luck"); }));
  const std::vector<TaskSpan> spans = traced(trace.take(TimeStamp(1000)));
  BOOST_TEST_REQUIRE(spans.size() == 1U);
  BOOST_TEST(spans[0].failed);
}

BOOST_AUTO_TEST_CASE(a_count_of_operations_that_throws_does_not_fail_the_task) {
  const Codelet codelet =
      Codelet("counted", {}).cpu([](const KernelContext&) {}).flops([](const KernelContext&) -> double {
        throw std::runtime_error("no idea");
      });
  BOOST_TEST(run(codelet) == "");
  const std::vector<TaskSpan> spans = traced(trace.take(TimeStamp(1000)));
  BOOST_TEST_REQUIRE(spans.size() == 1U);
  BOOST_TEST(spans[0].flops == 0.0);
}

BOOST_AUTO_TEST_CASE(a_cluster_runs_kernels_for_teams_with_its_cores_and_others_on_its_master) {
  give_team(3);
  int members = 0;
  const auto count = [&](const KernelContext& context) { members = context.team().size(); };
  BOOST_TEST(run(Codelet("for all", {}).cpu_team(count)) == "");
  BOOST_TEST(members == 3);
  BOOST_TEST(run(Codelet("for two", {}).cpu_team(count, 2)) == "");
  BOOST_TEST(members == 2);
  BOOST_TEST(run(Codelet("for one", {}).cpu(count)) == "");
  BOOST_TEST(members == 1);
  BOOST_TEST(run(Codelet("for all again", {}).cpu_team(count).cpu([&](const KernelContext&) { members = 0; })) == "");
  BOOST_TEST(members == 3);
}

BOOST_AUTO_TEST_CASE(on_a_single_core_a_kernel_for_teams_is_alone) {
  int members = 0;
  const auto count = [&](const KernelContext& context) { members = context.team().size(); };
  BOOST_TEST(run(Codelet("for all", {}).cpu_team(count)) == "");
  BOOST_TEST(members == 1);
}

/// Stands for 4 ms of computing. A sleeping thread needs no core, so other programs hardly change the measured time.
void compute() { std::this_thread::sleep_for(std::chrono::milliseconds(4)); }

BOOST_AUTO_TEST_CASE(a_kernel_on_the_master_alone_uses_one_cores_time) {
  give_team(4);
  const Codelet codelet = Codelet("alone", {}).cpu([](const KernelContext&) { compute(); });
  for (int i = 0; i < 3; ++i) run(codelet);
  const TeamUse use = used.sum();
  BOOST_TEST(use.used_fraction().value_or(0) == 0.25, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(seconds(use.offered) >= 3 * 4 * 4e-3);
  BOOST_TEST(use.unseen.count() == 0);
}

BOOST_AUTO_TEST_CASE(a_kernel_in_the_team_uses_the_time_in_which_members_compute) {
  give_team(2);
  const Codelet both = Codelet("both", {}).cpu_team([](Team& team) { team.run([](int, int) { compute(); }); });
  const Codelet half = Codelet("half", {}).cpu_team([](Team& team) {
    compute();
    team.run([](int, int) { compute(); });
  });
  // On a busy machine the helper begins late in some rounds, so the round that comes nearest to `expected` counts.
  const auto share_of = [&](const Codelet& codelet, double expected) {
    double nearest = 9;
    for (int round = 0; round < 40 && std::abs(nearest - expected) > 0.05; ++round) {
      TeamUse use = used.sum();
      run(codelet);
      TeamUse now = used.sum();
      now -= use;
      const double fraction = now.used_fraction().value_or(9);
      BOOST_TEST_REQUIRE(fraction <= 1);
      if (std::abs(fraction - expected) < std::abs(nearest - expected)) nearest = fraction;
    }
    return nearest;
  };
  BOOST_TEST(share_of(both, 1) > 0.85);
  BOOST_TEST(share_of(half, 0.75) == 0.75, boost::test_tools::tolerance(0.1));
}

BOOST_AUTO_TEST_CASE(of_kernels_with_threads_of_their_own_the_use_is_not_known) {
  give_team(3);
  const auto nothing = [](Team&) -> std::shared_ptr<void> { return nullptr; };
  const auto work = [](const KernelContext&) { compute(); };
  run(Codelet("own threads", {}).cpu_team(work).prologue(nothing));
  BOOST_TEST(!used.sum().used_fraction());
  BOOST_TEST(seconds(used.sum().unseen) >= 3 * 4e-3);
  run(Codelet("on the master", {}).cpu(work));
  BOOST_TEST(used.sum().used_fraction().value_or(0) == 1.0 / 3, boost::test_tools::tolerance(1e-9));
  const std::vector<TaskSpan> spans = traced(trace.take(TimeStamp(1000)));
  BOOST_TEST_REQUIRE(spans.size() == 2U);
  BOOST_TEST(spans[0].cores == 3);
  BOOST_TEST(spans[0].used.count() < 0);
  BOOST_TEST(spans[1].cores == 3);
  BOOST_TEST(seconds(spans[1].used) >= 4e-3);
}

BOOST_AUTO_TEST_CASE(a_single_core_has_no_team_whose_time_is_used) {
  run(Codelet("fine", {}).cpu([](const KernelContext&) { compute(); }));
  BOOST_TEST((used.sum() == TeamUse{}));
  const std::vector<TaskSpan> spans = traced(trace.take(TimeStamp(1000)));
  BOOST_TEST_REQUIRE(spans.size() == 1U);
  BOOST_TEST(spans[0].cores == 1);
  BOOST_TEST(spans[0].used.count() < 0);
}

/// The log of all prologues: "+3" when a prologue began for a team of three, "-3" when its object was destroyed.
std::string prologues;  // NOLINT: a prologue is a plain function

std::shared_ptr<void> noted(Team& team) {
  const std::string size = std::to_string(team.size());
  prologues += "+" + size;
  return std::shared_ptr<void>(nullptr, [size](void*) { prologues += "-" + size; });
}

BOOST_AUTO_TEST_CASE(a_prologue_is_called_once_before_a_sequence_and_ended_after_it) {
  prologues.clear();
  give_team(3);
  const auto nothing = [](const KernelContext&) { prologues += "."; };
  const Codelet all = Codelet("all", {}).cpu_team(nothing).prologue(noted);
  const Codelet two = Codelet("two", {}).cpu_team(nothing, 2).prologue(noted);
  const Codelet plain = Codelet("plain", {}).cpu(nothing);
  for (const Codelet& codelet : {plain, all, all, two, two, plain, plain, all}) BOOST_TEST(run(codelet) == "");
  BOOST_TEST(prologues == ".+3..-3+2..-2..+3.");
  core.reset();
  BOOST_TEST(prologues == ".+3..-3+2..-2..+3.-3");
}

BOOST_AUTO_TEST_CASE(a_prologue_that_throws_fails_the_task_and_is_tried_again) {
  static int calls = 0;
  calls = 0;
  const auto fails = [](Team&) -> std::shared_ptr<void> {
    ++calls;
    throw std::runtime_error("no threads");
  };
  const Codelet codelet = Codelet("all", {}).cpu_team([](const KernelContext&) {}).prologue(fails);
  for (int i = 0; i < 2; ++i) BOOST_TEST(run(codelet).find("no threads") != std::string::npos);
  BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(a_members_failure_is_the_tasks_once) {
  give_team(3);
  const Codelet codelet = Codelet("bad", {}).cpu_team([](const KernelContext& context) {
    context.team().run([](int rank, int) {
      if (rank > 0) throw std::runtime_error("no luck for " + std::to_string(rank));
    });
  });
  const std::string message = run(codelet);
  for (const char* part : {"codelet bad", "cpu core 7", "no luck for 1"}) {
    BOOST_TEST_CONTEXT(message << " should tell of " << part) { BOOST_TEST(message.find(part) != std::string::npos); }
  }
  BOOST_TEST(message.find("no luck for 2") == std::string::npos);
  const std::vector<TaskSpan> spans = traced(trace.take(TimeStamp(1000)));
  BOOST_TEST_REQUIRE(spans.size() == 1U);
  BOOST_TEST(spans[0].failed);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
