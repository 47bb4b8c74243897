/// Tests of several clients' graphs that share the workers of one runtime, with real threads.
#include "actors/running/client_graph.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <mutex>
#include <thread>

#include "tests/actors/runtime_fixture.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(client_graph)

namespace {

using tests::TestRuntime;
using tests::workers;

RuntimeOptions shared(int count, std::string policy = "lws") {
  RuntimeOptions options = workers(count, std::move(policy));
  options.threads.shared = true;
  return options;
}

struct Endings final : graph::TaskEndings {
  void ended(std::uint64_t tag, TaskStatus status, const graph::FailureLog::Cause&) noexcept override {
    if (tag != 0) tags.fetch_add(tag);
    counts[static_cast<std::size_t>(status)].fetch_add(1);
  }
  void cancelled_unbegun(std::uint64_t tasks) noexcept override {
    counts[static_cast<std::size_t>(TaskStatus::cancelled)].fetch_add(tasks);
  }
  [[nodiscard]] std::uint64_t count(TaskStatus status) const { return counts[static_cast<std::size_t>(status)]; }
  [[nodiscard]] std::uint64_t all() const {
    std::uint64_t sum = 0;
    for (const auto& one : counts) sum += one;
    return sum;
  }
  std::atomic<std::uint64_t> tags{0};
  std::array<std::atomic<std::uint64_t>, 4> counts{};
};

const Codelet& add_one() {
  static const Codelet codelet = Codelet("add one", {AccessMode::read_write}).cpu([](std::int64_t& x) { ++x; });
  return codelet;
}

void spin_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

Future submit(ClientGraph& client, const Codelet& codelet, const std::vector<Access>& accesses, std::uint64_t tag = 0,
              const Arguments& arguments = {}) {
  return client.graph().submit({codelet, accesses, arguments, {}, tag}).value_or_throw();
}

Handle add(ClientGraph& client, std::int64_t& x) {
  return client.graph().register_data(
      {layout_of<std::int64_t>(1, 1, 1), reinterpret_cast<std::byte*>(&x), nullptr, {}});
}

/// Waits until other threads have made the condition true. Returns false after a minute.
template <class Condition>
bool comes_true(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(chains_of_many_clients_give_what_each_alone_would) {
  for (const char* policy : {"lws", "eager", "heft"}) {
    TestRuntime runtime(shared(3, policy));
    constexpr int kClients = 8;
    constexpr int kTasks = 2000;
    std::array<Endings, kClients> endings;
    std::array<std::int64_t, kClients> values{};
    std::vector<std::unique_ptr<ClientGraph>> clients;
    for (int i = 0; i < kClients; ++i) {
      const auto index = static_cast<std::size_t>(i);
      clients.push_back(runtime->open_graph({"client " + std::to_string(i), 1, &endings[index]}));
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kClients; ++i) {
      threads.emplace_back([&, i] {
        const Handle x = add(*clients[i], values[i]);
        for (std::uint64_t t = 1; t <= kTasks; ++t) submit(*clients[i], add_one(), {x}, t);
        clients[i]->graph().wait_all().value_or_throw();
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < kClients; ++i) {
      BOOST_TEST(values[i] == kTasks);
      BOOST_TEST(endings[i].count(TaskStatus::succeeded) == kTasks);
      BOOST_TEST(endings[i].tags == kTasks * (kTasks + 1) / 2);
      BOOST_TEST(clients[i]->worker_time().count() > 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(numbers_of_tasks_are_not_used_up_by_clients_that_have_gone) {
  TestRuntime runtime(shared(1));
  std::uint64_t last = 0;
  for (int i = 0; i < 300; ++i) {
    Endings endings;
    const auto client = runtime->open_graph({"client", 1, &endings});
    const std::uint64_t number = submit(*client, Codelet("nothing", {}).cpu([] {}), {}).id().value();
    BOOST_TEST_REQUIRE(number > last);
    last = number;
  }
  // The highest bits of an id mark requests to the memory manager that are not the first of their task. Task ids must
  // not use these bits.
  BOOST_TEST(last < std::uint64_t{1} << 40U);
}

BOOST_AUTO_TEST_CASE(one_clients_failures_and_cancellation_are_its_own) {
  TestRuntime runtime(shared(2));
  Endings of_a;
  Endings of_b;
  auto a = runtime->open_graph({"a", 1, &of_a});
  auto b = runtime->open_graph({"b", 1, &of_b});
  const Codelet fails = Codelet("fails", {}).cpu([] { throw std::runtime_error("no luck"); });
  std::int64_t x = 0;
  const Handle handle = add(*b, x);
  for (int i = 0; i < 100; ++i) {
    submit(*a, fails, {}, 1);
    submit(*b, add_one(), {handle});
    if (i == 50) a->graph().cancel_all();
  }
  BOOST_TEST(b->graph().wait_all().ok());
  BOOST_TEST(x == 100);
  const auto failed = a->graph().wait_all();
  BOOST_TEST_REQUIRE(!failed.ok());
  BOOST_TEST(failed.failure().message.find("no luck") != std::string::npos);
  BOOST_TEST(of_a.all() == 100U);
  BOOST_TEST(of_a.count(TaskStatus::succeeded) == 0U);
  BOOST_TEST(of_b.count(TaskStatus::succeeded) == 100U);
  // The failure of a client's task must not appear in the runtime's own graph.
  BOOST_TEST(runtime.wait().empty());
}

BOOST_AUTO_TEST_CASE(clients_with_work_all_the_time_get_time_by_their_weights) {
  for (const char* policy : {"lws", "mct"}) {
    TestRuntime runtime(shared(2, policy));
    const std::array<double, 3> weights{1, 2, 4};
    const Codelet spin = Codelet("spin", {}).cpu([](std::int64_t us) { spin_for(std::chrono::microseconds(us)); });
    std::vector<std::unique_ptr<ClientGraph>> clients;
    for (const double weight : weights) {
      clients.push_back(runtime->open_graph({"weight " + std::to_string(weight), weight, nullptr}));
    }
    // Every client has more tasks than the workers can run in this test. The remaining tasks are cancelled.
    for (int i = 0; i < 20000; ++i) {
      for (auto& client : clients) submit(*client, spin, {}, 0, args(std::int64_t{300}));
    }
    const auto used = [&] {
      std::array<double, 3> seconds_used{};
      for (std::size_t i = 0; i < 3; ++i) seconds_used[i] = seconds(clients[i]->worker_time());
      return seconds_used;
    };
    const auto before = used();
    BOOST_TEST_REQUIRE(comes_true([&] { return used()[0] - before[0] > 0.25; }));
    const auto after = used();
    double total = 0;
    for (std::size_t i = 0; i < 3; ++i) total += after[i] - before[i];
    for (std::size_t i = 0; i < 3; ++i) {
      BOOST_TEST((after[i] - before[i]) / total == weights[i] / 7, boost::test_tools::tolerance(0.2));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_newcomer_does_not_wait_for_what_another_client_has_queued) {
  TestRuntime runtime(shared(2));
  auto flood = runtime->open_graph({"flood", 1, nullptr});
  const Codelet spin = Codelet("spin", {}).cpu([](std::int64_t us) { spin_for(std::chrono::microseconds(us)); });
  constexpr std::uint64_t kTasks = 100'000;
  for (std::uint64_t i = 0; i < kTasks; ++i) submit(*flood, spin, {}, 0, args(std::int64_t{200}));
  auto guest = runtime->open_graph({"guest", 1, nullptr});
  std::int64_t x = 0;
  const Handle handle = add(*guest, x);
  for (int i = 0; i < 50; ++i) submit(*guest, add_one(), {handle});
  BOOST_TEST(guest->graph().wait_all().ok());
  BOOST_TEST(x == 50);
  // The guest gets half of the workers' time, so the guest ends long before all tasks of the flood.
  BOOST_TEST(flood->graph().progress().ended < kTasks / 2);
}

BOOST_AUTO_TEST_CASE(a_client_that_goes_leaves_nothing_behind_and_disturbs_nobody) {
  TestRuntime runtime(shared(2));
  auto stays = runtime->open_graph({"stays", 1, nullptr});
  std::int64_t x = 0;
  const Handle handle = add(*stays, x);
  std::atomic<bool> started = false;
  const Codelet slow = Codelet("slow", {AccessMode::read_write}).cpu([&](std::int64_t& value) {
    started = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ++value;
  });
  for (int round = 0; round < 5; ++round) {
    Endings endings;
    std::int64_t y = 0;
    started = false;
    {
      auto goes = runtime->open_graph({"goes", 1, &endings});
      const Handle its = add(*goes, y);
      for (int i = 0; i < 1000; ++i) submit(*goes, slow, {its});
      for (int i = 0; i < 100; ++i) submit(*stays, add_one(), {handle});
      BOOST_TEST_REQUIRE(comes_true([&] { return started.load(); }));
    }
    // Tasks that had begun have ended. The other tasks never run.
    BOOST_TEST(endings.all() == 1000U);
    BOOST_TEST(y == static_cast<std::int64_t>(endings.count(TaskStatus::succeeded)));
    BOOST_TEST(y < 1000);
  }
  BOOST_TEST(stays->graph().wait_all().ok());
  BOOST_TEST(x == 500);
  BOOST_TEST(runtime->look().clients.size() == 1U);
}

BOOST_AUTO_TEST_CASE(recordings_reductions_and_commuting_tasks_work_beside_other_clients) {
  TestRuntime runtime(shared(3));
  const Codelet contribute = Codelet("contribute", {AccessMode::reduce}).cpu([](std::int64_t& sum) { sum += 1; });
  std::atomic<int> right = 0;
  const Codelet either_order = Codelet("commutes", {AccessMode::commute}).cpu([](std::int64_t& x) { x += 1; });
  std::vector<std::thread> threads;
  for (int c = 0; c < 4; ++c) {
    threads.emplace_back([&] {
      auto client = runtime->open_graph({"one of four", 1, nullptr});
      graph::TaskGraph& graph = client->graph();
      std::int64_t sum = 0;
      std::int64_t x = 0;
      const Handle h_sum = add(*client, sum);
      const Handle h_x = add(*client, x);
      graph.set_reduction(h_sum, sum_reduction<std::int64_t>()).value_or_throw();
      auto recording = std::make_shared<graph::Recording>("loop");
      auto scope = graph.begin_recording(*recording).value_or_throw();
      for (int i = 0; i < 10; ++i) {
        submit(*client, contribute, {h_sum});
        submit(*client, either_order, {h_x});
      }
      scope.reset();
      graph.seal_recording(*recording);
      for (int run = 0; run < 50; ++run) {
        (void)graph.replay(recording, {}).value_or_throw();
        submit(*client, either_order, {h_x});
        submit(*client, contribute, {h_sum});
      }
      graph.wait_all().value_or_throw();
      if (sum == 550 && x == 550) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(right == 4);
}

BOOST_AUTO_TEST_CASE(pieces_are_charged_to_the_client_whose_they_are_whoever_runs_them) {
  for (const char* policy : {"lws", "eager", "heft", "multigrain"}) {
    // There is one worker more than clients, so one worker can help with pieces.
    TestRuntime runtime(shared(4, policy));
    constexpr int kClients = 3;
    constexpr int kTasks = 20;
    constexpr int kPieces = 10;
    static constexpr std::chrono::microseconds kPiece(100);
    static constexpr std::chrono::milliseconds kTogether(5);
    struct Client {
      Endings endings;
      std::atomic<int> ran{0};
      std::unique_ptr<ClientGraph> graph;
    };
    std::array<Client, kClients> clients;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kClients; ++i) {
      clients[i].graph = runtime->open_graph({"client " + std::to_string(i), 1, &clients[i].endings});
      threads.emplace_back([&client = clients[i], fails = i == 1] {
        std::int64_t x = 0;
        const Codelet codelet = Codelet("in pieces", {AccessMode::read})
                                    .pieces([](const KernelContext&) { return kPieces; },
                                            [&client, fails](std::size_t piece, const KernelContext&) {
                                              spin_for(kPiece);
                                              ++client.ran;
                                              if (fails && piece == kPieces - 1) throw std::runtime_error("the last");
                                            });
        // Two workers have to run this task, because each piece waits until the other piece has begun.
        std::atomic<int> met{0};
        const Codelet together = Codelet("together", {})
                                     .pieces([](const KernelContext&) { return 2; },
                                             [&met](std::size_t, const KernelContext&) {
                                               ++met;
                                               (void)comes_true([&] { return met == 2; });
                                               spin_for(kTogether);
                                             });
        submit(*client.graph, together, {});
        client.graph->graph().wait_all().value_or_throw();
        const Handle handle = add(*client.graph, x);
        for (int task = 0; task < kTasks; ++task) submit(*client.graph, codelet, {{handle, AccessMode::read}});
        (void)client.graph->graph().wait_all();
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < kClients; ++i) {
      const TaskStatus status = i == 1 ? TaskStatus::failed : TaskStatus::succeeded;
      BOOST_TEST(clients[i].endings.count(status) == kTasks + (i == 1 ? 0 : 1));
      BOOST_TEST(clients[i].ran == kTasks * kPieces);
      BOOST_TEST(clients[i].graph->worker_time().count() >=
                 (kTasks * kPieces * Duration(kPiece) + 2 * Duration(kTogether)).count());
    }
  }
}

BOOST_AUTO_TEST_CASE(workers_that_die_lose_no_clients_tasks_but_the_one_that_they_ran) {
  TestRuntime runtime(shared(2));
  const Codelet slow = Codelet("slow", {}).cpu([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  std::array<Endings, 3> endings;
  std::vector<std::unique_ptr<ClientGraph>> clients;
  for (Endings& one : endings) clients.push_back(runtime->open_graph({"client", 1, &one}));
  for (int i = 0; i < 100; ++i) {
    for (auto& client : clients) submit(*client, slow, {});
    if (i % 25 == 10) runtime->kill_worker(WorkerId(static_cast<std::uint32_t>(i / 25 % 2)));
  }
  for (auto& client : clients) [[maybe_unused]]
    const auto outcome = client->graph().wait_all();
  for (const Endings& one : endings) BOOST_TEST(one.all() == 100U);
}

BOOST_AUTO_TEST_CASE(a_look_names_what_runs_and_whose_it_is) {
  TestRuntime runtime(shared(2));
  auto client = runtime->open_graph({"the client", 2.5, nullptr});
  std::atomic<bool> go_on = false;
  const Codelet waits = Codelet("waits", {}).cpu([&] {
    while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  TaskOptions named;
  named.name = "its name";
  (void)client->graph().submit({waits, {}, {}, named, 3}).value_or_throw();
  LiveView view;
  BOOST_TEST(comes_true([&] {
    view = runtime->look();
    return std::any_of(view.workers.begin(), view.workers.end(), [](const LiveWorker& w) { return !w.task.empty(); });
  }));
  for (const LiveWorker& worker : view.workers) {
    if (worker.task.empty()) continue;
    BOOST_TEST(worker.task == "its name");
    BOOST_TEST(worker.codelet == "waits");
    BOOST_TEST(worker.client == "the client");
    BOOST_TEST(!worker.idle);
  }
  BOOST_TEST_REQUIRE(view.clients.size() == 1U);
  BOOST_TEST(view.clients[0].weight == 2.5);
  BOOST_TEST(view.clients[0].submitted == 1U);
  const WhyReport why = client->why();
  BOOST_TEST(why.counts.in_flight == 1U);
  go_on = true;
  BOOST_TEST(client->graph().wait_all().ok());
}

BOOST_AUTO_TEST_CASE(clients_name_workers_of_their_own_a_limited_number_of_times) {
  TestRuntime runtime(shared(4));
  const auto client = runtime->open_graph({.name = "one"});
  const auto other = runtime->open_graph({.name = "other"});
  std::atomic<int> ran{0};
  std::atomic<int> astray{0};
  std::vector<Codelet> codelets;
  for (int i = 0; i < 65; ++i) {
    const WorkerId place(static_cast<std::uint32_t>(i) % 4);
    codelets.push_back(Codelet("there", {}).cpu([&, place](const KernelContext& context) {
      if (context.worker != place) ++astray;
      ++ran;
    }));
  }
  const auto submit_to = [](ClientGraph& graph, const Codelet& codelet, std::size_t worker) {
    const TaskOptions options{.devices = DeviceSet::worker(WorkerId(static_cast<std::uint32_t>(worker)))};
    return graph.graph().submit({codelet, {}, {}, options});
  };
  // Both clients have work, so their tasks wait for their turns. Tasks that are restricted to certain workers do not
  // wait.
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 64; ++i) {
      BOOST_TEST_REQUIRE(submit_to(*client, codelets[i], i % 4).ok());
      BOOST_TEST_REQUIRE(submit_to(*other, codelets[i], i % 4).ok());
    }
  }
  const auto refused = submit_to(*client, codelets[64], 0);
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST((refused.failure().code == ErrorCode::invalid_argument));
  BOOST_TEST(refused.failure().message.find("65th restriction") != std::string::npos, refused.failure().message);
  BOOST_TEST(client->graph().wait_all().ok());
  BOOST_TEST(other->graph().wait_all().ok());
  BOOST_TEST(ran == 2 * 3 * 64);
  BOOST_TEST(astray == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
