#include "service/sessions/task_numbers.hpp"

#include <boost/test/unit_test.hpp>
#include <thread>

#include "service/sessions/ending_collector.hpp"

namespace troupe::service {
namespace {

/// Returns a future whose id is the given number.
Future future_of(std::uint64_t number) {
  return {reinterpret_cast<graph::TaskOwner*>(std::uintptr_t{8}), nullptr, TaskId(number)};
}

BOOST_AUTO_TEST_SUITE(task_numbers)

BOOST_AUTO_TEST_CASE(tasks_in_flight_are_found_however_old_they_are) {
  TaskNumbers numbers;
  constexpr std::uint64_t kTasks = 300'000;
  for (std::uint64_t number = 1; number <= kTasks; ++number) {
    BOOST_REQUIRE_EQUAL(numbers.next(), number);
    numbers.add(future_of(number));
    if (number % 3 != 0) numbers.ended(number, number % 1000 == 1 ? TaskStatus::failed : TaskStatus::succeeded);
  }
  for (std::uint64_t number = 1; number <= kTasks; ++number) {
    const TaskNumbers::Found found = numbers.find(number);
    if (number % 3 == 0) {
      BOOST_REQUIRE((found.status == TaskStatus::pending));
      BOOST_REQUIRE_EQUAL(found.future.id().value(), number);
    } else {
      BOOST_REQUIRE(!found.future.valid());
      BOOST_REQUIRE((found.status == (number % 1000 == 1 ? TaskStatus::failed : TaskStatus::succeeded)));
    }
  }
  // Failures and successes alternate, so there are too many ranges. The latest ranges are kept. The oldest tasks count
  // as succeeded.
  for (std::uint64_t number = 3; number <= kTasks; number += 3) numbers.ended(number, TaskStatus::cancelled);
  BOOST_TEST((numbers.find(3).status == TaskStatus::succeeded));
  BOOST_TEST((numbers.find(kTasks).status == TaskStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(neighbours_that_fail_in_any_order_are_one_range) {
  TaskNumbers numbers;
  for (int i = 0; i < 10; ++i) numbers.add(future_of(1));
  for (const std::uint64_t number : {5, 3, 4, 7, 6}) numbers.ended(number, TaskStatus::failed);
  for (std::uint64_t number = 3; number <= 7; ++number) {
    BOOST_TEST((numbers.find(number).status == TaskStatus::failed));
  }
  BOOST_TEST((numbers.find(2).status == TaskStatus::pending));
  BOOST_TEST((numbers.find(8).status == TaskStatus::pending));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ending_collector)

BOOST_AUTO_TEST_CASE(nothing_that_many_threads_leave_is_lost_or_comes_unannounced) {
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kEach = 50'000;
  std::atomic<int> wakes{0};
  EndingCollector collector([&] { ++wakes; });
  std::vector<std::thread> threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        const std::uint64_t task = 1 + thread + i * kThreads;
        const bool failed = i % 100 == 0;
        collector.ended(task, failed ? TaskStatus::failed : TaskStatus::succeeded,
                        failed ? std::make_shared<Failure>() : nullptr);
        collector.ended(0, TaskStatus::succeeded, nullptr);
      }
    });
  }
  EndingCollector::Batch batch;
  std::vector<bool> seen(kThreads * kEach + 1);
  std::uint64_t taken = 0;
  int woken = 0;
  while (taken < kThreads * kEach) {
    // If a task ends after this check, the collector increases `wakes`, and the next check notices this.
    if (wakes == woken) {
      std::this_thread::yield();
      continue;
    }
    woken = wakes;
    batch.clear();
    collector.take(batch);
    taken += batch.size();
    for (const std::uint64_t task : batch.succeeded) {
      BOOST_REQUIRE(!seen[task]);
      seen[task] = true;
    }
    for (const auto& other : batch.others) {
      BOOST_REQUIRE(!seen[other.task]);
      BOOST_REQUIRE(other.cause);
      seen[other.task] = true;
    }
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(collector.count() == 2 * kThreads * kEach);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::service
