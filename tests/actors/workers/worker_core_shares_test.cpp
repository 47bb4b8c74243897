/// Tests of workers that run tasks of several clients' graphs. Each worker is a plain thread without an actor.
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "actors/workers/worker_core.hpp"
#include "proto/random.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/actors/workers/steal_plans.hpp"
#include "tests/actors/workers/worker_threads.hpp"
#include "tests/support/run_task.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(worker_core_shares)

namespace {

using graph::TaskList;

/// The parts of a runtime that workers use, without actors.
class SharedCrew final : public graph::GraphHost {
 public:
  explicit SharedCrew(std::size_t workers) : own_(workers), crew_(own_.graph, workers, tests::one_ring(workers)) {
    crew_.share_workers();
    threads_.emplace(crew_, workers, [this](graph::Task& task, WorkerId worker) {
      return tests::run_kernel(crew_.graph_of(task), task, worker);
    });
  }

  void activate(TaskList& ready, WorkerId) noexcept override {
    crew_.shares->activated(ready);
    (void)crew_.set_apart(ready, nullptr);
    if (!ready.empty()) crew_.entry.push(ready);
    threads_->wake_idle();
  }
  Pump pump() override { return Pump::block; }

  Crew& crew() { return crew_; }

 private:
  tests::GraphFixture own_;
  Crew crew_;
  std::optional<tests::WorkerThreads> threads_;
};

/// Acts as a client. In each of many rounds it submits chains and independent tasks and cancels some of them, while
/// other clients may do the same. Returns the number of rounds with a wrong result.
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
      // A worker counts a task as ended a little before it stops using the graph, so wait for the worker.
      while (share.active != 0) std::this_thread::yield();
    }
    shared.crew().shares->close(share);
  }
  return wrong;
}

}  // namespace

BOOST_AUTO_TEST_CASE(under_a_placing_policy_a_chain_goes_on_while_another_clients_task_runs) {
  tests::GraphFixture own(2);
  Crew crew(own.graph, 2, tests::nobody_steals(2));
  TaskDeque activation;
  crew.share_workers(&activation);
  WorkerCore core(crew, {.self = WorkerId(0), .activation_queue = &activation});
  tests::ReadyTasks host;
  Share& share = crew.shares->open(1);
  // The share of another client. A long task of this client runs during the whole test.
  Share& busy = crew.shares->open(1);
  crew.shares->activated(busy, 1);
  {
    graph::TaskGraph graph({.workers = 2, .shares_workers = true, .owner = &share, .first_id = 1000}, host);
    int value = 0;
    const Handle handle =
        graph.register_data({layout_of<int>(1, 1, 1), reinterpret_cast<std::byte*>(&value), nullptr, {}});
    const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](int& x) { ++x; });
    const std::array<Access, 1> access{handle};
    for (int i = 0; i < 3; ++i) (void)graph.submit({add, access, {}, {}}).value_or_throw();
    crew.shares->activated(share, host.tasks.size());
    activation.push(host.tasks);
    for (int i = 0; i < 3; ++i) {
      // There is no policy here, so the test moves the task from the activation queue to the worker's deque.
      graph::Task* const task = activation.pop_oldest();
      BOOST_TEST_REQUIRE(task != nullptr);
      crew.ports[0].deque.push(task);
      const Step step = core.next();
      BOOST_TEST_REQUIRE((step.kind == Step::Kind::start));
      core.task_ended(*task, tests::run_kernel(graph, *task, WorkerId(0)));
      BOOST_TEST(core.next().activate == (i < 2));
    }
    BOOST_TEST(graph.wait_all().ok());
    BOOST_TEST(value == 3);
  }
  crew.shares->left(busy);
}

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
