/// Workers as plain threads that run tasks of several clients' graphs.
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "actors/workers/worker_core.hpp"
#include "proto/random.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/actors/workers/steal_plans.hpp"
#include "tests/support/run_task.hpp"

namespace troupe::workers {
namespace {

using graph::TaskList;

/// What a runtime does around its workers, without actors: a wake-up is a flag, so that one that is lost hangs the run.
class SharedCrew final : public graph::GraphHost {
 public:
  explicit SharedCrew(std::size_t workers)
      : own_(workers), crew_(own_.graph, workers, tests::one_ring(workers)), beds_(workers) {
    crew_.share_workers();
    for (std::size_t i = 0; i < workers; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~SharedCrew() override {
    stopping_ = true;
    for (std::size_t i = 0; i < beds_.size(); ++i) wake(i);
    for (std::thread& thread : threads_) thread.join();
  }

  void activate(TaskList& ready, WorkerId) noexcept override {
    crew_.shares->activated(crew_.share_of(*ready.front()), ready.size());
    if (crew_.shares->contended()) {
      crew_.put_into_turns(ready);
    } else {
      crew_.entry.push(ready);
    }
    const WorkerId sleeper = crew_.take_idle(WorkerId{});
    if (sleeper.valid()) wake(sleeper.index());
  }
  Pump pump() override { return Pump::block; }

  Crew& crew() { return crew_; }

 private:
  struct Bed {
    std::mutex mutex;
    std::condition_variable condition;
    bool woken = false;  // guarded by mutex
  };

  void wake(std::size_t worker) {
    const std::lock_guard lock(beds_[worker].mutex);
    beds_[worker].woken = true;
    beds_[worker].condition.notify_one();
  }
  void sleep(std::size_t worker) {
    std::unique_lock lock(beds_[worker].mutex);
    beds_[worker].condition.wait(lock, [&] { return beds_[worker].woken; });
    beds_[worker].woken = false;
  }
  void work(std::size_t self) {
    const WorkerId id(static_cast<std::uint32_t>(self));
    WorkerCore core(crew_, {.self = id, .seed = self + 1});
    while (!stopping_) {
      const Step step = core.next();
      if (step.wake.valid()) wake(step.wake.index());
      if (step.kind == Step::Kind::start) {
        core.task_ended(*step.task, tests::run_kernel(crew_.graph_of(*step.task), *step.task, id));
      } else if (step.kind == Step::Kind::steal) {
        TaskList stolen = take_half(crew_, step.victim);
        core.steal_answered(step.victim, stolen);
      } else if (step.kind == Step::Kind::rest && core.park()) {
        sleep(self);
        core.unpark();
      }
    }
  }

  tests::GraphFixture own_;
  Crew crew_;
  std::vector<Bed> beds_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

/// Chains and independent tasks, some of them cancelled, of one client: again and again alone and beside others.
/// Returns the number of rounds that went wrong.
int be_a_client(SharedCrew& shared, std::size_t workers, std::uint64_t seed) {
  int wrong = 0;
  Random random(seed);
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](std::int64_t& x) { ++x; });
  for (int round = 0; round < 20; ++round) {
    Share& share = shared.crew().shares->open(1 + static_cast<double>(seed));
    {
      graph::GraphOptions options;
      options.workers = workers;
      options.shares_workers = true;
      options.owner = &share;
      options.first_id = (seed * 100 + static_cast<std::uint64_t>(round)) << 32U;
      graph::TaskGraph graph(options, shared);
      std::array<std::int64_t, 3> values{};
      std::array<std::int64_t, 3> expected{};
      std::array<Handle, 3> handles;
      for (std::size_t i = 0; i < 3; ++i) {
        handles[i] = graph.register_data(
            {layout_of<std::int64_t>(1, 1, 1), reinterpret_cast<std::byte*>(&values[i]), nullptr, {}});
      }
      for (std::uint32_t t = random.below(300); t > 0; --t) {
        const std::size_t which = random.below(3);
        const std::array<Access, 1> access{handles[which]};
        (void)graph.submit({add, access, {}, {}}).value_or_throw();
        ++expected[which];
        if (random.below(50) == 0) (void)graph.wait_all();
      }
      const bool cancels = random.below(4) == 0;
      if (cancels) graph.cancel_all();
      const bool succeeded = graph.wait_all().ok();
      if (!cancels && (!succeeded || values != expected)) ++wrong;
      // A worker counts a task as ended before it has finished with the graph.
      while (share.active != 0) std::this_thread::yield();
    }
    shared.crew().shares->close(share);
  }
  return wrong;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(worker_core_shares)

BOOST_AUTO_TEST_CASE(clients_come_and_go_and_no_task_is_lost) {
  constexpr std::size_t kWorkers = 3;
  SharedCrew shared(kWorkers);
  std::vector<std::thread> clients;
  std::atomic<int> wrong = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    clients.emplace_back([&, seed] { wrong += be_a_client(shared, kWorkers, seed); });
  }
  for (std::thread& client : clients) client.join();
  BOOST_TEST(wrong == 0);
  BOOST_TEST(shared.crew().shares->waiting() == 0U);
  BOOST_TEST(shared.crew().shares->in_service() == 0);
  BOOST_TEST(!shared.crew().shares->contended());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
