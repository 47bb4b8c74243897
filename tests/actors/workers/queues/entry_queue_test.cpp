#include "actors/workers/queues/entry_queue.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "proto/random.hpp"
#include "tests/support/loose_tasks.hpp"
#include "tests/support/thread_checks.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(entry_queue)

namespace {

using graph::Task;
using graph::TaskList;
using Tasks = tests::LooseTasks;

BOOST_AUTO_TEST_CASE(what_has_arrived_can_be_taken_once_it_is_drained) {
  Tasks tasks(3);
  EntryQueue queue;
  BOOST_TEST(queue.size() == 0U);
  queue.push(tasks(0));
  BOOST_TEST(queue.size() == 1U);
  BOOST_TEST(queue.drained() == 0U);
  BOOST_TEST(queue.top() == TaskDeque::kEmpty);
  BOOST_TEST(queue.pop_oldest() == nullptr);
  queue.drain();
  BOOST_TEST(queue.size() == 1U);
  BOOST_TEST(queue.drained() == 1U);
  BOOST_TEST(queue.top() == 0);
  BOOST_TEST(queue.pop_oldest() == tasks(0));
  BOOST_TEST(queue.size() == 0U);
  queue.drain();
  BOOST_TEST(queue.pop_oldest() == nullptr);
}

BOOST_AUTO_TEST_CASE(sorted_tasks_go_past_the_inbox) {
  Tasks tasks(3);
  EntryQueue queue;
  queue.push(tasks(0));
  TaskList list;
  list.push_back(tasks(1));
  list.push_back(tasks(2));
  queue.push_sorted(list);
  BOOST_TEST(list.empty());
  BOOST_TEST(queue.size() == 3U);
  BOOST_TEST(queue.drained() == 2U);
  BOOST_TEST(queue.pop_oldest() == tasks(1));
}

BOOST_AUTO_TEST_CASE(higher_priorities_come_first_and_equal_ones_in_the_order_of_arrival) {
  Tasks tasks(6);
  EntryQueue queue;
  for (std::size_t i = 0; i < 6; ++i) queue.push(tasks(i, static_cast<int>(i % 2)));
  queue.drain();
  BOOST_TEST(queue.top() == 1);
  for (const std::size_t expected : {1U, 3U, 5U, 0U, 2U, 4U}) {
    const Task* task = queue.pop_oldest();
    BOOST_TEST_REQUIRE(task != nullptr);
    BOOST_TEST(task->id == expected);
  }
}

BOOST_AUTO_TEST_CASE(a_task_keeps_the_place_of_the_priority_that_it_arrived_with) {
  Tasks tasks(2);
  EntryQueue queue;
  queue.push(tasks(0, 5));
  queue.push(tasks(1, 7));
  queue.drain();
  std::array<TaskDeque::Entry, TaskDeque::kMostStolen> stolen;
  BOOST_TEST(queue.steal_half(10, stolen) == 1U);
  BOOST_TEST(stolen[0].task == tasks(1, 7));
  BOOST_TEST(stolen[0].priority == 7);
  BOOST_TEST(queue.top() == 5);
}

/// The submitter pushes more tasks than the inbox can hold, and empties the inbox itself. No task is lost or out of
/// order.
BOOST_AUTO_TEST_CASE(a_full_inbox_is_emptied_by_who_fills_it) {
  constexpr std::size_t kTasks = 5000;
  Tasks tasks(kTasks);
  for (const bool at_once : {true, false}) {
    EntryQueue queue;
    TaskList list;
    for (std::size_t i = 0; i < kTasks; ++i) {
      if (at_once) {
        list.push_back(tasks(i));
      } else {
        queue.push(tasks(i));
      }
    }
    if (at_once) queue.push(list);
    BOOST_TEST(list.empty());
    BOOST_TEST(queue.size() == kTasks);
    BOOST_TEST(queue.drained() > 0U);
    queue.drain();
    BOOST_TEST(queue.drained() == kTasks);
    for (std::size_t i = 0; i < kTasks; ++i) BOOST_TEST_REQUIRE(queue.pop_oldest() == tasks(i));
    BOOST_TEST(queue.size() == 0U);
  }
}

BOOST_AUTO_TEST_CASE(random_operations_lose_nothing_and_keep_the_order) {
  constexpr std::size_t kTasks = 20000;
  Tasks tasks(kTasks);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    EntryQueue queue;
    std::size_t pushed = 0;
    std::size_t taken = 0;
    while (taken < kTasks) {
      switch (random.below(4)) {
        case 0: {
          TaskList list;
          for (std::uint32_t i = random.below(300); i > 0 && pushed < kTasks; --i) list.push_back(tasks(pushed++));
          if (!list.empty()) queue.push(list);
          break;
        }
        case 1:
          for (std::uint32_t i = random.below(200); i > 0 && pushed < kTasks; --i) queue.push(tasks(pushed++));
          break;
        case 2: queue.drain(); break;
        default:
          for (std::uint32_t i = random.below(400); i > 0; --i) {
            const Task* task = queue.pop_oldest();
            if (task == nullptr) break;
            BOOST_TEST_REQUIRE(task->id == taken++);
          }
      }
      BOOST_TEST_REQUIRE(queue.size() == pushed - taken);
    }
  }
}

/// Submitters push, and workers empty the inbox and take tasks. `size` always counts every pushed task.
BOOST_AUTO_TEST_CASE(under_contention_every_task_is_taken_exactly_once) {
  constexpr std::size_t kEach = 15'000;
  constexpr std::size_t kSubmitters = 2;
  constexpr std::size_t kWorkers = 3;
  Tasks tasks(kSubmitters * kEach);
  std::vector<std::atomic<int>> taken(kSubmitters * kEach);
  std::atomic<std::size_t> total{0};
  tests::ThreadChecks checks;
  EntryQueue queue;
  std::vector<std::thread> threads;
  for (std::size_t submitter = 0; submitter < kSubmitters; ++submitter) {
    threads.emplace_back([&, submitter] {
      Random random(submitter + 1);
      const std::size_t end = (submitter + 1) * kEach;
      for (std::size_t next = submitter * kEach; next < end;) {
        TaskList list;
        const std::uint32_t most = random.below(50) == 0 ? 2500 : 4;
        for (std::uint32_t i = 1 + random.below(most); i > 0 && next < end; --i) {
          list.push_back(tasks(next++, static_cast<int>(random.below(3))));
        }
        queue.push(list);
        checks.expect(list.empty());
      }
    });
  }
  for (std::size_t worker = 0; worker < kWorkers; ++worker) {
    threads.emplace_back([&, worker] {
      Random random(100 + worker);
      while (total.load(std::memory_order_relaxed) < kSubmitters * kEach) {
        queue.drain();
        TaskList mine;
        if (random.below(2) == 0) {
          std::array<TaskDeque::Entry, TaskDeque::kMostStolen> stolen;
          const std::size_t count = queue.steal_half(1 + random.below(32), stolen);
          for (std::size_t i = 0; i < count; ++i) mine.push_back(stolen[i].task);
        } else if (Task* task = queue.pop_oldest()) {
          mine.push_back(task);
        }
        if (mine.empty()) std::this_thread::yield();
        while (!mine.empty()) {
          taken[mine.pop_front()->id].fetch_add(1, std::memory_order_relaxed);
          total.fetch_add(1, std::memory_order_relaxed);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::size_t wrong = 0;
  for (const auto& count : taken) wrong += count == 1 ? 0 : 1;
  BOOST_TEST(wrong == 0U);
  BOOST_TEST(queue.size() == 0U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
