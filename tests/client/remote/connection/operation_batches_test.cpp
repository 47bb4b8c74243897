#include "client/remote/connection/operation_batches.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace troupe::tests {

namespace operation_batches {

using remote::OperationBatches;

const Codelet& plain() {
  static const Codelet codelet = Codelet("plain", {AccessMode::read, AccessMode::write});
  return codelet;
}
const Codelet& variadic() {
  static const Codelet codelet = Codelet::variadic("variadic");
  return codelet;
}
const Codelet& nothing() {
  static const Codelet codelet = Codelet("nothing", {});
  return codelet;
}
Handle handle(std::uint64_t id) { return {nullptr, HandleId(id)}; }

struct Fixture {
  OperationBatches batches;
  std::uint64_t next = 1;

  void add(const Codelet& codelet, const std::vector<Access>& accesses, const Arguments& arguments = {},
           const TaskOptions& options = {}, const std::vector<std::uint64_t>& after = {}) {
    batches.add_task({next++, 5, {codelet, accesses, arguments, options}, after});
  }
  v1::Tasks only_list() {
    const auto batch = batches.take();
    BOOST_TEST(batches.empty());
    BOOST_REQUIRE(batch->message.operations_size() == 1);
    return batch->message.operations(0).tasks();
  }
};

}  // namespace operation_batches

BOOST_FIXTURE_TEST_SUITE(operation_batches, Fixture)

BOOST_AUTO_TEST_CASE(columns_that_no_task_needs_stay_empty) {
  for (int i = 0; i < 100; ++i) add(nothing(), {});
  const v1::Tasks list = only_list();
  BOOST_TEST(list.first() == 1U);
  BOOST_TEST(list.codelet_size() == 100);
  BOOST_TEST(list.accesses_size() == 0);
  BOOST_TEST(list.priority_size() == 0);
  BOOST_TEST(list.mode().empty());
  BOOST_TEST(list.details_size() == 0);
}

BOOST_AUTO_TEST_CASE(a_column_that_begins_late_is_filled_up_for_the_tasks_before) {
  add(nothing(), {});
  add(nothing(), {});
  add(plain(), {handle(7), handle(9)}, args(2.5, 3), {.priority = -4, .name = "third"});
  add(nothing(), {});
  const v1::Tasks list = only_list();
  BOOST_REQUIRE(list.accesses_size() == 4);
  BOOST_TEST(list.accesses(1) == 0U);
  BOOST_TEST(list.accesses(2) == 2U);
  BOOST_TEST(list.accesses(3) == 0U);
  BOOST_REQUIRE(list.handle_size() == 2);
  BOOST_TEST(list.handle(0) == 7U);
  BOOST_TEST(list.handle(1) == 9U);
  BOOST_REQUIRE(list.priority_size() == 4);
  BOOST_TEST(list.priority(0) == 0);
  BOOST_TEST(list.priority(2) == -4);
  BOOST_TEST(list.arguments().size() == 12U);
  BOOST_REQUIRE(list.details_size() == 1);
  BOOST_TEST(list.details(0).task() == 2U);
  BOOST_TEST(list.details(0).name() == "third");
}

BOOST_AUTO_TEST_CASE(modes_are_named_for_all_handles_of_a_list_or_for_none) {
  add(plain(), {handle(1), handle(2)});
  add(variadic(), {read(handle(3)), commute(handle(4))});
  add(nothing(), {});
  const auto batch = batches.take();
  BOOST_REQUIRE(batch->message.operations_size() == 2);
  BOOST_TEST(batch->message.operations(0).tasks().mode().empty());
  const v1::Tasks& second = batch->message.operations(1).tasks();
  BOOST_TEST(second.first() == 2U);
  BOOST_TEST(second.codelet_size() == 2);
  BOOST_TEST(second.mode() == (std::string{char(v1::READ), char(v1::COMMUTE)}));
}

BOOST_AUTO_TEST_CASE(other_operations_keep_their_place_among_the_tasks) {
  add(nothing(), {});
  batches.add().mutable_cancel_all();
  add(nothing(), {}, {}, {}, {1});
  const auto batch = batches.take();
  BOOST_REQUIRE(batch->message.operations_size() == 3);
  BOOST_TEST(batch->tasks == 2U);
  BOOST_TEST(batch->message.operations(1).has_cancel_all());
  BOOST_TEST(batch->message.operations(2).tasks().first() == 2U);
  BOOST_TEST(batch->message.operations(2).tasks().details(0).after(0) == 1U);
}

BOOST_AUTO_TEST_CASE(messages_stay_below_their_limits_and_lose_nothing) {
  for (int i = 0; i < 20'000; ++i) add(nothing(), {});
  std::uint64_t expected = 1;
  while (!batches.empty()) {
    const std::uint64_t announced = batches.next_needs();
    const auto batch = batches.take();
    BOOST_TEST(batch->tasks == announced);
    BOOST_TEST(batch->tasks <= OperationBatches::kFullTasks);
    for (const v1::Operation& operation : batch->message.operations()) {
      BOOST_TEST(operation.tasks().first() == expected);
      expected += static_cast<std::uint64_t>(operation.tasks().codelet_size());
    }
  }
  BOOST_TEST(expected == 20'001U);
  const std::string long_name(10'000, 'x');
  for (int i = 0; i < 3000; ++i) add(nothing(), {}, {}, {.name = long_name});
  BOOST_TEST(batches.next_needs() < 1100U);
  while (!batches.empty()) BOOST_TEST(batches.take()->message.ByteSizeLong() < std::size_t{300} << 10U);
}

BOOST_AUTO_TEST_CASE(a_run_counts_as_its_tasks_and_is_the_last_of_its_message_if_there_are_many) {
  add(nothing(), {});
  batches.add_run(16, 100'001).mutable_replay()->set_task(2);
  batches.add_run(16, 11).mutable_replay()->set_task(3);
  // A run may begin if its first message stays below the limit, although all tasks of the run together exceed the
  // limit.
  BOOST_TEST(batches.next_needs() == 2U);
  const auto first = batches.take();
  BOOST_TEST(first->message.operations_size() == 2);
  BOOST_TEST(first->tasks == 100'002U);
  BOOST_TEST(batches.next_needs() == 1U);
  BOOST_TEST(batches.take()->tasks == 11U);
}

BOOST_AUTO_TEST_CASE(a_recording_goes_into_its_place_as_a_whole) {
  OperationBatches recorded;
  const TaskOptions options;
  for (std::uint64_t i = 1; i <= 10'000; ++i) recorded.add_task({i, 1, {nothing(), {}, {}, options}, {}});
  add(nothing(), {});
  batches.add().mutable_begin_recording();
  batches.append(recorded, false);
  batches.add().mutable_end_recording();
  add(nothing(), {});
  std::vector<std::string> kinds;
  std::uint64_t tasks = 0;
  std::uint64_t reported = 0;
  while (!batches.empty()) {
    const auto batch = batches.take();
    reported += batch->tasks;
    for (const v1::Operation& operation : batch->message.operations()) {
      tasks += static_cast<std::uint64_t>(operation.tasks().codelet_size());
      if (operation.has_begin_recording()) BOOST_TEST(tasks == 1U);
      if (operation.has_end_recording()) BOOST_TEST(tasks == 10'001U);
    }
  }
  BOOST_TEST(tasks == 10'002U);
  BOOST_TEST(reported == 2U);
  BOOST_TEST(recorded.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
