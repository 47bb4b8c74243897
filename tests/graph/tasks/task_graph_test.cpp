// Tests data, waiting and progress. Tasks run one at a time.
#include "graph/task_graph.hpp"

#include <boost/test/unit_test.hpp>
#include <thread>
#include <vector>

#include "graph/data/data_record.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::graph {

namespace task_graph {

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
  Handle x = register_scalar(graph, value, "x");
  Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([](double& x) { x *= 2; });
  Codelet look = Codelet("look", {AccessMode::read}).cpu([](const double&) {});
  Codelet fails = Codelet("fails", {AccessMode::read_write}).cpu([](double&) { throw std::runtime_error("broken"); });
};

}  // namespace task_graph

BOOST_FIXTURE_TEST_SUITE(task_graph, Fixture)

BOOST_AUTO_TEST_CASE(tasks_become_ready_when_their_predecessors_have_ended) {
  submit(graph, twice, {x});
  submit(graph, twice, {x});
  BOOST_TEST(host.ready.size() == 1U);
  BOOST_TEST(!host.last_activated_by.valid());
  host.step();
  BOOST_TEST(value == 2);
  BOOST_TEST(host.ready.size() == 1U);
  host.step();
  BOOST_TEST(value == 4);
  BOOST_TEST(graph.progress().submitted == 2U);
  BOOST_TEST(graph.progress().ended == 2U);
}

BOOST_AUTO_TEST_CASE(tasks_keep_their_priorities_unless_all_are_to_be_equal) {
  for (const bool kept : {true, false}) {
    StepHost other{GraphOptions{.priorities = kept}};
    double number = 1;
    const Handle data = register_scalar(other.graph, number, "data");
    submit(other.graph, twice, {data}, {}, {.priority = 7});
    BOOST_TEST(other.ready.front()->priority == (kept ? 7 : 0));
    other.run_all();
  }
}

BOOST_AUTO_TEST_CASE(a_future_knows_how_its_task_ended_even_when_the_memory_is_another_tasks) {
  const Future succeeded = submit(graph, twice, {x});
  const Future failed = submit(graph, fails, {x});
  const Future cancelled = submit(graph, twice, {x});
  BOOST_TEST((succeeded.status() == TaskStatus::pending));
  BOOST_TEST(!succeeded.done());
  const auto check = [&] {
    BOOST_TEST((succeeded.status() == TaskStatus::succeeded));
    BOOST_TEST((failed.status() == TaskStatus::failed));
    BOOST_TEST((cancelled.status() == TaskStatus::cancelled));
    BOOST_TEST(graph.wait(succeeded).ok());
    BOOST_TEST((graph.wait(failed).failure().code == ErrorCode::kernel_failed));
    BOOST_TEST(contains(graph.wait(failed).failure().message, "broken"));
    BOOST_TEST((graph.wait(cancelled).failure().code == ErrorCode::cancelled));
  };
  host.run_all();
  check();
  double other = 0;
  const Handle y = register_scalar(graph, other);
  for (int i = 0; i < 1000; ++i) submit(graph, twice, {y});
  check();
  host.run_all();
  check();
  // An explicit dependency on an ended task still has an effect: after a failed task, the new task is cancelled.
  BOOST_TEST((submit(graph, twice, {y}, {}, {.after = {succeeded}}).status() == TaskStatus::pending));
  const Future after_failed = submit(graph, twice, {y}, {}, {.after = {failed}});
  host.run_all();
  BOOST_TEST((after_failed.status() == TaskStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(waiting_runs_what_is_needed) {
  const Future first = submit(graph, twice, {x});
  const Future second = submit(graph, twice, {x});
  BOOST_TEST(graph.wait(first).ok());
  BOOST_TEST(first.done());
  BOOST_TEST(!second.done());
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(second.done());
}

BOOST_AUTO_TEST_CASE(a_wait_that_can_never_end_says_so_and_leaves_everything_in_order) {
  Task* const hold = graph.acquire(x, AccessMode::read_write).value();
  const Future task = submit(graph, twice, {x});
  BOOST_TEST((graph.wait(task).failure().code == ErrorCode::invalid_argument));
  BOOST_TEST((graph.wait_all().failure().code == ErrorCode::invalid_argument));
  BOOST_TEST((graph.acquire(x, AccessMode::read).failure().code == ErrorCode::invalid_argument));
  BOOST_TEST((graph.release(x).failure().code == ErrorCode::invalid_argument));
  graph.give_back(hold);
  BOOST_TEST(graph.wait(task).ok());
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(value == 2);
  BOOST_TEST(graph.release(x).ok());
}

BOOST_AUTO_TEST_CASE(the_host_takes_part_in_the_order_of_accesses) {
  submit(graph, twice, {x});
  Task* const reading = graph.acquire(x, AccessMode::read).value();
  BOOST_TEST(value == 2);
  submit(graph, look, {x});
  BOOST_TEST(host.ready.size() == 1U);
  submit(graph, twice, {x});
  host.run_all();
  BOOST_TEST(value == 2);
  Task* const writing = [&] {
    graph.give_back(reading);
    return graph.acquire(x, AccessMode::write).value();
  }();
  BOOST_TEST(value == 4);
  submit(graph, twice, {x});
  BOOST_TEST(host.ready.empty());
  value = 10;
  graph.give_back(writing);
  host.run_all();
  BOOST_TEST(value == 20);
}

BOOST_AUTO_TEST_CASE(the_host_cannot_commute_or_reduce) {
  for (const AccessMode mode : {AccessMode::commute, AccessMode::reduce}) {
    BOOST_TEST((graph.acquire(x, mode).failure().code == ErrorCode::invalid_argument));
  }
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(releasing_waits_for_the_last_use) {
  submit(graph, twice, {x});
  BOOST_TEST(graph.release(x).ok());
  BOOST_TEST(value == 2);
  BOOST_TEST((graph.release(x).failure().code == ErrorCode::invalid_handle));
  BOOST_TEST((try_submit(graph, twice, {x}).failure().code == ErrorCode::invalid_handle));
  BOOST_TEST((graph.acquire(x, AccessMode::read).failure().code == ErrorCode::invalid_handle));
}

BOOST_AUTO_TEST_CASE(a_whole_and_its_parts_are_ordered) {
  std::vector<double> data{1, 1, 1, 1};
  const Handle whole = register_matrix(graph, data, 4, 1, "v");
  const Codelet add_one = Codelet("add one", {AccessMode::read_write}).cpu([](VectorView<double> v) {
    for (double& element : v) element += 1;
  });
  const Codelet sum = Codelet("sum", {AccessMode::read_write}).cpu([](VectorView<double> v) {
    double total = 0;
    for (const double element : v) total += element;
    for (double& element : v) element = total;
  });
  submit(graph, add_one, {whole});
  const std::vector<Block> blocks{{0, 0, 2, 1}, {2, 0, 2, 1}};
  const auto parts = graph.partition(whole, blocks).value();
  BOOST_TEST(data[0] == 2);
  submit(graph, sum, {parts[0]});
  submit(graph, add_one, {parts[1]});
  BOOST_TEST(host.ready.size() == 2U);
  submit(graph, sum, {whole});
  submit(graph, add_one, {parts[1]});
  BOOST_TEST(graph.wait_all().ok());
  const std::vector<double> expected{14, 14, 15, 15};
  BOOST_TEST(data == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_task_submitted_while_a_handle_is_divided_is_ordered_before_tasks_on_its_parts) {
  std::vector<double> data{1, 1};
  const Handle whole = register_matrix(graph, data, 2, 1);
  const Codelet triple = Codelet("triple", {AccessMode::read_write}).cpu([](VectorView<double> v) {
    for (double& element : v) element *= 3;
  });
  // `partition` waits for the whole matrix and runs this kernel meanwhile. The kernel submits a task on the whole
  // matrix.
  const Codelet submits = Codelet("submits", {AccessMode::read_write}).cpu([&](VectorView<double> v) {
    v[0] = v[1] = 2;
    submit(graph, triple, {whole});
  });
  submit(graph, submits, {whole});
  const std::vector<Block> blocks{{0, 0, 1, 1}, {1, 0, 1, 1}};
  const auto parts = graph.partition(whole, blocks).value();
  const Codelet add_one = Codelet("add one", {AccessMode::read_write}).cpu([](double& element) { element += 1; });
  submit(graph, add_one, {parts[0]});
  BOOST_TEST(graph.wait_all().ok());
  const std::vector<double> expected{7, 6};
  BOOST_TEST(data == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(reductions_are_combined_before_anybody_looks) {
  value = 100;
  BOOST_TEST(graph.set_reduction(x, sum_reduction<double>()).ok());
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([](double& x, double a) { x += a; });
  for (int i = 1; i <= 10; ++i) submit(graph, add, {x}, args(static_cast<double>(i)));
  BOOST_TEST(host.ready.size() == 10U);
  for (std::uint32_t i = 0; i < 10; ++i) host.step(WorkerId(0));
  BOOST_TEST(value == 100);
  submit(graph, twice, {x});
  host.run_all();
  BOOST_TEST(value == 310);
  submit(graph, add, {x}, args(5.0));
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(value == 315);
  submit(graph, add, {x}, args(5.0));
  graph.give_back(graph.acquire(x, AccessMode::read).value());
  BOOST_TEST(value == 320);
  submit(graph, add, {x}, args(5.0));
  BOOST_TEST(graph.release(x).ok());
  BOOST_TEST(value == 325);
}

BOOST_AUTO_TEST_CASE(waiting_for_everything_combines_reductions_that_tasks_began_meanwhile) {
  BOOST_TEST(graph.set_reduction(x, sum_reduction<double>()).ok());
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([](double& x) { x += 1; });
  const Codelet spawn = Codelet("spawn", {}).cpu([&](const KernelContext&) {
    for (int i = 0; i < 3; ++i) submit(graph, add, {x});
  });
  submit(graph, spawn, {});
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(value == 4);
}

BOOST_AUTO_TEST_CASE(a_reduction_needs_both_methods) {
  BOOST_TEST((graph.set_reduction(x, {}).failure().code == ErrorCode::invalid_argument));
  BOOST_TEST((graph.set_reduction(x, {[](const DataView&) {}, nullptr}).failure().code == ErrorCode::invalid_argument));
}

BOOST_AUTO_TEST_CASE(kernels_submit_to_their_own_worker_and_may_not_wait) {
  std::vector<ErrorCode> codes;
  const Codelet nested = Codelet("nested", {AccessMode::read}).cpu([&](const double&) {
    const Future future = submit(graph, twice, {x});
    codes.push_back(graph.wait(future).failure().code);
    codes.push_back(graph.wait_all().failure().code);
    codes.push_back(graph.acquire(x, AccessMode::read).failure().code);
    codes.push_back(graph.release(x).failure().code);
    codes.push_back(graph.set_reduction(x, sum_reduction<double>()).failure().code);
    codes.push_back(graph.partition(x, {}).failure().code);
  });
  submit(graph, nested, {x});
  host.step(WorkerId(0));
  BOOST_TEST(codes.size() == 6U);
  for (const ErrorCode code : codes) BOOST_TEST((code == ErrorCode::wait_in_kernel));
  host.run_all();
  BOOST_TEST(value == 2);
}

BOOST_AUTO_TEST_CASE(a_full_window_makes_the_submitter_work) {
  for (const std::size_t window : {1, 2, 3, 4, 10}) {
    GraphOptions options;
    options.window = window;
    StepHost small(options);
    double counter = 0;
    const Handle y = register_scalar(small.graph, counter);
    const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](double& x) { x += 1; });
    for (int i = 0; i < 100; ++i) {
      submit(small.graph, add, {y});
      const Progress progress = small.graph.progress();
      BOOST_TEST_REQUIRE(progress.submitted - progress.ended <= window);
    }
    BOOST_TEST(small.graph.wait_all().ok());
    BOOST_TEST(counter == 100);
  }
}

BOOST_AUTO_TEST_CASE(a_full_window_of_tasks_that_wait_for_the_program_is_an_error) {
  GraphOptions options;
  options.window = 2;
  StepHost small(options);
  double counter = 0;
  const Handle y = register_scalar(small.graph, counter);
  Task* const hold = small.graph.acquire(y, AccessMode::read_write).value();
  submit(small.graph, twice, {y});
  submit(small.graph, twice, {y});
  BOOST_TEST((try_submit(small.graph, twice, {y}).failure().code == ErrorCode::invalid_argument));
  small.graph.give_back(hold);
  BOOST_TEST(try_submit(small.graph, twice, {y}).ok());
  BOOST_TEST(small.graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(tasks_take_bounded_memory_however_many_there_are) {
  GraphOptions options;
  options.window = 1000;
  StepHost small(options);
  double counter = 0;
  const Handle y = register_scalar(small.graph, counter);
  for (int i = 0; i < 50000; ++i) submit(small.graph, i % 3 == 0 ? twice : look, {y});
  BOOST_TEST(small.graph.wait_all().ok());
  BOOST_TEST(small.graph.footprint() < 2000 * sizeof(Task));
}

BOOST_AUTO_TEST_CASE(nothing_is_accepted_after_the_stop) {
  submit(graph, twice, {x});
  graph.stop_submissions().value_or_throw();
  BOOST_TEST((try_submit(graph, twice, {x}).failure().code == ErrorCode::stopped));
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(value == 2);
}

BOOST_AUTO_TEST_CASE(an_environment_is_made_once_and_lives_as_long_as_the_graph) {
  static int made = 0;
  static int alive = 0;
  made = alive = 0;
  const Environment environment = []() -> std::shared_ptr<void> {
    ++made;
    return {new int(++alive), [](const int* p) {
              --alive;
              delete p;
            }};
  };
  {
    StepHost other;
    double counter = 0;
    const Handle y = register_scalar(other.graph, counter);
    Codelet first = twice;
    const Codelet second = Codelet("second", {AccessMode::read}).cpu([](const double&) {}).environment(environment);
    const Codelet third = Codelet("third", {AccessMode::read}).cpu([](const double&) {}).environment(environment);
    submit(other.graph, first, {y});
    BOOST_TEST(made == 0);
    submit(other.graph, second, {y});
    submit(other.graph, third, {y});
    submit(other.graph, second, {y});
    BOOST_TEST(other.graph.wait_all().ok());
    BOOST_TEST(made == 1);
    BOOST_TEST(alive == 1);
  }
  BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(a_codelet_may_die_before_its_tasks_run) {
  {
    const auto amount = std::make_shared<double>(5);
    const Codelet temporary = Codelet("temporary", {AccessMode::read_write}).cpu([amount](double& x) { x += *amount; });
    submit(graph, temporary, {x});
  }
  host.run_all();
  BOOST_TEST(value == 6);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
