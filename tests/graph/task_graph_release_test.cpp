// Tests the ends of registrations: when memory is freed, and what happens to tasks that still use the memory. Tasks run
// one at a time.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/codelets/execution_scope.hpp"
#include "graph/task_graph.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::graph {

namespace task_graph_release {

using tests::contains;
using tests::register_scalar;
using tests::StepHost;
using tests::submit;
using tests::try_submit;

struct Fixture {
  StepHost host{GraphOptions{.workers = 2, .late_bytes = 1000}};
  TaskGraph& graph = host.graph;
  Codelet set = Codelet("set", {AccessMode::write}).cpu([](VectorView<double> x) { x[0] = 1; });
  Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([](double& x) { x *= 2; });
  /// A codelet whose kernel performs the action in its argument.
  Codelet does = Codelet("does", {}).cpu([](const std::function<void()>* action) { (*action)(); });

  /// Registers memory of the runtime. `watch` expires when this memory is freed.
  Handle allocate(std::weak_ptr<void>& watch, std::int64_t count = 10) {
    auto memory = std::make_shared<std::vector<double>>(static_cast<std::size_t>(count));
    watch = memory;
    DataDescription description{
        layout_of<double>(count, 1, count), reinterpret_cast<std::byte*>(memory->data()), nullptr, {}};
    description.hidden = true;
    description.owned = std::move(memory);
    return graph.register_apart(std::move(description)).value_or_throw();
  }
  Result<Handle> register_number(double& number, const std::string& name) {
    return graph.register_apart({layout_of<double>(1, 1, 1), reinterpret_cast<std::byte*>(&number), nullptr, name});
  }
  /// Performs an action in a task's kernel, before all other ready tasks run.
  Future run_in_kernel(const std::function<void()>& action) {
    TaskList later;
    later.append(host.ready);
    const Future future = submit(graph, does, {}, args(&action));
    host.step();
    later.append(host.ready);
    host.ready.append(later);
    return future;
  }
};

}  // namespace task_graph_release

BOOST_FIXTURE_TEST_SUITE(task_graph_release, Fixture)

BOOST_AUTO_TEST_CASE(memory_of_the_runtime_goes_after_its_last_use_and_nobody_waits) {
  host.pumps = false;
  std::weak_ptr<void> watch;
  const Handle x = allocate(watch);
  submit(graph, set, {x});
  submit(graph, set, {x});
  BOOST_TEST(graph.release(x).ok());
  BOOST_TEST(!watch.expired());
  BOOST_TEST((try_submit(graph, set, {x}).failure().code == ErrorCode::invalid_handle));
  host.step();
  BOOST_TEST(!watch.expired());
  host.step();
  BOOST_TEST(watch.expired());
  BOOST_TEST(graph.wait_all().ok());
  // If no task uses the data, their memory is freed at once.
  const Handle unused = allocate(watch);
  BOOST_TEST(graph.release(unused).ok());
  BOOST_TEST(watch.expired());
}

BOOST_AUTO_TEST_CASE(memory_that_somebody_else_has_is_waited_for) {
  auto memory = std::make_shared<std::vector<double>>(1);
  const Handle x =
      graph.register_apart({layout_of<double>(1, 1, 1), reinterpret_cast<std::byte*>(memory->data()), memory, {}})
          .value_or_throw();
  submit(graph, set, {x});
  BOOST_TEST(graph.release(x).ok());
  BOOST_TEST(host.ready.empty());
  BOOST_TEST(memory->front() == 1);
}

BOOST_AUTO_TEST_CASE(too_much_memory_that_waits_for_its_last_use_is_waited_for) {
  std::vector<std::weak_ptr<void>> watches(13);
  for (std::weak_ptr<void>& watch : watches) {
    const Handle x = allocate(watch);
    submit(graph, set, {x});
    BOOST_TEST(graph.release(x).ok());
  }
  // Twelve releases of 80 bytes stay below the limit of 1000. The thirteenth exceeds the limit and runs the tasks that
  // use its memory.
  BOOST_TEST(watches.back().expired());
  BOOST_TEST(host.ready.empty());
}

BOOST_AUTO_TEST_CASE(memory_of_the_runtime_may_end_in_kernels_and_callbacks) {
  std::weak_ptr<void> watch;
  const std::function<void()> action = [&] {
    const Handle x = allocate(watch);
    submit(graph, set, {x});
    graph.let_go(x);
  };
  run_in_kernel(action);
  BOOST_TEST(!watch.expired());
  host.run_all();
  BOOST_TEST(watch.expired());
  const std::function<void()> nothing = [] {};
  submit(graph, does, {}, args(&nothing), {.callback = [&](const TaskOutcome&) { action(); }});
  host.run_all();
  BOOST_TEST(watch.expired());
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(memory_of_the_program_that_nobody_uses_may_end_in_a_kernel) {
  double number = 1;
  const std::function<void()> action = [&] {
    graph.let_go(register_number(number, "number").value_or_throw());
    graph.let_go(register_number(number, "again").value_or_throw());
  };
  run_in_kernel(action);
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(memory_of_the_program_that_ends_in_a_kernel_before_its_last_use_fails_the_task) {
  double number = 1;
  Future future;
  bool registered_again = false;
  const std::function<void()> action = [&] {
    const Handle x = register_number(number, "local").value_or_throw();
    future = submit(graph, twice, {x});
    submit(graph, twice, {x});
    graph.let_go(x);
    // The kernel's local variables may be gone, so another variable may use their memory.
    registered_again = register_number(number, "next").ok();
  };
  const Future failed = run_in_kernel(action);
  BOOST_TEST((graph.status(failed) == TaskStatus::failed));
  BOOST_TEST(registered_again);
  host.run_all();
  BOOST_TEST(number == 1);
  BOOST_TEST((graph.status(future) == TaskStatus::cancelled));
  const auto why = graph.wait(future);
  BOOST_TEST_REQUIRE(!why.ok());
  BOOST_TEST(contains(why.failure().message, "the memory of 'local' is gone"));
  const auto summary = graph.wait_all();
  BOOST_TEST_REQUIRE(!summary.ok());
  BOOST_TEST((summary.failure().code == ErrorCode::wait_in_kernel));
  BOOST_TEST(contains(summary.failure().message, "1 task failed, 2 tasks were cancelled"), summary.failure().message);
  BOOST_TEST(contains(summary.failure().message, "(codelet does) failed"), summary.failure().message);
  BOOST_TEST(contains(summary.failure().message, "'local' is memory of the program"), summary.failure().message);
  // The failure has been reported and is not reported again.
  BOOST_TEST(graph.wait_all().ok());
  const Handle other = register_scalar(graph, number, "other");
  submit(graph, twice, {other});
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(number == 2);
}

BOOST_AUTO_TEST_CASE(memory_of_the_program_that_ends_in_a_callback_is_reported) {
  double number = 1;
  const std::function<void()> nothing = [] {};
  submit(graph, does, {}, args(&nothing), {.callback = [&](const TaskOutcome&) {
           const Handle x = register_number(number, "local").value_or_throw();
           submit(graph, twice, {x});
           graph.let_go(x);
         }});
  host.run_all();
  BOOST_TEST(number == 1);
  const auto summary = graph.wait_all();
  BOOST_TEST_REQUIRE(!summary.ok());
  BOOST_TEST(contains(summary.failure().message, "'local' is memory of the program"), summary.failure().message);
  BOOST_TEST(contains(summary.failure().message, "1 task was cancelled, 1 other failure"), summary.failure().message);
}

BOOST_AUTO_TEST_CASE(the_last_callback_of_data_may_end_their_registration) {
  double number = 1;
  const Handle x = register_number(number, "x").value_or_throw();
  // When the callback is discarded, its captured objects are destroyed, which ends the registration.
  std::shared_ptr<void> end(nullptr, [&](void*) { graph.let_go(x); });
  submit(graph, twice, {x}, {}, {.callback = [end = std::move(end)](const TaskOutcome&) {}});
  host.run_all();
  BOOST_TEST(number == 2);
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(register_number(number, "again").ok());
}

BOOST_AUTO_TEST_CASE(a_call_in_a_kernel_that_would_have_to_wait_is_refused_and_changes_nothing) {
  double number = 1;
  const Handle x = register_number(number, "x").value_or_throw();
  const std::function<void()> action = [&] {
    BOOST_TEST((graph.release(x).failure().code == ErrorCode::wait_in_kernel));
    submit(graph, twice, {x});
  };
  run_in_kernel(action);
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(number == 2);
}

BOOST_AUTO_TEST_CASE(a_registration_that_ends_while_its_thread_holds_the_data_is_reported) {
  double number = 1;
  const Handle x = register_number(number, "held").value_or_throw();
  Task* const hold = graph.acquire(x, AccessMode::read_write).value_or_throw();
  const Future later = submit(graph, twice, {x});
  graph.let_go(x);
  graph.give_back(hold);
  host.run_all();
  BOOST_TEST((graph.status(later) == TaskStatus::cancelled));
  const auto summary = graph.wait_all();
  BOOST_TEST_REQUIRE(!summary.ok());
  BOOST_TEST(contains(summary.failure().message, "that this thread holds (acquire), 'held' in mode read_write"),
             summary.failure().message);
  BOOST_TEST(register_number(number, "again").ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
