#include "actors/memory/eviction/upcoming_tasks.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/actors/memory/memory_fixture.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(upcoming_tasks)

namespace {

BOOST_AUTO_TEST_CASE(what_was_submitted_is_taken_once_and_in_order) {
  UpcomingTasks upcoming;
  UpcomingTasks::Batch batch;
  BOOST_TEST(!upcoming.take(batch));
  upcoming.add(TaskId(3), std::vector{read(1), write(2)});
  upcoming.add(TaskId(4), {});
  upcoming.dropped(TaskId(3));
  BOOST_TEST(upcoming.take(batch));
  BOOST_REQUIRE_EQUAL(batch.tasks.size(), 2U);
  BOOST_TEST((batch.tasks[0].task == TaskId(3) && batch.tasks[0].handles == 2));
  BOOST_TEST((batch.tasks[1].task == TaskId(4) && batch.tasks[1].handles == 0));
  BOOST_TEST((batch.handles == std::vector{HandleId(1), HandleId(2)}));
  BOOST_TEST((batch.dropped == std::vector{TaskId(3)}));
  BOOST_TEST(!upcoming.take(batch));
}

BOOST_AUTO_TEST_CASE(nothing_is_missed_while_another_thread_submits) {
  constexpr std::uint64_t kTasks = 20000;
  UpcomingTasks upcoming;
  std::thread submitter([&] {
    for (std::uint64_t task = 0; task < kTasks; ++task) upcoming.add(TaskId(task), std::vector{read(task)});
  });
  UpcomingTasks::Batch batch;
  std::uint64_t next = 0;
  bool in_order = true;
  while (next < kTasks) {
    if (!upcoming.take(batch)) continue;
    for (std::size_t i = 0; i < batch.tasks.size(); ++i, ++next) {
      in_order = in_order && batch.tasks[i].task == TaskId(next) && batch.handles[i] == HandleId(next);
    }
  }
  submitter.join();
  BOOST_TEST(in_order);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
