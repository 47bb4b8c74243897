#include "actors/workers/deciding/device_queue.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/actors/graph_fixture.hpp"

namespace troupe::workers {

namespace device_queue {

using graph::Task;
using Lines = std::vector<std::string>;
using std::chrono::microseconds;
const auto kOneByOne = boost::test_tools::per_element();

/// A device that runs one task at a time, and queues further tasks that take at most 25 us together.
struct Fixture {
  /// Submits a task that updates the data.
  void submit(const std::string& name, const std::vector<Handle>& data, int priority = 0) {
    std::vector<Access> accesses;
    for (const Handle one : data) accesses.push_back(read_write(one));
    graph.submit(data.size() == 1 ? update : update_both, accesses, {.priority = priority, .name = name});
  }
  /// Submits a task that is ready.
  Task& ready(const std::string& name, const std::vector<Handle>& data) {
    submit(name, data);
    return *graph.take_ready().pop_front();
  }
  static Lines names(std::span<Task* const> tasks) {
    Lines lines;
    for (const Task* const task : tasks) lines.push_back(task->extras->name);
    return lines;
  }

  const Codelet update = Codelet("update", {AccessMode::read_write}).cpu([](int&) {});
  const Codelet update_both =
      Codelet("update both", {AccessMode::read_write, AccessMode::read_write}).cpu([](int&, int&) {});
  tests::GraphFixture graph;
  int a_value = 0;
  int b_value = 0;
  const Handle a = graph.scalar(a_value);
  const Handle b = graph.scalar(b_value);
  DeviceQueue queue{{.slots = 1, .most_ahead = 4, .work_ahead = microseconds(25)}, 8};
};

}  // namespace device_queue

BOOST_FIXTURE_TEST_SUITE(device_queue, device_queue::Fixture)

BOOST_AUTO_TEST_CASE(a_task_follows_if_all_tasks_for_which_it_waits_are_on_the_device) {
  Task& on_a = ready("on a", {a});
  Task& on_b = ready("on b", {b});
  submit("on both", {a, b});
  queue.add(on_a, false, true);
  BOOST_TEST(queue.followers().empty());
  queue.add(on_b, true, true);
  BOOST_TEST_REQUIRE(names(queue.followers()) == (Lines{"on both"}), kOneByOne);
  Task& on_both = *queue.followers().front();
  BOOST_TEST(names(queue.predecessors(on_both)) == (Lines{"on a", "on b"}), kOneByOne);
  queue.remove(on_b);
  BOOST_TEST(queue.predecessors(on_both).empty());
  BOOST_TEST(queue.predecessors(on_a).empty());
}

BOOST_AUTO_TEST_CASE(the_most_urgent_task_follows_first_and_the_oldest_of_those) {
  queue.add(ready("on a", {a}), false, true);
  queue.add(ready("on b", {b}), false, true);
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](const int&) {});
  const std::vector<std::pair<std::string, int>> readers{{"old", 0}, {"urgent", 3}, {"new", 0}};
  for (const auto& [name, priority] : readers) graph.submit(look, {read(a)}, {.priority = priority, .name = name});
  BOOST_TEST(names(queue.followers()) == (Lines{"urgent", "old", "new"}), kOneByOne);
}

BOOST_AUTO_TEST_CASE(no_task_follows_a_task_with_a_callback) {
  graph.submit(update, {read_write(a)}, {.callback = [](const TaskOutcome&) {}});
  Task& told = *graph.take_ready().pop_front();
  submit("behind", {a});
  queue.add(told, false, true);
  BOOST_TEST(queue.followers().empty());
}

BOOST_AUTO_TEST_CASE(tasks_are_ahead_as_long_as_they_are_known_to_take_little_time) {
  Task& first = ready("first", {a});
  Task& second = ready("second", {b});
  BOOST_TEST(!queue.fits_ahead(first));
  queue.note_time(first, microseconds(10));
  BOOST_TEST(queue.fits_ahead(first));
  // A task that is not ahead does not count.
  queue.add(first, false, true);
  queue.add(second, true, true);
  BOOST_TEST(queue.fits_ahead(second));
  queue.note_time(second, microseconds(50));  // the mean is 20 us from here on
  BOOST_TEST(!queue.fits_ahead(second));
  // The task that was ahead has the slot now.
  queue.remove(first);
  BOOST_TEST(queue.fits_ahead(second));
}

BOOST_AUTO_TEST_CASE(a_task_that_leaves_says_whether_it_was_begun) {
  Task& first = ready("first", {a});
  Task& second = ready("second", {b});
  queue.add(first, false, true);
  queue.add(second, true, false);
  BOOST_TEST(!queue.remove(second));
  BOOST_TEST(queue.remove(first));
  BOOST_TEST(queue.empty());
}

BOOST_AUTO_TEST_CASE(a_device_that_queues_nothing_has_no_queue) {
  DeviceQueue none{{.slots = 2}, 8};
  Task& task = ready("task", {a});
  BOOST_TEST(!none.queues());
  none.add(task, false, true);
  BOOST_TEST(none.empty());
  BOOST_TEST(none.remove(task));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
