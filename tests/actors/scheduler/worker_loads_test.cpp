#include "actors/scheduler/worker_loads.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
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
  void start(std::uint64_t task, TimeStamp at) { loads.started(WorkerId(0), TaskId(task), at); }
  void end(std::uint64_t task) { loads.ended(WorkerId(0), TaskId(task)); }

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

BOOST_AUTO_TEST_CASE(all_that_run_on_a_device_with_slots_count_until_they_end) {
  place(1, 30us);
  place(2, 10us);
  place(3, 5us);
  start(1, 80us);
  start(2, 80us);
  BOOST_TEST((free_at(0, 81us) == 115us));
  end(2);
  BOOST_TEST(loads.busy(WorkerId(0)));
  BOOST_TEST((free_at(0, 91us) == 115us));
  end(1);
  BOOST_TEST(!loads.busy(WorkerId(0)));
  BOOST_TEST((free_at(0, 100us) == 105us));
  end(3);
  BOOST_TEST(!loads.anything());
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
  end(1);
  BOOST_TEST(!loads.busy(WorkerId(0)));
  BOOST_TEST((free_at(0, 84us) == 104us));
  start(2, 84us);
  end(2);
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
  end(1);
  BOOST_TEST((free_at(0, 70us) == 90us));
  BOOST_TEST(loads.queued(WorkerId(0)) == 1U);
}

BOOST_AUTO_TEST_CASE(tasks_that_were_not_placed_are_no_load) {
  place(1, 10us);
  start(7, 70us);
  end(8);
  BOOST_TEST(!loads.busy(WorkerId(0)));
  BOOST_TEST((free_at(0, 70us) == 80us));
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
  std::map<std::uint64_t, TimeStamp> running;
  std::uint64_t next = 0;
  for (std::uint64_t step = 0; step < tests::tries(20'000); ++step) {
    const TimeStamp now = drawn(300);
    const std::uint32_t what = random.below(10);
    // Now and then very few wait, and now and then many.
    if (what < 4U + static_cast<std::uint32_t>(step / 1000 % 3)) {
      waiting.push_back({++next, drawn(50), drawn(400)});
      place(next, waiting.back().execution, waiting.back().data_at);
    } else if (what < 9 && !waiting.empty()) {
      // Mostly the first, sometimes one that overtakes, sometimes any; some leave without having started.
      const std::size_t reach = what == 8 ? waiting.size() : std::min<std::size_t>(waiting.size(), what == 7 ? 4 : 1);
      const auto one = waiting.begin() + random.below(static_cast<std::uint32_t>(reach));
      if (random.below(8) == 0) {
        end(one->task);
      } else {
        start(one->task, now);
        running[one->task] = now + one->execution;
      }
      waiting.erase(one);
    } else if (!running.empty()) {
      end(running.begin()->first);
      running.erase(running.begin());
    }
    TimeStamp free = now;
    for (const auto& [task, until] : running) free = std::max(free, until);
    for (const Waiting& one : waiting) free = std::max(free, one.data_at) + one.execution;
    BOOST_TEST_REQUIRE(loads.queued(WorkerId(0)) == waiting.size());
    BOOST_TEST_REQUIRE((free_at(0, now) == free));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
