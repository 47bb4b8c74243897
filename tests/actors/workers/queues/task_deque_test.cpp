#include "actors/workers/queues/task_deque.hpp"

#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "proto/random.hpp"
#include "tests/support/loose_tasks.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(task_deque)

namespace {

using graph::Task;
using graph::TaskList;
using Tasks = tests::LooseTasks;
using Ids = std::vector<std::uint64_t>;
const auto kPerElement = boost::test_tools::per_element();

Ids drained(TaskDeque& deque, Task* (TaskDeque::*pop)()) {
  Ids ids;
  while (const Task* task = (deque.*pop)()) ids.push_back(task->id);
  return ids;
}

Ids ids_of(TaskList& list) {
  Ids ids;
  while (!list.empty()) ids.push_back(list.pop_front()->id);
  return ids;
}

BOOST_AUTO_TEST_CASE(an_empty_deque_gives_nothing) {
  TaskDeque deque;
  TaskList stolen;
  BOOST_TEST(deque.pop_newest() == nullptr);
  BOOST_TEST(deque.pop_oldest() == nullptr);
  BOOST_TEST(deque.steal_half(8, stolen) == 0U);
  BOOST_TEST(stolen.empty());
  BOOST_TEST(deque.size() == 0U);
  BOOST_TEST(deque.top() == TaskDeque::kEmpty);
}

BOOST_AUTO_TEST_CASE(the_owner_takes_the_newest) {
  Tasks tasks(4);
  TaskDeque deque;
  for (std::size_t i = 0; i < 4; ++i) deque.push(tasks(i));
  BOOST_TEST(drained(deque, &TaskDeque::pop_newest) == (Ids{3, 2, 1, 0}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_shared_queue_is_emptied_from_the_oldest) {
  Tasks tasks(4);
  TaskDeque deque;
  for (std::size_t i = 0; i < 4; ++i) deque.push(tasks(i));
  BOOST_TEST(drained(deque, &TaskDeque::pop_oldest) == (Ids{0, 1, 2, 3}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_list_is_pushed_in_its_order) {
  Tasks tasks(5);
  TaskDeque deque;
  TaskList list;
  for (std::size_t i = 0; i < 5; ++i) list.push_back(tasks(i));
  deque.push(list);
  BOOST_TEST(list.empty());
  BOOST_TEST(deque.size() == 5U);
  BOOST_TEST(drained(deque, &TaskDeque::pop_newest) == (Ids{4, 3, 2, 1, 0}), kPerElement);
}

BOOST_AUTO_TEST_CASE(the_highest_priority_goes_first_whatever_the_order_of_arrival) {
  constexpr int kLowest = std::numeric_limits<int>::min();
  constexpr int kHighest = std::numeric_limits<int>::max();
  const std::vector<int> priorities{0, kHighest, -5, 7, kLowest, 7, kHighest, 0};
  Tasks tasks(priorities.size());
  TaskDeque newest;
  for (std::size_t i = 0; i < priorities.size(); ++i) newest.push(tasks(i, priorities[i]));
  BOOST_TEST(newest.top() == kHighest);
  BOOST_TEST(drained(newest, &TaskDeque::pop_newest) == (Ids{6, 1, 5, 3, 7, 0, 2, 4}), kPerElement);
  TaskDeque oldest;
  for (std::size_t i = 0; i < priorities.size(); ++i) oldest.push(tasks(i, priorities[i]));
  BOOST_TEST(drained(oldest, &TaskDeque::pop_oldest) == (Ids{1, 6, 3, 5, 0, 7, 2, 4}), kPerElement);
}

BOOST_AUTO_TEST_CASE(the_top_is_that_of_the_tasks_that_are_left) {
  Tasks tasks(2);
  TaskDeque deque;
  deque.push(tasks(0, std::numeric_limits<int>::min()));
  BOOST_TEST(deque.top() == std::numeric_limits<int>::min());
  deque.push(tasks(1, 3));
  BOOST_TEST(deque.top() == 3);
  BOOST_TEST(deque.pop_newest()->id == 1U);
  BOOST_TEST(deque.top() == std::numeric_limits<int>::min());
  BOOST_TEST(deque.pop_newest()->id == 0U);
  BOOST_TEST(deque.top() == TaskDeque::kEmpty);
}

BOOST_AUTO_TEST_CASE(a_thief_gets_half_rounded_up_oldest_first) {
  for (std::size_t count = 0; count <= 9; ++count) {
    Tasks tasks(10);
    TaskDeque deque;
    for (std::size_t i = 0; i < count; ++i) deque.push(tasks(i));
    TaskList stolen;
    BOOST_TEST(deque.steal_half(100, stolen) == (count + 1) / 2);
    BOOST_TEST(deque.size() == count / 2);
    Ids expected;
    for (std::size_t i = 0; i < (count + 1) / 2; ++i) expected.push_back(i);
    BOOST_TEST(ids_of(stolen) == expected, kPerElement);
  }
}

BOOST_AUTO_TEST_CASE(a_thief_gets_no_more_than_the_limit_and_appends) {
  Tasks tasks(12);
  TaskDeque deque;
  TaskList stolen;
  stolen.push_back(tasks(11));
  for (std::size_t i = 0; i < 10; ++i) deque.push(tasks(i));
  BOOST_TEST(deque.steal_half(3, stolen) == 3U);
  BOOST_TEST(ids_of(stolen) == (Ids{11, 0, 1, 2}), kPerElement);
  BOOST_TEST(deque.size() == 7U);
}

BOOST_AUTO_TEST_CASE(a_thief_gets_high_priorities_first) {
  Tasks tasks(6);
  TaskDeque deque;
  for (std::size_t i = 0; i < 6; ++i) deque.push(tasks(i, static_cast<int>(i % 3)));
  TaskList stolen;
  BOOST_TEST(deque.steal_half(100, stolen) == 3U);
  BOOST_TEST(ids_of(stolen) == (Ids{2, 5, 1}), kPerElement);
  BOOST_TEST(drained(deque, &TaskDeque::pop_newest) == (Ids{4, 3, 0}), kPerElement);
}

/// Compares the deque with a simple model: a vector that is searched from end to end.
BOOST_AUTO_TEST_CASE(random_operations_agree_with_a_model) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    Tasks tasks(2000);
    TaskDeque deque;
    std::vector<Task*> model;
    const auto best = [&](bool newest) {
      auto chosen = model.begin();
      for (auto it = model.begin(); it != model.end(); ++it) {
        if ((*it)->priority > (*chosen)->priority || (newest && (*it)->priority == (*chosen)->priority)) chosen = it;
      }
      Task* task = *chosen;
      model.erase(chosen);
      return task->id.load();
    };
    // Half of the runs use few priorities. The other half use more priorities than the deque has reserved memory for.
    const std::uint32_t priorities = seed % 2 == 0 ? 4 : 200;
    for (std::size_t next = 0; next < 2000;) {
      switch (random.below(5)) {
        case 0:
        case 1:
        case 2:
          model.push_back(tasks(next++, static_cast<int>(random.below(priorities)) - 2));
          deque.push(model.back());
          break;
        case 3: {
          const bool newest = random.below(2) == 0;
          const Task* task = newest ? deque.pop_newest() : deque.pop_oldest();
          BOOST_TEST_REQUIRE((task == nullptr) == model.empty());
          if (task != nullptr) BOOST_TEST_REQUIRE(task->id == best(newest));
          break;
        }
        default: {
          TaskList stolen;
          const std::size_t count = std::min<std::size_t>(10, (model.size() + 1) / 2);
          BOOST_TEST_REQUIRE(deque.steal_half(10, stolen) == count);
          while (!stolen.empty()) BOOST_TEST_REQUIRE(stolen.pop_front()->id == best(false));
        }
      }
      BOOST_TEST_REQUIRE(deque.size() == model.size());
    }
  }
}

/// One owner pushes and pops. Thieves steal tasks into their own deques and take tasks from either end of their deques.
BOOST_AUTO_TEST_CASE(under_contention_every_task_is_taken_exactly_once) {
  constexpr std::size_t kTasks = 40'000;
  constexpr std::size_t kThieves = 3;
  Tasks tasks(kTasks);
  std::vector<std::atomic<int>> taken(kTasks);
  std::atomic<std::size_t> total{0};
  std::array<TaskDeque, kThieves + 1> deques;
  const auto take = [&](const Task* task) {
    taken[task->id].fetch_add(1, std::memory_order_relaxed);
    total.fetch_add(1, std::memory_order_relaxed);
  };
  const auto thief = [&](std::size_t self) {
    Random random(self);
    while (total.load(std::memory_order_relaxed) < kTasks) {
      TaskList stolen;
      if (deques[random.below(kThieves + 1)].steal_half(1 + random.below(8), stolen) == 0) {
        std::this_thread::yield();
        continue;
      }
      deques[self].push(stolen);
      while (const Task* task = random.below(2) == 0 ? deques[self].pop_newest() : deques[self].pop_oldest()) {
        take(task);
        if (random.below(4) == 0) break;
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i <= kThieves; ++i) threads.emplace_back(thief, i);
  Random random(99);
  for (std::size_t next = 0; next < kTasks;) {
    TaskList batch;
    for (std::uint64_t i = 1 + random.below(16); i > 0 && next < kTasks; --i, ++next) {
      batch.push_back(tasks(next, static_cast<int>(random.below(3))));
    }
    deques[0].push(batch);
    for (std::uint64_t i = random.below(12); i > 0; --i) {
      if (const Task* task = deques[0].pop_newest()) take(task);
    }
  }
  while (const Task* task = deques[0].pop_newest()) take(task);
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(total == kTasks);
  std::size_t wrong = 0;
  for (const auto& count : taken) wrong += count == 1 ? 0 : 1;
  BOOST_TEST(wrong == 0U);
  for (const TaskDeque& deque : deques) BOOST_TEST(deque.size() == 0U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
