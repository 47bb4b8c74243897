#include "actors/workers/queues/task_ring.hpp"

#include <boost/test/unit_test.hpp>
#include <deque>
#include <memory>
#include <utility>

#include "proto/random.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(task_ring)

namespace {

using graph::Task;

BOOST_AUTO_TEST_CASE(gives_from_either_end) {
  const auto tasks = std::make_unique<Task[]>(3);
  TaskRing ring;
  BOOST_TEST(ring.empty());
  for (int i = 0; i < 3; ++i) ring.push_newest(&tasks[i]);
  BOOST_TEST(ring.size() == 3U);
  BOOST_TEST(ring.pop_oldest() == &tasks[0]);
  BOOST_TEST(ring.pop_newest() == &tasks[2]);
  BOOST_TEST(ring.pop_newest() == &tasks[1]);
  BOOST_TEST(ring.empty());
}

BOOST_AUTO_TEST_CASE(grows_wherever_its_first_task_lies) {
  constexpr std::size_t kTasks = 1000;
  const auto tasks = std::make_unique<Task[]>(kTasks);
  for (const std::size_t before : {0U, 1U, 63U, 64U, 100U}) {
    TaskRing ring;
    // These pairs of calls move the ring's first position to another place in its array.
    for (std::size_t i = 0; i < before; ++i) {
      ring.push_newest(&tasks[0]);
      BOOST_TEST_REQUIRE(ring.pop_oldest() == &tasks[0]);
    }
    for (std::size_t i = 0; i < kTasks; ++i) ring.push_newest(&tasks[i]);
    BOOST_TEST(ring.size() == kTasks);
    for (std::size_t i = 0; i < kTasks; ++i) BOOST_TEST_REQUIRE(ring.pop_oldest() == &tasks[i]);
    BOOST_TEST(ring.empty());
  }
}

BOOST_AUTO_TEST_CASE(moves_with_its_tasks) {
  const auto tasks = std::make_unique<Task[]>(100);
  TaskRing first;
  for (int i = 0; i < 100; ++i) first.push_newest(&tasks[i]);
  TaskRing second(std::move(first));
  BOOST_TEST(second.size() == 100U);
  TaskRing third;
  third = std::move(second);
  for (int i = 0; i < 100; ++i) BOOST_TEST_REQUIRE(third.pop_oldest() == &tasks[i]);
  BOOST_TEST(third.empty());
}

BOOST_AUTO_TEST_CASE(random_operations_agree_with_a_deque) {
  const auto tasks = std::make_unique<Task[]>(500);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    TaskRing ring;
    std::deque<Task*> model;
    // In turn, the ring mostly grows for 500 steps and mostly shrinks for 500 steps.
    for (int i = 0; i < 4000; ++i) {
      const bool grows = i / 500 % 2 == 0;
      if (random.below(10) < (grows ? 7U : 3U)) {
        model.push_back(&tasks[random.below(500)]);
        ring.push_newest(model.back());
      } else if (!model.empty()) {
        if (random.below(2) == 0) {
          BOOST_TEST_REQUIRE(ring.pop_newest() == model.back());
          model.pop_back();
        } else {
          BOOST_TEST_REQUIRE(ring.pop_oldest() == model.front());
          model.pop_front();
        }
      }
      BOOST_TEST_REQUIRE(ring.size() == model.size());
      BOOST_TEST_REQUIRE(ring.empty() == model.empty());
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
