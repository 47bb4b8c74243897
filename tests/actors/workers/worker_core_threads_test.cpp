#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "actors/workers/worker_core.hpp"
#include "proto/spin_lock.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/actors/workers/steal_plans.hpp"
#include "tests/actors/workers/worker_threads.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(worker_core_threads)

namespace {

using tests::GraphFixture;
using tests::one_ring;
using tests::shared_queue;

/// Workers whose kernels do nothing. Each worker is a plain thread.
class Threads {
 public:
  Threads(std::size_t workers, StealPlan plan)
      : tasks_(workers),
        crew_(tasks_.graph, workers, std::move(plan)),
        threads_(crew_, workers, [](graph::Task&, WorkerId) { return nullptr; }) {}

  /// Pushes tasks into the entry queue and wakes idle workers, as the runtime does after a submission.
  void submit(std::size_t count, int priorities) {
    for (std::size_t i = 0; i < count; ++i) {
      crew_.entry.push(tasks_.task(static_cast<int>(i) % priorities));
      threads_.wake_idle();
    }
    submitted_ += count;
  }
  /// Waits until all tasks have ended. Returns false after 30 seconds, which means that a wake-up was lost.
  [[nodiscard]] bool all_end() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (ended() < submitted_) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return ended() == submitted_;
  }
  [[nodiscard]] std::uint64_t ended() const {
    std::uint64_t sum = 0;
    for (const auto& port : crew_.ports) sum += port.counters.tasks;
    return sum;
  }

 private:
  GraphFixture tasks_;
  Crew crew_;
  std::uint64_t submitted_ = 0;
  tests::WorkerThreads threads_;
};

void submit_in_bursts(StealPlan plan, std::size_t workers) {
  Threads threads(workers, std::move(plan));
  Random random(workers);
  for (int round = 0; round < 1500; ++round) {
    threads.submit(1 + random.below(round % 16 == 0 ? 64 : 4), 3);
    // This pause lets some workers fall asleep, and others get close to it.
    for (std::uint64_t i = random.below(2000); i > 0; --i) SpinLock::pause();
    if (round % 8 == 0) BOOST_TEST_REQUIRE(threads.all_end());
  }
  BOOST_TEST(threads.all_end());
}

BOOST_AUTO_TEST_CASE(no_wake_up_is_lost_among_thieves) { submit_in_bursts(one_ring(4), 4); }
BOOST_AUTO_TEST_CASE(no_wake_up_is_lost_at_a_shared_queue) { submit_in_bursts(shared_queue(3), 3); }
BOOST_AUTO_TEST_CASE(no_wake_up_is_lost_by_a_worker_alone) { submit_in_bursts(one_ring(1), 1); }

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
