#include "actors/scheduler/submitted_tasks.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/working_set.hpp"
#include "graph/tasks/upward_ranks.hpp"
#include "proto/random.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::scheduler {

namespace submitted_tasks {

using tests::StepHost;
using tests::submit;

/// A graph of tasks on a few numbers. The codelets `cost 0`, `cost 1`, … differ only in their cost.
struct Fixture {
  explicit Fixture(int data = 6) : numbers(static_cast<std::size_t>(data)) {
    for (double& number : numbers) handles.push_back(tests::register_scalar(host.graph, number));
    for (int c = 0; c < 4; ++c) {
      codelets.push_back(Codelet::variadic("cost " + std::to_string(c)).cpu([](const KernelContext&) {}));
    }
  }
  TaskId task(std::size_t codelet, const std::vector<Access>& accesses) {
    return host.graph.submit({codelets[codelet], accesses, {}, {}}).value_or_throw().id();
  }
  double rank(TaskId id) { return submitted.rank(id, costs); }

  SubmittedTasks submitted;
  StepHost host{graph::GraphOptions{.observers = {&submitted}}};
  std::vector<double> numbers;
  std::vector<Handle> handles;
  std::vector<Codelet> codelets;
  /// The cost of each class, by the class number. The classes get their numbers in the order in which they first
  /// appear, so a test must submit the first task of each codelet in the order of the codelets.
  std::vector<double> costs{1, 10, 100, 1000};
};

}  // namespace submitted_tasks

BOOST_FIXTURE_TEST_SUITE(submitted_tasks, Fixture)

BOOST_AUTO_TEST_CASE(numbers_may_have_gaps) {
  graph::Task before;
  graph::Task after;
  for (graph::Task* one : {&before, &after}) one->codelet = &codelets[0].definition();
  before.id = 1;
  after.id = std::uint64_t{1} << 50U;
  submitted.submitted(before);
  submitted.submitted(after);
  BOOST_TEST(rank(before.task_id()) == 1);
  BOOST_TEST(rank(after.task_id()) == 1);
  BOOST_TEST(rank(TaskId(2)) == 0);
  submitted.ended(before.task_id());
  submitted.ended(after.task_id());
}

BOOST_AUTO_TEST_CASE(ranks_are_the_longest_chains) {
  // Task 0 writes a. Task 1 reads a and writes b, task 2 reads a and writes c, task 3 reads b and c and modifies a.
  const TaskId first = task(0, {write(handles[0])});
  const TaskId second = task(1, {read(handles[0]), write(handles[1])});
  const TaskId third = task(2, {read(handles[0]), write(handles[2])});
  const TaskId last = task(3, {read(handles[1]), read(handles[2]), read_write(handles[0])});
  BOOST_TEST(rank(last) == 1000);
  BOOST_TEST(rank(third) == 1100);
  BOOST_TEST(rank(second) == 1010);
  BOOST_TEST(rank(first) == 1101);
}

BOOST_AUTO_TEST_CASE(a_writer_waits_for_readers_and_readers_for_nobody) {
  const TaskId reader = task(0, {read(handles[0])});
  const TaskId other_reader = task(1, {read(handles[0])});
  const TaskId writer = task(2, {write(handles[0])});
  BOOST_TEST(rank(writer) == 100);
  BOOST_TEST(rank(other_reader) == 110);
  BOOST_TEST(rank(reader) == 101);
}

BOOST_AUTO_TEST_CASE(ranks_equal_those_of_a_program_that_is_known_before) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    Fixture fixture(static_cast<int>(1 + random.below(6)));
    UpwardRanks expected;
    std::vector<TaskId> ids;
    for (std::uint64_t left = 1 + random.below(60); left > 0; --left) {
      const std::size_t codelet = random.below(4);
      std::vector<Access> accesses;
      std::vector<UpwardRanks::Use> uses;
      for (std::size_t d = 0; d < fixture.handles.size(); ++d) {
        const std::uint64_t how = random.below(6);
        if (how < 2) {
          accesses.emplace_back(fixture.handles[d], how == 0 ? AccessMode::read : AccessMode::read_write);
          uses.push_back({d, how == 1});
        }
      }
      ids.push_back(fixture.task(codelet, accesses));
      expected.add(fixture.costs[codelet], uses);
    }
    // A codelet has several classes if its tasks have different numbers of data. Each class has the cost of its
    // codelet.
    std::vector<double> costs;
    for (std::size_t c = 0; c < fixture.submitted.size_classes(); ++c) {
      const auto& name = fixture.submitted.size_class(SizeClassId(static_cast<std::uint32_t>(c))).codelet->name;
      costs.push_back(fixture.costs[static_cast<std::size_t>(name.back() - '0')]);
    }
    fixture.costs = costs;
    const std::vector<double> ranks = expected.ranks();
    for (std::size_t t = 0; t < ids.size(); ++t) {
      BOOST_TEST(fixture.rank(ids[t]) == ranks[t], "seed " << seed << ", task " << t);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_task_that_has_ended_is_in_no_chain) {
  const TaskId first = task(0, {write(handles[0])});
  const TaskId second = task(0, {read_write(handles[0])});
  submitted.ended(second);
  BOOST_TEST(rank(first) == 1);
}

BOOST_AUTO_TEST_CASE(new_tasks_count_once_they_are_an_eighth) {
  std::vector<TaskId> ids;
  for (int t = 0; t < 32; ++t) ids.push_back(task(0, {read_write(handles[0])}));
  BOOST_TEST(rank(ids[0]) == 32);
  const TaskId late = task(0, {read_write(handles[0])});
  BOOST_TEST(rank(late) == 1);
  BOOST_TEST(rank(ids[0]) == 32);
  for (int t = 0; t < 4; ++t) (void)task(0, {read_write(handles[0])});
  BOOST_TEST(rank(late) == 5);
  BOOST_TEST(rank(ids[0]) == 37);
}

BOOST_AUTO_TEST_CASE(ranks_follow_costs_that_become_known) {
  const TaskId first = task(0, {read_write(handles[0])});
  const TaskId second = task(0, {read_write(handles[0])});
  costs[0] = 0;
  BOOST_TEST(rank(first) == 0);
  costs[0] = 4;
  BOOST_TEST(rank(first) == 8);
  costs[0] = 4.1;
  BOOST_TEST(rank(first) == 8);
  costs[0] = 5;
  BOOST_TEST(rank(second) == 5);
}

BOOST_AUTO_TEST_CASE(ranks_of_many_tasks_follow_costs_at_most_once_while_an_eighth_is_asked_about) {
  constexpr std::uint64_t kTasks = 100'000;
  graph::Task task;
  task.codelet = &codelets[0].definition();
  for (std::uint64_t id = 1; id <= kTasks; ++id) {
    task.id = id;
    submitted.submitted(task);
  }
  BOOST_TEST(rank(TaskId(1)) == 1);
  int changes = 0;
  double last = 1;
  for (std::uint64_t asked = 0; asked < kTasks; ++asked) {
    costs[0] = asked % 2 == 0 ? 2 : 3;
    const double now = rank(TaskId(1));
    changes += now != last ? 1 : 0;
    last = now;
  }
  BOOST_TEST(changes > 0);
  BOOST_TEST(changes <= 9);
}

BOOST_AUTO_TEST_CASE(a_class_that_came_after_the_costs_were_looked_up_costs_nothing_yet) {
  const TaskId first = task(0, {read_write(handles[0])});
  const TaskId second = task(1, {read_write(handles[0])});
  costs = {7};
  BOOST_TEST(rank(first) == 7);
  BOOST_TEST(rank(second) == 0);
  costs = {7, 3};
  BOOST_TEST(rank(first) == 10);
}

BOOST_AUTO_TEST_CASE(a_task_that_was_not_recorded_has_no_rank) { BOOST_TEST(rank(TaskId(12345)) == 0); }

BOOST_AUTO_TEST_CASE(tasks_are_of_one_class_where_codelet_and_shapes_are_the_same) {
  (void)task(0, {read(handles[0])});
  (void)task(0, {write(handles[1])});
  (void)task(1, {read(handles[0])});
  (void)task(0, {read(handles[0]), read(handles[1])});
  BOOST_TEST(submitted.size_classes() == 3U);
  BOOST_TEST(submitted.size_class(SizeClassId(1)).codelet->name == "cost 1");
  BOOST_TEST(submitted.size_class(SizeClassId(2)).bytes.count == 2 * sizeof(double));
  const graph::Task* first = host.ready.pop_front();
  BOOST_TEST((submitted.classify(*first) == SizeClassId(0)));
}

BOOST_AUTO_TEST_CASE(uses_are_counted_down_as_tasks_end) {
  (void)task(0, {read_write(handles[0])});
  graph::Task* first = host.ready.pop_front();
  std::vector<memory::Use> uses;
  graph::append_working_set(*first, uses);
  const TaskId second = task(0, {read(handles[0])});
  BOOST_TEST(submitted.uses_left(uses[0].handle) == 2U);
  submitted.ended(second);
  // A second call for the same task changes nothing.
  submitted.ended(second);
  BOOST_TEST(submitted.uses_left(uses[0].handle) == 1U);
  BOOST_TEST(submitted.uses_left(HandleId(99)) == 0U);
}

BOOST_AUTO_TEST_CASE(data_count_once_while_any_task_in_flight_uses_them) {
  const TaskId first = task(0, {read(handles[0]), read_write(handles[1])});
  const TaskId second = task(0, {read(handles[0])});
  BOOST_TEST(submitted.data_left().count == 2 * sizeof(double));
  submitted.ended(first);
  submitted.ended(first);
  BOOST_TEST(submitted.data_left().count == sizeof(double));
  submitted.ended(second);
  BOOST_TEST(submitted.data_left().count == 0U);
}

BOOST_AUTO_TEST_CASE(the_last_write_is_the_one_that_no_task_in_flight_follows) {
  const TaskId first = task(0, {read_write(handles[0])});
  graph::Task* begun = host.ready.pop_front();
  std::vector<memory::Use> uses;
  graph::append_working_set(*begun, uses);
  (void)task(0, {read(handles[0])});
  submitted.mark_last_writes(uses);
  BOOST_TEST(uses[0].last_write);
  (void)task(0, {read_write(handles[0])});
  submitted.mark_last_writes(uses);
  BOOST_TEST(!uses[0].last_write);
  // The first task has ended, so no task in flight follows the last writer.
  submitted.ended(first);
  submitted.mark_last_writes(uses);
  BOOST_TEST(uses[0].last_write);
  uses[0].mode = AccessMode::read;
  submitted.mark_last_writes(uses);
  BOOST_TEST(!uses[0].last_write);
}

BOOST_AUTO_TEST_CASE(levels_are_what_could_run_at_the_same_time) {
  const auto texts = [&](std::size_t most = 100) {
    std::string text;
    for (const TaskLevel& level : submitted.levels(most)) {
      text += "|";
      for (const ClassCount& one : level) {
        text += " " + std::to_string(one.tasks) + "x" + std::to_string(one.size_class.value());
      }
    }
    return text;
  };
  BOOST_TEST(texts() == "");
  const TaskId writer = task(0, {write(handles[0])});
  const TaskId alone = task(1, {read_write(handles[1])});
  task(2, {read(handles[0]), read_write(handles[2])});
  task(2, {read(handles[0]), read_write(handles[3])});
  // This task comes after the two readers, which may run at the same time.
  task(3, {read_write(handles[0])});
  // This task uses other data, so it may run at the same time as the first task.
  task(0, {write(handles[4])});
  BOOST_TEST(texts() == "| 2x0 1x1| 2x2| 1x3");
  BOOST_TEST(texts(3) == "| 1x0 1x1| 1x2");
  submitted.ended(alone);
  BOOST_TEST(texts() == "| 2x0| 2x2| 1x3");
  submitted.ended(writer);
  BOOST_TEST(texts() == "| 2x2 1x0| 1x3");
}

BOOST_AUTO_TEST_CASE(ended_tasks_are_forgotten_and_the_rest_stays_right) {
  std::vector<TaskId> ids;
  for (int t = 0; t < 12000; ++t) ids.push_back(task(0, {read_write(handles[t % 2 == 0 ? 0 : 1])}));
  BOOST_TEST(rank(ids[0]) == 6000);
  for (int t = 0; t < 9000; ++t) submitted.ended(ids[static_cast<std::size_t>(t)]);
  BOOST_TEST(rank(ids[9000]) == 1500);
  BOOST_TEST(rank(ids[11999]) == 1);
  BOOST_TEST(rank(ids[0]) == 0);
  for (int t = 0; t < 3000; ++t) ids.push_back(task(0, {read_write(handles[t % 2 == 0 ? 0 : 1])}));
  BOOST_TEST(rank(ids.back()) == 1);
  BOOST_TEST(rank(ids[9000]) == 3000);
  for (const TaskId id : ids) submitted.ended(id);
  const TaskId after = task(0, {read_write(handles[0])});
  BOOST_TEST(rank(after) == 1);
}

BOOST_AUTO_TEST_CASE(the_reuse_of_a_task_is_that_of_what_it_writes_as_set_or_counted) {
  task(0, {read(handles[0]), write(handles[1])});
  task(1, {read(handles[0]), read_write(handles[2])});
  task(2, {read(handles[0])});
  const auto use = [&](std::size_t handle, AccessMode mode) { return memory::Use{handles[handle].id(), mode, {8}}; };
  using Uses = std::vector<memory::Use>;
  BOOST_TEST(submitted.reuse_of(Uses{use(0, AccessMode::read)}) == 3);
  BOOST_TEST(submitted.reuse_of(Uses{use(0, AccessMode::read), use(1, AccessMode::write)}) == 1);
  submitted.set_reuse(handles[2].id(), 40);
  submitted.set_reuse(handles[0].id(), -7);
  BOOST_TEST(submitted.reuse_of(Uses{use(1, AccessMode::write), use(2, AccessMode::read_write)}) == 40);
  BOOST_TEST(submitted.reuse_of(Uses{use(0, AccessMode::read)}) == -7);
  submitted.set_reuse(handles[0].id(), 0);
  BOOST_TEST(submitted.reuse_of(Uses{use(0, AccessMode::read)}) == 3);
  BOOST_TEST(submitted.reuse_of({}) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
