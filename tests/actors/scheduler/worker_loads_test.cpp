#include "actors/scheduler/worker_loads.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <vector>

#include "proto/random.hpp"
#include "tests/support/tries.hpp"

namespace troupe::scheduler {

namespace worker_loads {

using namespace std::chrono_literals;

struct Fixture {
  [[nodiscard]] Duration free_at(std::uint32_t worker, TimeStamp now) const {
    return loads.available(WorkerId(worker), now);
  }
  void place(std::uint64_t task, Duration execution, TimeStamp data_at = {}) {
    loads.placed(WorkerId(0), TaskId(task), execution, data_at);
  }
  void predict(std::uint64_t task, Duration execution) { loads.predicted(WorkerId(0), TaskId(task), execution); }
  void start(std::uint64_t task, TimeStamp at) { loads.started(WorkerId(0), TaskId(task), at); }
  void end(std::uint64_t task, TimeStamp at) { loads.ended(WorkerId(0), TaskId(task), at); }

  WorkerLoads loads{2};
};

}  // namespace worker_loads

BOOST_FIXTURE_TEST_SUITE(worker_loads, Fixture)

BOOST_AUTO_TEST_CASE(a_worker_without_tasks_is_free_now) {
  BOOST_TEST((free_at(0, 70us) == 70us));
  BOOST_TEST(!loads.anything());
  BOOST_TEST(!loads.busy(WorkerId(0)));
}

BOOST_AUTO_TEST_CASE(what_is_placed_adds_up_on_its_worker_alone) {
  place(1, 10us);
  place(2, 20us);
  BOOST_TEST((free_at(0, 70us) == 100us));
  BOOST_TEST((free_at(1, 70us) == 70us));
  BOOST_TEST(loads.queued(WorkerId(0)) == 2U);
  BOOST_TEST(loads.anything());
}

BOOST_AUTO_TEST_CASE(a_task_waits_for_its_data_and_those_behind_it_wait_for_the_task) {
  place(1, 10us, 100us);
  place(2, 20us);
  BOOST_TEST((free_at(0, 70us) == 130us));
  BOOST_TEST((free_at(0, 200us) == 230us));
}

BOOST_AUTO_TEST_CASE(a_start_corrects_the_prediction) {
  place(1, 10us);
  place(2, 20us);
  start(1, 80us);
  BOOST_TEST(loads.busy(WorkerId(0)));
  BOOST_TEST(loads.queued(WorkerId(0)) == 1U);
  BOOST_TEST((free_at(0, 81us) == 110us));
}

BOOST_AUTO_TEST_CASE(those_that_run_on_a_device_with_slots_share_it) {
  place(1, 30us);
  place(2, 10us);
  place(3, 5us);
  start(1, 80us);
  start(2, 80us);
  // Tasks 1 and 2 share the device. Together they take as long as one after the other.
  BOOST_TEST((free_at(0, 81us) == 125us));
  // Task 2 ends as predicted: in 20 us each of the two tasks has had 10 us of the device.
  end(2, 100us);
  BOOST_TEST(loads.busy(WorkerId(0)));
  BOOST_TEST((free_at(0, 101us) == 125us));
  end(1, 120us);
  BOOST_TEST(!loads.busy(WorkerId(0)));
  BOOST_TEST((free_at(0, 120us) == 125us));
  end(3, 120us);
  BOOST_TEST(!loads.anything());
}

BOOST_AUTO_TEST_CASE(what_an_ended_task_had_left_is_taken_out_and_what_it_needed_beyond_comes_on_top) {
  place(1, 30us);
  place(2, 10us);
  place(3, 40us);
  for (std::uint64_t task : {1U, 2U, 3U}) start(task, 100us);
  BOOST_TEST((free_at(0, 100us) == 180us));
  // In 15 us each of the three tasks has had 5 us of the device. Task 2 was predicted to need 10 us.
  end(2, 115us);
  BOOST_TEST((free_at(0, 115us) == 175us));
  // Since then each of the two tasks has had 30 us. Task 1 was predicted to need only 25 us more.
  end(1, 175us);
  BOOST_TEST((free_at(0, 175us) == 180us));
}

BOOST_AUTO_TEST_CASE(the_end_of_a_queue_on_a_device_with_slots_is_known_from_its_begin) {
  constexpr std::size_t kSlots = 4;
  struct Task {
    std::uint64_t id;
    std::int64_t left;
  };
  Random random(3);
  std::deque<Task> waiting;
  std::int64_t end_ns = 0;
  for (std::uint64_t id = 0; id < 40; ++id) {
    waiting.push_back({id, 1000 + static_cast<std::int64_t>(random.below(100'000))});
    end_ns += waiting.back().left;
    place(id, Duration(waiting.back().left));
  }
  // The device divides its time equally among the running tasks.
  std::vector<Task> running;
  std::int64_t now_ns = 0;
  while (!running.empty() || !waiting.empty()) {
    while (running.size() < kSlots && !waiting.empty()) {
      running.push_back(waiting.front());
      start(waiting.front().id, TimeStamp(now_ns));
      waiting.pop_front();
    }
    // The predicted end only differs by the rounding of nanoseconds.
    BOOST_TEST(std::abs(free_at(0, TimeStamp(now_ns)).count() - end_ns) < 1000);
    const auto shortest = std::ranges::min_element(running, {}, &Task::left);
    const std::int64_t each = shortest->left;
    now_ns += each * static_cast<std::int64_t>(running.size());
    end(shortest->id, TimeStamp(now_ns));
    running.erase(shortest);
    for (Task& one : running) one.left -= each;
  }
  BOOST_TEST(now_ns == end_ns);
}

BOOST_AUTO_TEST_CASE(a_task_that_takes_longer_than_predicted_may_end_at_any_time) {
  place(1, 10us);
  place(2, 20us);
  start(1, 80us);
  BOOST_TEST((free_at(0, 95us) == 115us));
}

BOOST_AUTO_TEST_CASE(an_end_corrects_the_prediction) {
  place(1, 10us);
  place(2, 20us);
  start(1, 80us);
  end(1, 84us);
  BOOST_TEST(!loads.busy(WorkerId(0)));
  BOOST_TEST((free_at(0, 84us) == 104us));
  start(2, 84us);
  end(2, 90us);
  BOOST_TEST((free_at(0, 90us) == 90us));
  BOOST_TEST(!loads.anything());
}

BOOST_AUTO_TEST_CASE(a_task_may_overtake_another_whose_data_are_late) {
  place(1, 10us, 100us);
  place(2, 20us);
  start(2, 70us);
  BOOST_TEST(loads.queued(WorkerId(0)) == 1U);
  BOOST_TEST((free_at(0, 71us) == 110us));
}

BOOST_AUTO_TEST_CASE(a_task_that_ends_without_having_run_is_forgotten) {
  place(1, 10us, 500us);
  place(2, 20us);
  end(1, {});
  BOOST_TEST((free_at(0, 70us) == 90us));
  BOOST_TEST(loads.queued(WorkerId(0)) == 1U);
}

BOOST_AUTO_TEST_CASE(tasks_that_were_not_placed_are_no_load) {
  place(1, 10us);
  start(7, 70us);
  end(8, 70us);
  BOOST_TEST(!loads.busy(WorkerId(0)));
  BOOST_TEST((free_at(0, 70us) == 80us));
}

BOOST_AUTO_TEST_CASE(a_task_of_guessed_time_that_is_late_is_expected_to_be_as_late_again) {
  loads.placed(WorkerId(0), TaskId(1), 10us, {}, true);
  start(1, 80us);
  BOOST_TEST((free_at(0, 85us) == 90us));
  BOOST_TEST((free_at(0, 90us) == 90us));
  BOOST_TEST((free_at(0, 95us) == 100us));
  BOOST_TEST((free_at(0, 120us) == 150us));
  predict(1, 60us);
  BOOST_TEST((free_at(0, 120us) == 140us));
}

BOOST_AUTO_TEST_CASE(what_is_predicted_anew_counts_for_tasks_that_run_and_for_those_that_wait) {
  place(1, 10us);
  place(2, 20us);
  place(3, 5us, 200us);
  start(1, 80us);
  predict(1, 30us);
  BOOST_TEST((free_at(0, 90us) == 205us));
  predict(2, 100us);
  BOOST_TEST((free_at(0, 90us) == 215us));
  predict(1, 5us);
  BOOST_TEST((free_at(0, 90us) == 205us));
  predict(3, 50us);
  BOOST_TEST((free_at(0, 90us) == 250us));
  predict(7, 50us);
  BOOST_TEST((free_at(0, 90us) == 250us));
  end(1, 90us);
  predict(1, 1000us);
  BOOST_TEST((free_at(0, 90us) == 250us));
}

BOOST_AUTO_TEST_CASE(random_orders_give_what_adding_up_gives) {
  struct Waiting {
    std::uint64_t task;
    Duration execution;
    TimeStamp data_at;
  };
  Random random(7);
  const auto drawn = [&](std::uint32_t most) { return std::chrono::microseconds(random.below(most)); };
  std::vector<Waiting> waiting;
  // The time that each task still needs at `now`.
  std::map<std::uint64_t, Duration> running;
  std::uint64_t next = 0;
  TimeStamp now{};
  for (std::uint64_t step = 0; step < tests::tries(20'000); ++step) {
    // 12 us can be divided by one to four running tasks without a remainder.
    const Duration passed = 12us * random.below(3);
    now += passed;
    for (auto& [task, left] : running) {
      left = std::max(left - passed / static_cast<std::int64_t>(running.size()), Duration{});
    }
    const std::uint32_t what = random.below(10);
    // The share of new tasks changes, so in some phases few tasks wait and in others many.
    if (what < 4U + static_cast<std::uint32_t>(step / 1000 % 3)) {
      waiting.push_back({++next, drawn(50), now + drawn(400)});
      place(next, waiting.back().execution, waiting.back().data_at);
    } else if (what < 9 && !waiting.empty() && running.size() < 4) {
      // Mostly the first waiting task starts, sometimes one of the first four, sometimes any task. Some tasks leave
      // without having started.
      const std::size_t reach = what == 8 ? waiting.size() : std::min<std::size_t>(waiting.size(), what == 7 ? 4 : 1);
      const auto one = waiting.begin() + random.below(static_cast<std::uint32_t>(reach));
      if (random.below(8) == 0) {
        end(one->task, now);
      } else {
        start(one->task, now);
        running[one->task] = one->execution;
      }
      waiting.erase(one);
    } else if (what == 9 && !waiting.empty() && random.below(2) == 0) {
      Waiting& one = waiting[random.below(static_cast<std::uint32_t>(waiting.size()))];
      one.execution = drawn(50);
      predict(one.task, one.execution);
    } else if (!running.empty()) {
      end(running.begin()->first, now);
      running.erase(running.begin());
    }
    TimeStamp free = now;
    for (const auto& [task, left] : running) free += left;
    for (const Waiting& one : waiting) free = std::max(free, one.data_at) + one.execution;
    BOOST_TEST_REQUIRE(loads.queued(WorkerId(0)) == waiting.size());
    BOOST_TEST_REQUIRE((free_at(0, now) == free));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
