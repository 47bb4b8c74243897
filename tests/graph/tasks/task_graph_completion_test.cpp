// Tests failure, cancellation and callbacks. Tasks run one at a time.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::graph {

namespace task_graph_failures {

using tests::contains;
using tests::register_matrix;
using tests::register_scalar;
using tests::StepHost;
using tests::submit;
using tests::try_submit;

struct Fixture {
  StepHost host;
  TaskGraph& graph = host.graph;
  double value = 1;
  double other = 1;
  Handle x = register_scalar(graph, value, "x");
  Handle y = register_scalar(graph, other, "y");
  Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([](double& x) { x *= 2; });
  Codelet set = Codelet("set", {AccessMode::write}).cpu([](double& x) { x = 7; });
  Codelet copy = Codelet("copy", {AccessMode::read, AccessMode::write}).cpu([](const double& a, double& b) { b = a; });
  Codelet fails = Codelet("fails", {AccessMode::read_write}).cpu([](double&) { throw std::runtime_error("broken"); });
  Codelet mix = Codelet("mix", {AccessMode::commute}).cpu([](double& x) { x += 1; });
  Codelet mix_fails =
      Codelet("mix fails", {AccessMode::commute}).cpu([](double&) { throw std::runtime_error("broken"); });

  bool valid(const Handle& handle) {
    const auto hold = graph.acquire(handle, AccessMode::read);
    if (hold) graph.give_back(hold.value());
    return hold.ok();
  }
  std::string why_invalid(const Handle& handle) { return graph.acquire(handle, AccessMode::read).failure().message; }
};

}  // namespace task_graph_failures

BOOST_FIXTURE_TEST_SUITE(task_graph_failures, Fixture)

BOOST_AUTO_TEST_CASE(what_depends_on_a_failed_task_is_cancelled_and_the_rest_completes) {
  const Future failed = submit(graph, fails, {x}, {}, {.name = "step 1"});
  const Future dependent = submit(graph, copy, {x, y}, {}, {.name = "step 2"});
  double third = 1;
  const Handle z = register_scalar(graph, third, "z");
  const Future further = submit(graph, copy, {y, z}, {}, {.name = "step 3"});
  double fourth = 1;
  const Handle w = register_scalar(graph, fourth, "w");
  const Future independent = submit(graph, twice, {w});
  host.run_all();
  BOOST_TEST((failed.status() == TaskStatus::failed));
  BOOST_TEST((dependent.status() == TaskStatus::cancelled));
  BOOST_TEST((further.status() == TaskStatus::cancelled));
  BOOST_TEST((independent.status() == TaskStatus::succeeded));
  const std::string message = graph.wait(further).failure().message;
  BOOST_TEST(contains(message, "'step 3'"));
  BOOST_TEST(contains(message, "codelet copy"));
  BOOST_TEST(contains(message, "'y' has no valid content"));
  BOOST_TEST(contains(message, "'step 1'"));
  BOOST_TEST(contains(message, "broken"));
  BOOST_TEST(!valid(x));
  BOOST_TEST(!valid(y));
  BOOST_TEST(!valid(z));
  BOOST_TEST(valid(w));
  const auto summary = graph.wait_all();
  BOOST_TEST((summary.failure().code == ErrorCode::kernel_failed));
  BOOST_TEST(contains(summary.failure().message, "1 task failed, 2 tasks were cancelled"));
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(waits_for_all_pass_over_failures_that_only_futures_report) {
  const Codelet quiet =
      Codelet::reported_by_futures("quiet").cpu([](const KernelContext&) { throw std::runtime_error("broken"); });
  const Future failed = submit(graph, quiet, {});
  const Future cancelled = submit(graph, quiet, {}, {}, {.after = {failed}});
  host.run_all();
  BOOST_TEST((failed.status() == TaskStatus::failed));
  BOOST_TEST((cancelled.status() == TaskStatus::cancelled));
  BOOST_TEST(contains(graph.wait(failed).failure().message, "broken"));
  BOOST_TEST(graph.wait_all().ok());
  // Tasks of other codelets that follow from such a failure are reported.
  submit(graph, twice, {x}, {}, {.after = {submit(graph, quiet, {})}});
  host.run_all();
  const auto summary = graph.wait_all();
  BOOST_TEST((summary.failure().code == ErrorCode::cancelled));
  BOOST_TEST(contains(summary.failure().message, "codelet twice"));
}

BOOST_AUTO_TEST_CASE(messages_do_not_grow_along_a_chain_of_cancelled_tasks) {
  std::vector<double> data(500);
  std::vector<Handle> chain;
  for (double& element : data) chain.push_back(register_scalar(graph, element));
  submit(graph, fails, {chain[0]});
  Future last;
  for (std::size_t i = 1; i < chain.size(); ++i) last = submit(graph, copy, {chain[i - 1], chain[i]});
  host.run_all();
  const std::string message = graph.wait(last).failure().message;
  BOOST_TEST(contains(message, "broken"));
  BOOST_TEST(message.size() < 400U);
}

BOOST_AUTO_TEST_CASE(data_are_valid_again_once_they_are_overwritten) {
  submit(graph, fails, {x});
  const Future cancelled = submit(graph, twice, {x});
  const Future overwrites = submit(graph, set, {x});
  const Future reads_new = submit(graph, twice, {x});
  host.run_all();
  BOOST_TEST((cancelled.status() == TaskStatus::cancelled));
  BOOST_TEST((overwrites.status() == TaskStatus::succeeded));
  BOOST_TEST((reads_new.status() == TaskStatus::succeeded));
  BOOST_TEST(value == 14);
  BOOST_TEST(valid(x));

  submit(graph, fails, {x});
  host.run_all();
  BOOST_TEST(contains(why_invalid(x), "broken"));
  graph.give_back(graph.acquire(x, AccessMode::write).value());
  BOOST_TEST(valid(x));
}

BOOST_AUTO_TEST_CASE(reading_does_not_make_data_invalid) {
  const Codelet reader = Codelet("reader", {AccessMode::read}).cpu([](const double&) { throw 5; });
  const Future failed = submit(graph, reader, {x});
  const Future after = submit(graph, twice, {x});
  host.run_all();
  BOOST_TEST((failed.status() == TaskStatus::failed));
  BOOST_TEST((after.status() == TaskStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(parts_fail_and_recover_on_their_own) {
  std::vector<double> data(4, 1);
  const Handle whole = register_matrix(graph, data, 4, 1, "v");
  const std::vector<Block> blocks{{0, 0, 2, 1}, {2, 0, 2, 1}};
  const auto parts = graph.partition(whole, blocks).value();
  const Codelet fails_on = Codelet("fails", {AccessMode::read_write}).cpu([](const KernelContext&) { throw 1; });
  const Codelet overwrites = Codelet("overwrites", {AccessMode::write}).cpu([](const KernelContext&) {});
  submit(graph, fails_on, {parts[0]});
  host.run_all();
  BOOST_TEST(!valid(parts[0]));
  BOOST_TEST(valid(parts[1]));
  BOOST_TEST(!valid(whole));
  submit(graph, overwrites, {parts[0]});
  host.run_all();
  BOOST_TEST(valid(whole));
  submit(graph, fails_on, {whole});
  host.run_all();
  for (const Handle& part : parts) BOOST_TEST(!valid(part));
  for (const Handle& part : parts) submit(graph, overwrites, {part});
  host.run_all();
  BOOST_TEST(valid(whole));
}

BOOST_AUTO_TEST_CASE(parts_inherit_and_bequeath_that_data_are_not_valid) {
  std::vector<double> data(4, 1);
  const Handle whole = register_matrix(graph, data, 4, 1, "v");
  const Codelet fails_on =
      Codelet("fails", {AccessMode::read_write}).cpu([](const KernelContext&) { throw std::runtime_error("broken"); });
  const Codelet overwrites = Codelet("overwrites", {AccessMode::write}).cpu([](const KernelContext&) {});
  submit(graph, fails_on, {whole});
  const std::vector<Block> blocks{{0, 0, 2, 1}, {2, 0, 2, 1}};
  auto parts = graph.partition(whole, blocks).value();
  BOOST_TEST(contains(why_invalid(parts[0]), "broken"));
  for (const Handle& part : parts) submit(graph, overwrites, {part});
  BOOST_TEST(graph.release(parts[0]).ok());
  BOOST_TEST(valid(whole));
  submit(graph, fails_on, {parts[1]});
  BOOST_TEST(graph.release(parts[1]).ok());
  BOOST_TEST(contains(why_invalid(whole), "broken"));
  submit(graph, overwrites, {whole});
  BOOST_TEST((graph.wait_all().failure().code == ErrorCode::kernel_failed));
  BOOST_TEST(valid(whole));
}

BOOST_AUTO_TEST_CASE(explicit_dependencies_order_and_cancel) {
  const Future first = submit(graph, twice, {x});
  const Future second = submit(graph, twice, {y}, {}, {.after = {first}});
  BOOST_TEST(host.ready.size() == 1U);
  host.run_all();
  BOOST_TEST(second.done());
  const Future failed = submit(graph, fails, {x});
  const Future after_failure = submit(graph, set, {y}, {}, {.after = {failed}});
  host.run_all();
  const Future long_after = submit(graph, set, {x}, {}, {.after = {failed}});
  host.run_all();
  BOOST_TEST((after_failure.status() == TaskStatus::cancelled));
  BOOST_TEST((long_after.status() == TaskStatus::cancelled));
  BOOST_TEST(!valid(y));
}

BOOST_AUTO_TEST_CASE(an_explicit_dependency_must_be_a_task_of_this_graph) {
  StepHost elsewhere;
  double foreign = 0;
  const Future future = submit(elsewhere.graph, twice, {register_scalar(elsewhere.graph, foreign)});
  BOOST_TEST((try_submit(graph, twice, {x}, {}, {.after = {future}}).failure().code == ErrorCode::invalid_argument));
  BOOST_TEST((try_submit(graph, twice, {x}, {}, {.after = {Future()}}).failure().code == ErrorCode::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_cancelled_task_does_not_run_unless_it_has_started) {
  const Future first = submit(graph, twice, {x});
  const Future second = submit(graph, twice, {x});
  const Future third = submit(graph, copy, {x, y});
  second.cancel();
  host.run_all();
  first.cancel();
  BOOST_TEST((first.status() == TaskStatus::succeeded));
  BOOST_TEST((second.status() == TaskStatus::cancelled));
  BOOST_TEST((third.status() == TaskStatus::cancelled));
  BOOST_TEST(value == 2);
  BOOST_TEST((graph.wait_all().failure().code == ErrorCode::cancelled));
}

BOOST_AUTO_TEST_CASE(cancelling_everything_leaves_later_tasks_alone) {
  const Future before = submit(graph, twice, {x});
  graph.cancel_all();
  const Future dependent = submit(graph, twice, {x});
  const Future after = submit(graph, twice, {y});
  host.run_all();
  BOOST_TEST((before.status() == TaskStatus::cancelled));
  BOOST_TEST((dependent.status() == TaskStatus::cancelled));
  BOOST_TEST((after.status() == TaskStatus::succeeded));
  BOOST_TEST(contains(graph.wait_all().failure().message, "the program cancelled all tasks"));
}

BOOST_AUTO_TEST_CASE(tasks_with_data_have_numbers_without_gaps) {
  // Ids are consecutive. So the failure log can store consecutive cancelled tasks as one interval.
  const Future first = submit(graph, twice, {x});
  const Future second = submit(graph, copy, {x, y});
  BOOST_TEST(second.id().value() == first.id().value() + 1);
}

BOOST_AUTO_TEST_CASE(graphs_that_take_their_numbers_from_one_counter_share_none) {
  std::atomic<std::uint64_t> numbers{0};
  GraphOptions options;
  options.task_ids = &numbers;
  StepHost one(options);
  StepHost other(options);
  const Codelet nothing = Codelet("nothing", {}).cpu([] {});
  std::vector<std::uint64_t> taken;
  for (int i = 0; i < 3; ++i) {
    taken.push_back(submit(one.graph, nothing, {}).id().value());
    taken.push_back(submit(other.graph, nothing, {}).id().value());
  }
  one.run_all();
  other.run_all();
  BOOST_TEST(taken[2] == taken[0] + 1);
  BOOST_TEST(taken[3] == taken[1] + 1);
  BOOST_TEST(taken[1] > taken[4]);
}

BOOST_AUTO_TEST_CASE(what_was_overwritten_costs_later_tasks_nothing) {
  submit(graph, fails, {x});
  host.run_all();
  BOOST_TEST(graph.failures().any_poison());
  submit(graph, set, {x});
  host.run_all();
  BOOST_TEST(!graph.failures().any_poison());
}

BOOST_AUTO_TEST_CASE(a_commuting_task_does_not_see_what_a_failed_one_left_behind) {
  // The two tasks commute, so each may start before the other's outcome is known. The second task waits for the
  // commute lock.
  submit(graph, mix_fails, {x});
  const Future second = submit(graph, mix, {x});
  TaskList ready;
  Task* const first = host.ready.pop_front();
  BOOST_TEST((graph.begin(*first, WorkerId(0), ready) == Begin::run));
  BOOST_TEST((graph.begin(*host.ready.pop_front(), WorkerId(0), ready) == Begin::parked));
  graph.complete(*first, tests::run_kernel(graph, *first, WorkerId(0)), WorkerId(0), ready);
  BOOST_TEST_REQUIRE(ready.size() == 1U);
  BOOST_TEST((graph.begin(*ready.pop_front(), WorkerId(0), ready) == Begin::ended));
  BOOST_TEST((second.status() == TaskStatus::cancelled));
  // The commute lock is free again.
  submit(graph, set, {x});
  const Future third = submit(graph, mix, {x});
  host.run_all();
  BOOST_TEST((third.status() == TaskStatus::succeeded));
  BOOST_TEST(value == 8);
}

BOOST_AUTO_TEST_CASE(a_cancelled_commuting_task_passes_its_turn_on) {
  submit(graph, mix, {x});
  const Future second = submit(graph, mix, {x});
  const Future third = submit(graph, mix, {x});
  TaskList ready;
  Task* const first = host.ready.pop_front();
  BOOST_TEST((graph.begin(*first, WorkerId(0), ready) == Begin::run));
  while (!host.ready.empty()) {
    BOOST_TEST((graph.begin(*host.ready.pop_front(), WorkerId(0), ready) == Begin::parked));
  }
  second.cancel();
  graph.complete(*first, tests::run_kernel(graph, *first, WorkerId(0)), WorkerId(0), ready);
  host.ready.append(ready);
  host.run_all();
  BOOST_TEST((second.status() == TaskStatus::cancelled));
  BOOST_TEST(third.done());
}

BOOST_AUTO_TEST_CASE(a_failed_reduction_is_not_combined) {
  BOOST_TEST(graph.set_reduction(x, sum_reduction<double>()).ok());
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([](double& x) { x += 1; });
  const Codelet add_fails = Codelet("add", {AccessMode::reduce}).cpu([](double& x) {
    x += 1000;
    throw std::runtime_error("broken");
  });
  submit(graph, add, {x});
  submit(graph, add_fails, {x});
  const Future reader = submit(graph, copy, {x, y});
  host.run_all();
  BOOST_TEST((reader.status() == TaskStatus::cancelled));
  BOOST_TEST(value == 1);
  BOOST_TEST(!graph.wait_all().ok());
  submit(graph, set, {x});
  submit(graph, add, {x});
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(value == 8);
}

BOOST_AUTO_TEST_CASE(what_was_contributed_to_a_reduction_before_a_cancellation_is_combined) {
  BOOST_TEST(graph.set_reduction(x, sum_reduction<double>()).ok());
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([](double& x) { x += 1; });
  submit(graph, add, {x});
  submit(graph, add, {x});
  // The reader ends the reduction, so the combining task exists already when all tasks are cancelled.
  const Future reader = submit(graph, copy, {x, y});
  host.step();
  host.step();
  graph.cancel_all();
  host.run_all();
  BOOST_TEST((reader.status() == TaskStatus::cancelled));
  BOOST_TEST(valid(x));
  BOOST_TEST(value == 3);
  BOOST_TEST(contains(graph.wait_all().failure().message, "codelet copy"));

  // A contribution to the reduction was cancelled, so the result is invalid.
  submit(graph, add, {x});
  submit(graph, add, {x});
  submit(graph, copy, {x, y});
  host.step();
  graph.cancel_all();
  host.run_all();
  BOOST_TEST(!valid(x));
  BOOST_TEST(value == 3);
}

BOOST_AUTO_TEST_CASE(an_initializer_or_combiner_that_throws_fails_a_task) {
  const auto throws = [](auto&&...) { throw std::runtime_error("no neutral element"); };
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([](double& x) { x += 1; });
  BOOST_TEST(graph.set_reduction(x, {throws, sum_reduction<double>().combine}).ok());
  const Future first = submit(graph, add, {x});
  host.run_all();
  BOOST_TEST((first.status() == TaskStatus::failed));
  BOOST_TEST(contains(graph.wait(first).failure().message, "no neutral element"));
  BOOST_TEST(!graph.wait_all().ok());

  BOOST_TEST(graph.set_reduction(y, {sum_reduction<double>().initialize, throws}).ok());
  const Future second = submit(graph, add, {y});
  const auto outcome = graph.wait_all();
  BOOST_TEST((second.status() == TaskStatus::succeeded));
  BOOST_TEST(contains(outcome.failure().message, "codelet combine"));
  BOOST_TEST(!valid(y));
}

BOOST_AUTO_TEST_CASE(callbacks_are_told_how_the_task_ended) {
  std::vector<TaskOutcome> outcomes;
  const auto note = [&](const TaskOutcome& outcome) { outcomes.push_back(outcome); };
  const Future first = submit(graph, twice, {x}, {}, {.callback = note});
  submit(graph, fails, {x}, {}, {.callback = note});
  submit(graph, twice, {x}, {}, {.callback = note});
  host.run_all();
  BOOST_TEST_REQUIRE(outcomes.size() == 3U);
  BOOST_TEST((outcomes[0].task == first.id()));
  BOOST_TEST((outcomes[0].status == TaskStatus::succeeded));
  BOOST_TEST(outcomes[0].message.empty());
  BOOST_TEST(!outcomes[0].code);
  BOOST_TEST((outcomes[1].status == TaskStatus::failed));
  BOOST_TEST(contains(outcomes[1].message, "broken"));
  BOOST_TEST((outcomes[1].code == ErrorCode::kernel_failed));
  BOOST_TEST((outcomes[2].status == TaskStatus::cancelled));
  BOOST_TEST(contains(outcomes[2].message, "'x'"));
  BOOST_TEST((outcomes[2].code == ErrorCode::cancelled));
}

BOOST_AUTO_TEST_CASE(a_callback_comes_before_what_waits_for_the_task) {
  std::vector<int> order;
  const Codelet note = Codelet("note", {AccessMode::read_write}).cpu([&](double&, int i) { order.push_back(i); });
  submit(graph, note, {x}, args(1), {.callback = [&](const TaskOutcome&) { order.push_back(2); }});
  submit(graph, note, {x}, args(3));
  host.run_all();
  BOOST_TEST((order == std::vector<int>{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(a_callback_that_throws_is_reported_and_changes_nothing_else) {
  const Future first = submit(graph, twice, {x}, {}, {.name = "loud", .callback = [](const TaskOutcome&) { throw 1; }});
  const Future second =
      submit(graph, twice, {x}, {}, {.callback = [](const TaskOutcome&) { throw std::runtime_error("called back"); }});
  const auto outcome = graph.wait_all();
  BOOST_TEST((outcome.failure().code == ErrorCode::callback_failed));
  BOOST_TEST(contains(outcome.failure().message, "2 other failures"));
  BOOST_TEST(contains(outcome.failure().message, "'loud'"));
  BOOST_TEST(contains(outcome.failure().message, "called back"));
  BOOST_TEST((first.status() == TaskStatus::succeeded));
  BOOST_TEST((second.status() == TaskStatus::succeeded));
  BOOST_TEST(value == 4);
}

BOOST_AUTO_TEST_CASE(a_callback_may_submit_but_not_wait) {
  ErrorCode code{};
  submit(graph, twice, {x}, {}, {.callback = [&](const TaskOutcome&) {
           submit(graph, twice, {x});
           code = graph.wait_all().failure().code;
         }});
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(value == 4);
  BOOST_TEST((code == ErrorCode::wait_in_kernel));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
