#include "graph/data/commute_lock.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "graph/data/data_record.hpp"
#include "proto/random.hpp"

namespace troupe::graph {

namespace commute_locks {

/// Data records, and tasks that commute on some of them, without a graph.
struct Fixture {
  std::deque<DataRecord> records;
  std::deque<Task> tasks;

  DataRecord& record() {
    DataRecord& record = records.emplace_back();
    record.id = records.size();
    return record;
  }
  Task& task(const std::vector<DataRecord*>& data) {
    Task& task = tasks.emplace_back();
    task.accesses = task.inline_accesses.data();
    for (DataRecord* record : data) task.accesses[task.access_count++] = TaskAccess(record, AccessMode::commute);
    task.commute.wants = true;
    return task;
  }
};

std::vector<Task*> content(TaskList& list) {
  std::vector<Task*> tasks;
  while (!list.empty()) tasks.push_back(list.pop_front());
  return tasks;
}

}  // namespace commute_locks

BOOST_FIXTURE_TEST_SUITE(commute_locks, Fixture)

BOOST_AUTO_TEST_CASE(only_one_task_holds_a_lock_and_the_oldest_that_waits_is_next) {
  DataRecord& x = record();
  Task& first = task({&x});
  Task& second = task({&x});
  Task& third = task({&x});
  TaskList retry;
  BOOST_TEST(acquire_commute(first, retry));
  BOOST_TEST(!acquire_commute(second, retry));
  BOOST_TEST(!acquire_commute(third, retry));
  BOOST_TEST(retry.empty());
  release_commute(first, retry);
  BOOST_TEST(!first.commute.holds);
  BOOST_TEST((content(retry) == std::vector<Task*>{&second}));
  BOOST_TEST(acquire_commute(second, retry));
  release_commute(second, retry);
  BOOST_TEST((content(retry) == std::vector<Task*>{&third}));
}

BOOST_AUTO_TEST_CASE(a_task_takes_all_its_locks_or_none) {
  DataRecord& x = record();
  DataRecord& y = record();
  Task& holds_y = task({&y});
  Task& wants_both = task({&y, &x});
  Task& wants_x = task({&x});
  TaskList retry;
  BOOST_TEST(acquire_commute(holds_y, retry));
  BOOST_TEST(!acquire_commute(wants_both, retry));
  // The task waits for y. Meanwhile it does not lock x.
  BOOST_TEST(acquire_commute(wants_x, retry));
  release_commute(holds_y, retry);
  BOOST_TEST((content(retry) == std::vector<Task*>{&wants_both}));
  // The task was woken for y. It must now wait for x, and again does not lock y.
  BOOST_TEST(!acquire_commute(wants_both, retry));
  BOOST_TEST(acquire_commute(holds_y, retry));
  release_commute(holds_y, retry);
  release_commute(wants_x, retry);
  BOOST_TEST((content(retry) == std::vector<Task*>{&wants_both}));
  BOOST_TEST(acquire_commute(wants_both, retry));
}

BOOST_AUTO_TEST_CASE(a_turn_that_is_not_used_goes_to_the_next) {
  DataRecord& x = record();
  DataRecord& y = record();
  Task& holds_y = task({&y});
  Task& holds_x = task({&x});
  Task& wants_both = task({&x, &y});
  Task& wants_y = task({&y});
  TaskList retry;
  BOOST_TEST(acquire_commute(holds_y, retry));
  BOOST_TEST(!acquire_commute(wants_both, retry));
  BOOST_TEST(!acquire_commute(wants_y, retry));
  BOOST_TEST(acquire_commute(holds_x, retry));
  release_commute(holds_y, retry);
  BOOST_TEST((content(retry) == std::vector<Task*>{&wants_both}));
  // The task cannot lock x, so it does not try to lock y.
  BOOST_TEST(!acquire_commute(wants_both, retry));
  BOOST_TEST((content(retry) == std::vector<Task*>{&wants_y}));
}

BOOST_AUTO_TEST_CASE(a_cancelled_task_passes_its_turn_on) {
  DataRecord& x = record();
  Task& first = task({&x});
  Task& cancelled = task({&x});
  Task& third = task({&x});
  TaskList retry;
  BOOST_TEST(acquire_commute(first, retry));
  BOOST_TEST(!acquire_commute(cancelled, retry));
  BOOST_TEST(!acquire_commute(third, retry));
  release_commute(first, retry);
  BOOST_TEST((content(retry) == std::vector<Task*>{&cancelled}));
  renounce_commute(cancelled, retry);
  BOOST_TEST((content(retry) == std::vector<Task*>{&third}));
  // No release has woken the task `first`, so its cancellation does not have to wake another task.
  renounce_commute(first, retry);
  BOOST_TEST(retry.empty());
}

BOOST_AUTO_TEST_CASE(a_whole_and_its_parts_exclude_one_another) {
  DataRecord& whole = record();
  DataRecord& part = record();
  DataRecord& other_part = record();
  whole.children = {&part, &other_part};
  Task& on_part = task({&part});
  Task& on_other = task({&other_part});
  Task& on_whole = task({&whole});
  TaskList retry;
  BOOST_TEST(acquire_commute(on_part, retry));
  BOOST_TEST(acquire_commute(on_other, retry));
  BOOST_TEST(!acquire_commute(on_whole, retry));
  release_commute(on_other, retry);
  BOOST_TEST(retry.empty());
  release_commute(on_part, retry);
  BOOST_TEST((content(retry) == std::vector<Task*>{&on_whole}));
  BOOST_TEST(acquire_commute(on_whole, retry));
  BOOST_TEST(!acquire_commute(on_part, retry));
}

BOOST_AUTO_TEST_CASE(no_turn_is_lost_among_threads) {
  constexpr std::size_t kRecords = 4;
  constexpr std::size_t kTasks = 3000;
  constexpr std::size_t kThreads = 4;
  std::array<DataRecord*, kRecords> data{};
  for (DataRecord*& one : data) one = &record();
  // The counts are not atomic: only the commute locks protect them.
  std::array<std::uint64_t, kRecords> counts{};
  std::uint64_t expected = 0;
  Random random(11);
  TaskList ready;
  for (std::size_t i = 0; i < kTasks; ++i) {
    std::vector<DataRecord*> mine;
    for (DataRecord* one : data) {
      if (random.below(3) == 0) mine.push_back(one);
    }
    if (random.below(2) == 0) std::reverse(mine.begin(), mine.end());
    expected += mine.size();
    ready.push_back(&task(mine));
  }
  std::mutex mutex;
  std::atomic<std::size_t> ended{0};
  std::atomic<std::uint64_t> cancelled{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Random choice(t);
      while (ended.load() < kTasks) {
        Task* task = nullptr;
        {
          const std::lock_guard lock(mutex);
          if (!ready.empty()) task = ready.pop_front();
        }
        if (task == nullptr) {
          std::this_thread::yield();
          continue;
        }
        TaskList retry;
        if (choice.below(10) == 0) {
          // Some tasks are cancelled instead of run.
          renounce_commute(*task, retry);
          cancelled += task->access_count;
          ++ended;
        } else if (acquire_commute(*task, retry)) {
          for (const TaskAccess& access : task->data()) ++counts[access.data()->id - 1];
          release_commute(*task, retry);
          ++ended;
        }
        const std::lock_guard lock(mutex);
        ready.append(retry);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  BOOST_TEST(sum == expected - cancelled);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
