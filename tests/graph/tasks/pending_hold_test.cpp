/// Tests acquisitions of data and waits that block no thread, and graphs that share workers.
#include "graph/tasks/pending_hold.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/support/step_host.hpp"

using namespace troupe;
using troupe::graph::PendingHold;
using troupe::tests::StepHost;

BOOST_AUTO_TEST_SUITE(pending_hold)

namespace {

struct Endings final : graph::TaskEndings {
  void ended(std::uint64_t tag, TaskStatus status, const graph::FailureLog::Cause& cause) noexcept override {
    ++count;
    if (tag != 0) by_tag[tag] = status;
    if (cause) messages.push_back(cause->message);
  }
  void cancelled_unbegun(std::uint64_t tasks) noexcept override {
    count += tasks;
    unbegun.push_back(tasks);
  }
  std::size_t count = 0;
  std::vector<std::uint64_t> unbegun;
  std::map<std::uint64_t, TaskStatus> by_tag;
  std::vector<std::string> messages;
};

struct Fixture {
  explicit Fixture(std::uint64_t first_id = 1) : host(options(first_id)) {}

  graph::GraphOptions options(std::uint64_t first_id) {
    graph::GraphOptions result;
    result.shares_workers = true;
    result.endings = &endings;
    result.first_id = first_id;
    result.handle_ids = &ids;
    return result;
  }
  Handle add(double& value) {
    return host.graph.register_data({layout_of<double>(1, 1, 1), reinterpret_cast<std::byte*>(&value), nullptr, "x"});
  }
  Future submit(const Codelet& codelet, std::vector<Access> accesses, std::uint64_t tag = 0) {
    return host.graph.submit({codelet, accesses, {}, {}, tag}).value_or_throw();
  }

  Endings endings;
  std::atomic<std::uint64_t> ids{100};
  StepHost host;
  const Codelet add_one = Codelet("add one", {AccessMode::read_write}).cpu([](double& x) { x += 1; });
  const Codelet fails = Codelet("fails", {AccessMode::write}).cpu([](double&) { throw std::runtime_error("no luck"); });
};

}  // namespace

BOOST_AUTO_TEST_CASE(data_that_no_task_uses_are_there_at_once) {
  Fixture f;
  double x = 1;
  const Handle handle = f.add(x);
  int ready = 0;
  auto pending = f.host.graph.begin_acquire(handle, AccessMode::read, [&] { ++ready; }).value_or_throw();
  BOOST_TEST(ready == 1);
  graph::Task* const hold = f.host.graph.finish_acquire(*pending).value_or_throw();
  f.submit(f.add_one, {handle});
  BOOST_TEST(f.host.ready.empty());  // The task waits, because the program has acquired the data.
  f.host.graph.give_back(hold);
  BOOST_TEST(f.host.ready.size() == 1U);
  f.host.run_all();
  BOOST_TEST(x == 2);
}

BOOST_AUTO_TEST_CASE(ready_is_called_when_the_last_task_before_it_has_ended) {
  Fixture f;
  double x = 1;
  const Handle handle = f.add(x);
  f.submit(f.add_one, {handle});
  f.submit(f.add_one, {handle});
  int ready = 0;
  auto pending = f.host.graph.begin_acquire(handle, AccessMode::read, [&] { ++ready; }).value_or_throw();
  f.submit(f.add_one, {handle});
  f.host.step();
  BOOST_TEST(ready == 0);
  f.host.step();
  BOOST_TEST(ready == 1);
  BOOST_TEST(f.host.ready.empty());
  graph::Task* const hold = f.host.graph.finish_acquire(*pending).value_or_throw();
  BOOST_TEST(x == 3);
  f.host.graph.give_back(hold);
  f.host.run_all();
  BOOST_TEST(x == 4);
}

BOOST_AUTO_TEST_CASE(runs_that_have_not_begun_are_cancelled_whole_not_task_by_task) {
  Fixture f;
  double x = 1;
  const Handle handle = f.add(x);
  const auto recording = std::make_shared<graph::Recording>("loop");
  auto scope = f.host.graph.begin_recording(*recording).value_or_throw();
  for (int i = 0; i < 3; ++i) f.submit(f.add_one, {handle});
  scope.reset();
  f.host.graph.seal_recording(*recording);
  for (std::uint64_t tag = 1; tag <= 2; ++tag) (void)f.host.graph.replay(recording, {}, tag).value_or_throw();
  f.host.graph.cancel_all();
  f.host.run_all();
  BOOST_TEST(f.endings.unbegun == (std::vector<std::uint64_t>{3, 3}), boost::test_tools::per_element());
  BOOST_TEST(f.endings.count == 8U);
  BOOST_TEST((f.endings.by_tag.at(2) == TaskStatus::cancelled));
  BOOST_TEST(f.host.graph.progress().ended == 8U);
  BOOST_TEST(x == 1);
}

BOOST_AUTO_TEST_CASE(data_of_a_failed_task_cannot_be_read_but_written) {
  Fixture f;
  double x = 1;
  const Handle handle = f.add(x);
  f.submit(f.fails, {handle});
  f.host.run_all();
  auto reading = f.host.graph.begin_acquire(handle, AccessMode::read, [] {}).value_or_throw();
  const auto read = f.host.graph.finish_acquire(*reading);
  BOOST_TEST_REQUIRE(!read.ok());
  BOOST_TEST(read.failure().message.find("no luck") != std::string::npos);
  auto writing = f.host.graph.begin_acquire(handle, AccessMode::write, [] {}).value_or_throw();
  f.host.graph.give_back(f.host.graph.finish_acquire(*writing).value_or_throw());
  // The failed acquisition must not block later tasks.
  f.submit(f.add_one, {handle});
  BOOST_TEST(f.host.ready.size() == 1U);
  f.host.run_all();
}

BOOST_AUTO_TEST_CASE(a_release_waits_for_the_last_use_and_refuses_further_ones_at_once) {
  Fixture f;
  double x = 1;
  const Handle handle = f.add(x);
  f.submit(f.add_one, {handle});
  int ready = 0;
  auto pending = f.host.graph.begin_change(handle, true, [&] { ++ready; }).value_or_throw();
  BOOST_TEST(ready == 0);
  const auto late = f.host.graph.submit({f.add_one, std::vector<Access>{handle}, {}, {}});
  BOOST_TEST_REQUIRE(!late.ok());
  BOOST_TEST((late.failure().code == ErrorCode::invalid_handle));
  BOOST_TEST(!f.host.graph.begin_change(handle, true, [] {}).ok());
  f.host.step();
  BOOST_TEST(ready == 1);
  BOOST_TEST(f.host.graph.finish_release(*pending).ok());
  BOOST_TEST(!f.host.graph.begin_acquire(handle, AccessMode::read, [] {}).ok());
}

BOOST_AUTO_TEST_CASE(a_release_that_is_taken_back_allows_nothing_that_another_request_refuses) {
  Fixture f;
  graph::TaskGraph& graph = f.host.graph;
  std::vector<double> v{1, 2};
  const Handle whole =
      graph.register_data({layout_of<double>(2, 1, 2), reinterpret_cast<std::byte*>(v.data()), nullptr, "v"});
  const std::vector<Block> blocks{{0, 0, 1, 1}, {1, 0, 1, 1}};
  const std::vector<Handle> parts = graph.partition(whole, blocks).value_or_throw();
  const auto refused = [&](const Handle& handle) {
    return !graph.submit({f.add_one, std::vector<Access>{handle}, {}, {}}).ok();
  };
  // The whole is in use, so both requests wait.
  const Codelet doubles = Codelet("doubles", {AccessMode::read_write}).cpu([](VectorView<double> x) { x[0] *= 2; });
  f.submit(doubles, {whole});
  auto released = graph.begin_change(parts[0], true, [] {}).value_or_throw();
  auto divided = graph.begin_repartition(whole, std::vector<Block>{{0, 0, 2, 1}}, true, [] {}).value_or_throw().pending;
  BOOST_TEST_REQUIRE(divided != nullptr);
  BOOST_TEST(refused(parts[0]));
  graph.withdraw(*released);
  BOOST_TEST(refused(parts[0]));
  BOOST_TEST(refused(parts[1]));
  graph.withdraw(*divided);
  BOOST_TEST(!refused(parts[0]));
  BOOST_TEST(!refused(parts[1]));
  f.host.run_all();
  graph.finish_withdrawn(*released);
  graph.finish_withdrawn(*divided);
  f.host.run_all();
  BOOST_TEST(v[0] == 3);
  BOOST_TEST(v[1] == 3);
}

BOOST_AUTO_TEST_CASE(a_partition_waits_and_tasks_on_the_whole_submitted_meanwhile_come_before_those_on_parts) {
  Fixture f;
  std::vector<double> v{1, 2};
  const Handle whole =
      f.host.graph.register_data({layout_of<double>(2, 1, 2), reinterpret_cast<std::byte*>(v.data()), nullptr, "v"});
  const Codelet doubles = Codelet("doubles", {AccessMode::read_write}).cpu([](VectorView<double> x) {
    for (double& e : x) e *= 2;
  });
  f.submit(doubles, {whole});
  int ready = 0;
  auto pending = f.host.graph.begin_change(whole, false, [&] { ++ready; }).value_or_throw();
  f.submit(doubles, {whole});
  f.host.step();
  BOOST_TEST(ready == 1);
  const std::vector<Block> blocks{{0, 0, 1, 1}, {1, 0, 1, 1}};
  const auto parts = f.host.graph.finish_partition(*pending, blocks).value_or_throw();
  BOOST_TEST_REQUIRE(parts.size() == 2U);
  f.submit(f.add_one, {parts[1]});
  f.host.run_all();
  BOOST_TEST(v[0] == 4);
  BOOST_TEST(v[1] == 9);
}

BOOST_AUTO_TEST_CASE(a_reduction_without_methods_is_refused_and_leaves_the_data_usable) {
  Fixture f;
  double x = 1;
  const Handle handle = f.add(x);
  auto pending = f.host.graph.begin_change(handle, false, [] {}).value_or_throw();
  BOOST_TEST(!f.host.graph.finish_set_reduction(*pending, {}).ok());
  auto second = f.host.graph.begin_change(handle, false, [] {}).value_or_throw();
  BOOST_TEST(f.host.graph.finish_set_reduction(*second, sum_reduction<double>()).ok());
  const Codelet contribute = Codelet("contribute", {AccessMode::reduce}).cpu([](double& partial) { partial += 5; });
  f.submit(contribute, {handle}, 1);
  f.submit(contribute, {handle}, 2);
  while (f.host.graph.combine_open_reductions()) f.host.run_all();
  BOOST_TEST(x == 11);
  BOOST_TEST(f.endings.by_tag.size() == 2U);
  BOOST_TEST(f.endings.count == 3U);  // The two tasks and the task that combines their contributions.
  BOOST_TEST(f.host.graph.progress().submitted == 3U);
}

BOOST_AUTO_TEST_CASE(commute_and_reduce_are_no_modes_for_the_program) {
  Fixture f;
  double x = 1;
  const Handle handle = f.add(x);
  for (const AccessMode mode : {AccessMode::commute, AccessMode::reduce}) {
    const auto refused = f.host.graph.begin_acquire(handle, mode, [] {});
    BOOST_TEST_REQUIRE(!refused.ok());
    BOOST_TEST((refused.failure().code == ErrorCode::invalid_argument));
  }
}

BOOST_AUTO_TEST_CASE(endings_tell_the_tag_and_the_status_of_every_task) {
  Fixture f;
  double x = 1;
  const Handle handle = f.add(x);
  f.submit(f.add_one, {handle}, 7);
  f.submit(f.fails, {handle}, 8);
  f.submit(f.add_one, {handle}, 9);
  f.host.run_all();
  BOOST_TEST((f.endings.by_tag.at(7) == TaskStatus::succeeded));
  BOOST_TEST((f.endings.by_tag.at(8) == TaskStatus::failed));
  BOOST_TEST((f.endings.by_tag.at(9) == TaskStatus::cancelled));
  BOOST_TEST(f.endings.count == 3U);
  BOOST_TEST_REQUIRE(f.endings.messages.size() == 2U);
  BOOST_TEST(f.endings.messages[0].find("task 8 (codelet fails)") != std::string::npos);
  BOOST_TEST(f.endings.messages[1].find("task 9 (codelet add one)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(runs_of_recordings_are_told_with_their_tag_and_their_tasks_without) {
  Fixture f;
  double x = 1;
  const Handle handle = f.add(x);
  auto recording = std::make_shared<graph::Recording>("twice");
  auto scope = f.host.graph.begin_recording(*recording).value_or_throw();
  f.submit(f.add_one, {handle});
  f.submit(f.add_one, {handle});
  scope.reset();
  f.host.graph.seal_recording(*recording);
  (void)f.host.graph.replay(recording, {}, 5).value_or_throw();
  f.host.run_all();
  BOOST_TEST(x == 3);
  BOOST_TEST((f.endings.by_tag.at(5) == TaskStatus::succeeded));
  BOOST_TEST(f.endings.count == f.host.graph.progress().submitted);
  // The tasks of a cancelled run are also reported as ended.
  (void)f.host.graph.replay(recording, {}, 6).value_or_throw();
  f.host.graph.cancel_all();
  f.host.run_all();
  BOOST_TEST((f.endings.by_tag.at(6) == TaskStatus::cancelled));
  BOOST_TEST(f.endings.count == f.host.graph.progress().submitted);
  BOOST_TEST(x == 3);
}

BOOST_AUTO_TEST_CASE(ids_of_graphs_that_share_workers_differ) {
  Fixture one;
  Fixture two(1U << 20U);
  double x = 0;
  BOOST_TEST(one.add(x).id().value() == 100U);
  BOOST_TEST(one.add(x).id().value() == 101U);
  const Future a = one.submit(one.add_one, {one.add(x)}, 1);
  const Future b = two.submit(two.add_one, {two.add(x)}, 1);
  BOOST_TEST(b.id().value() >= (1U << 20U));
  BOOST_TEST(a.id().value() < (1U << 20U));
  BOOST_TEST((a.task()->client.graph == &one.host.graph));
  BOOST_TEST((b.task()->client.graph == &two.host.graph));
  one.host.run_all();
  two.host.run_all();
}

BOOST_AUTO_TEST_SUITE_END()
