#include "graph/data/dependencies.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <deque>
#include <string>
#include <vector>

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(dependencies)

namespace {

/// Submits tasks directly to one or more dependency states, without a graph.
class Submitter {
 public:
  struct Step {
    DependencyState* state;
    AccessMode mode;
  };

  Task& submit(const std::vector<Step>& steps, const std::vector<Task*>& after = {}) {
    Task& task = tasks_.emplace_back();
    task.id = next_id_++;
    task.successors = nullptr;
    DependencyBuilder builder(task, pool_, cache_);
    for (const Step& step : steps) builder.access(*step.state, step.mode);
    for (const Task* predecessor : after) {
      builder.after({const_cast<Task*>(predecessor), predecessor->id});
    }
    ready_ = builder.finish();
    return task;
  }
  Task& submit(DependencyState& state, AccessMode mode) { return submit({{&state, mode}}); }
  /// Returns true if the last submitted task was ready at once.
  [[nodiscard]] bool ready() const { return ready_; }

 private:
  std::deque<Task> tasks_;
  std::uint64_t next_id_ = 1;
  bool ready_ = false;
  BlockPool<EdgeBlock> pool_;
  BlockPool<EdgeBlock>::Cache cache_;
};

/// Returns the tasks that wait for `task`, in the order of submission.
std::vector<Task*> successors(const Task& task) {
  std::vector<Task*> result;
  for (Edge* edge = task.successors; edge != nullptr; edge = edge->next_edge())
    result.insert(result.begin(), edge->task());
  return result;
}
bool waits_for(const Task& successor, const Task& predecessor) {
  const auto list = successors(predecessor);
  return std::count(list.begin(), list.end(), &successor) > 0;
}
void end(Task& task) { task.successors = Task::closed(); }

BOOST_AUTO_TEST_CASE(readers_wait_for_the_writer_and_not_for_one_another) {
  Submitter submitter;
  DependencyState x;
  Task& writer = submitter.submit(x, AccessMode::write);
  BOOST_TEST(submitter.ready());
  Task& first = submitter.submit(x, AccessMode::read);
  BOOST_TEST(!submitter.ready());
  Task& second = submitter.submit(x, AccessMode::read);
  BOOST_TEST(waits_for(first, writer));
  BOOST_TEST(waits_for(second, writer));
  BOOST_TEST(!waits_for(second, first));
  BOOST_TEST(second.pending == 1U);
}

BOOST_AUTO_TEST_CASE(a_writer_waits_for_the_readers_which_have_waited_for_the_writer_before) {
  for (const AccessMode mode : {AccessMode::write, AccessMode::read_write}) {
    Submitter submitter;
    DependencyState x;
    Task& writer = submitter.submit(x, AccessMode::write);
    Task& first = submitter.submit(x, AccessMode::read);
    Task& second = submitter.submit(x, AccessMode::read);
    Task& next = submitter.submit(x, mode);
    BOOST_TEST(waits_for(next, first));
    BOOST_TEST(waits_for(next, second));
    BOOST_TEST(!waits_for(next, writer));
    BOOST_TEST(next.pending == 2U);
  }
}

BOOST_AUTO_TEST_CASE(a_writer_waits_for_a_writer_without_readers_between) {
  Submitter submitter;
  DependencyState x;
  Task& first = submitter.submit(x, AccessMode::write);
  Task& second = submitter.submit(x, AccessMode::write);
  Task& third = submitter.submit(x, AccessMode::read_write);
  BOOST_TEST(waits_for(second, first));
  BOOST_TEST(waits_for(third, second));
  BOOST_TEST(!waits_for(third, first));
}

BOOST_AUTO_TEST_CASE(members_of_an_epoch_wait_for_what_came_before_it_only) {
  for (const AccessMode mode : {AccessMode::commute, AccessMode::reduce}) {
    Submitter submitter;
    DependencyState x;
    Task& writer = submitter.submit(x, AccessMode::write);
    Task& first = submitter.submit(x, mode);
    Task& second = submitter.submit(x, mode);
    BOOST_TEST(waits_for(first, writer));
    BOOST_TEST(waits_for(second, writer));
    BOOST_TEST(!waits_for(second, first));
    Task& reader = submitter.submit(x, AccessMode::read);
    BOOST_TEST(waits_for(reader, first));
    BOOST_TEST(waits_for(reader, second));
    BOOST_TEST(reader.pending == 2U);
  }
}

BOOST_AUTO_TEST_CASE(readers_before_an_epoch_are_waited_for_by_each_of_its_members) {
  for (const AccessMode mode : {AccessMode::commute, AccessMode::reduce}) {
    Submitter submitter;
    DependencyState x;
    Task& reader = submitter.submit(x, AccessMode::read);
    Task& first = submitter.submit(x, mode);
    Task& second = submitter.submit(x, mode);
    BOOST_TEST(waits_for(first, reader));
    BOOST_TEST(waits_for(second, reader));
  }
}

BOOST_AUTO_TEST_CASE(a_reader_between_ends_the_epoch) {
  for (const AccessMode mode : {AccessMode::commute, AccessMode::reduce}) {
    Submitter submitter;
    DependencyState x;
    Task& first = submitter.submit(x, mode);
    Task& reader = submitter.submit(x, AccessMode::read);
    Task& second = submitter.submit(x, mode);
    BOOST_TEST(waits_for(second, reader));
    BOOST_TEST(!waits_for(second, first));
  }
}

BOOST_AUTO_TEST_CASE(commuting_and_reducing_tasks_form_different_epochs) {
  Submitter submitter;
  DependencyState x;
  Task& commuting = submitter.submit(x, AccessMode::commute);
  Task& reducing = submitter.submit(x, AccessMode::reduce);
  Task& again = submitter.submit(x, AccessMode::commute);
  BOOST_TEST(waits_for(reducing, commuting));
  BOOST_TEST(waits_for(again, reducing));
  BOOST_TEST(!waits_for(again, commuting));
}

BOOST_AUTO_TEST_CASE(a_writer_after_an_epoch_waits_for_all_its_members) {
  Submitter submitter;
  DependencyState x;
  std::vector<Task*> members;
  for (int i = 0; i < 20; ++i) members.push_back(&submitter.submit(x, AccessMode::commute));
  Task& writer = submitter.submit(x, AccessMode::read_write);
  for (const Task* member : members) BOOST_TEST(waits_for(writer, *member));
  BOOST_TEST(writer.pending == 20U);
}

BOOST_AUTO_TEST_CASE(tasks_that_have_ended_are_not_waited_for) {
  Submitter submitter;
  DependencyState x;
  Task& writer = submitter.submit(x, AccessMode::write);
  end(writer);
  submitter.submit(x, AccessMode::read);
  BOOST_TEST(submitter.ready());
  // The memory of the old predecessor is now another task, which does not conflict with the new one.
  Task& other = submitter.submit({});
  DependencyState y;
  y.writers = {{&other, 1}};
  submitter.submit(y, AccessMode::read);
  BOOST_TEST(submitter.ready());
  BOOST_TEST(successors(other).empty());
}

BOOST_AUTO_TEST_CASE(several_data_in_common_with_one_predecessor_make_one_edge) {
  Submitter submitter;
  std::vector<DependencyState> data(12);
  std::vector<Submitter::Step> writes;
  std::vector<Submitter::Step> reads;
  for (DependencyState& state : data) {
    writes.push_back({&state, AccessMode::write});
    reads.push_back({&state, AccessMode::read});
  }
  Task& writer = submitter.submit(writes);
  Task& reader = submitter.submit(reads);
  BOOST_TEST(successors(writer).size() == 1U);
  BOOST_TEST(reader.pending == 1U);
}

BOOST_AUTO_TEST_CASE(a_task_may_have_more_predecessors_than_fit_into_it) {
  Submitter submitter;
  std::vector<DependencyState> data(50);
  std::vector<Task*> writers;
  std::vector<Submitter::Step> reads;
  for (DependencyState& state : data) {
    writers.push_back(&submitter.submit(state, AccessMode::write));
    reads.push_back({&state, AccessMode::read});
  }
  Task& reader = submitter.submit(reads);
  BOOST_TEST(reader.pending == 50U);
  for (const Task* writer : writers) BOOST_TEST(waits_for(reader, *writer));
}

BOOST_AUTO_TEST_CASE(explicit_dependencies_are_told_apart_from_data) {
  Submitter submitter;
  DependencyState x;
  Task& first = submitter.submit(x, AccessMode::write);
  Task& second = submitter.submit({{&x, AccessMode::read}}, {&first});
  BOOST_TEST(second.pending == 2U);
  BOOST_TEST((first.successors.load()->kind() == Edge::explicit_dependency));
  BOOST_TEST((first.successors.load()->next_edge()->kind() == Edge::data));
  end(first);
  submitter.submit({}, {&first});
  BOOST_TEST(submitter.ready());
}

BOOST_AUTO_TEST_CASE(lists_stay_within_twice_the_tasks_in_flight) {
  std::deque<Task> tasks;
  std::vector<TaskReference> list;
  constexpr std::size_t kInFlight = 100;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    Task& task = tasks.emplace_back();
    task.id = i;
    make_room(list, 32);
    list.push_back({&task, i});
    if (tasks.size() > kInFlight) end(tasks[tasks.size() - 1 - kInFlight]);
    BOOST_TEST_REQUIRE(list.size() <= 4 * kInFlight);
  }
  BOOST_TEST(list.capacity() <= 8 * kInFlight);
  BOOST_TEST(list.back().id == 99999U);
  // Every task in flight is still in the list.
  const auto alive = std::count_if(list.begin(), list.end(), [](const TaskReference& task) { return !task.ended(); });
  BOOST_TEST(alive == static_cast<std::ptrdiff_t>(kInFlight));
}

BOOST_AUTO_TEST_CASE(a_long_epoch_forgets_what_it_waited_for_when_that_has_ended) {
  Submitter submitter;
  DependencyState x;
  std::vector<Task*> readers;
  for (int i = 0; i < 100; ++i) readers.push_back(&submitter.submit(x, AccessMode::read));
  submitter.submit(x, AccessMode::commute);
  BOOST_TEST(x.before.size() == 100U);
  for (Task* reader : readers) end(*reader);
  submitter.submit(x, AccessMode::commute);
  BOOST_TEST(submitter.ready());
  BOOST_TEST(x.before.empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
