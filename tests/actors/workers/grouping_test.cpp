#include "actors/workers/grouping.hpp"

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "proto/random.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(grouping)

namespace {

using Groups = Grouping::Groups;
const auto kPerElement = boost::test_tools::per_element();

WorkerId id(std::size_t worker) { return WorkerId(static_cast<std::uint32_t>(worker)); }

std::vector<Standing*> pointers(std::deque<Standing>& standings) {
  std::vector<Standing*> all;
  for (Standing& standing : standings) all.push_back(&standing);
  return all;
}

/// Returns true if some worker is about to change its state in the grouping.
bool changes(const std::deque<Standing>& standings) {
  return std::ranges::any_of(standings, [](const Standing& one) {
    const RegroupingState state = one.state();
    return drains(state) || state == RegroupingState::waits_to_lead || state == RegroupingState::helps_to_lead;
  });
}

/// Returns clusters of these sizes, each made of consecutive workers.
Groups groups(const std::vector<std::size_t>& sizes) {
  Groups all;
  std::size_t next = 0;
  for (const std::size_t size : sizes) {
    auto& members = all.emplace_back();
    for (std::size_t i = 0; i < size; ++i) members.push_back(id(next++));
  }
  return all;
}

/// A grouping without threads. Records the standings, the workers' messages, and which workers are woken.
struct Observed {
  explicit Observed(std::size_t workers)
      : standings(workers),
        grouping({std::vector<platform::CpuSet>(workers),
                  nullptr,
                  {},
                  [this](WorkerId worker, int cores) {
                    told.push_back(std::to_string(worker.value()) + " has " + std::to_string(cores));
                  },
                  [this](WorkerId worker) { woken.push_back(worker.value()); }},
                 pointers(standings)) {}

  std::vector<RegroupingState> states() const {
    std::vector<RegroupingState> all;
    for (const Standing& standing : standings) all.push_back(standing.state());
    return all;
  }
  void drained(std::size_t worker) { grouping.drained(id(worker), standings[worker].state()); }
  /// Calls `open_up` for all workers, as their threads would do.
  void open() {
    for (Standing& standing : standings) standing.open_up();
  }

  std::vector<std::string> told;
  std::vector<std::uint32_t> woken;
  std::deque<Standing> standings;
  Grouping grouping;
};

BOOST_AUTO_TEST_CASE(all_whose_cluster_changes_drain_and_the_last_opens_them) {
  Observed o(4);
  o.grouping.regroup(groups({1, 2, 1}));
  BOOST_TEST((o.states() == std::vector{RegroupingState::open, RegroupingState::drains_to_lead,
                                        RegroupingState::drains_to_help, RegroupingState::open}));
  BOOST_TEST(o.told == (std::vector<std::string>{"1 has 2", "2 has 0"}), kPerElement);
  BOOST_TEST(o.woken == (std::vector<std::uint32_t>{1, 2}), kPerElement);
  o.drained(2);
  o.drained(2);
  BOOST_TEST((o.states() == std::vector{RegroupingState::open, RegroupingState::drains_to_lead, RegroupingState::helps,
                                        RegroupingState::open}));
  // Worker 1 has not drained yet, so the places of the workers are unchanged.
  BOOST_TEST(o.grouping.place(id(2)).leader.value() == 2U);
  BOOST_TEST(o.grouping.completed() == 0U);
  o.drained(1);
  BOOST_TEST((o.states() == std::vector{RegroupingState::open, RegroupingState::opens, RegroupingState::helps,
                                        RegroupingState::open}));
  BOOST_TEST(o.grouping.place(id(2)).leader.value() == 1U);
  BOOST_TEST(o.grouping.place(id(2)).rank == 1);
  BOOST_TEST(o.grouping.place(id(1)).cores == 2);
  BOOST_TEST(o.grouping.completed() == 1U);
}

BOOST_AUTO_TEST_CASE(a_helper_is_called_back_when_its_leader_has_drained) {
  Observed o(3);
  o.grouping.regroup(groups({3}));
  for (std::size_t i = 0; i < 3; ++i) o.drained(i);
  o.open();
  o.grouping.regroup(groups({1, 2}));
  BOOST_TEST((o.states() ==
              std::vector{RegroupingState::drains_to_lead, RegroupingState::helps_to_lead, RegroupingState::helps}));
  BOOST_TEST(o.grouping.place(id(1)).leader.value() == 0U);
  BOOST_TEST(!o.standings[1].passes_on());
  BOOST_TEST(o.standings[2].passes_on());
  o.drained(0);
  BOOST_TEST((o.states() == std::vector{RegroupingState::opens, RegroupingState::opens, RegroupingState::helps}));
  BOOST_TEST(o.grouping.place(id(2)).leader.value() == 1U);
}

BOOST_AUTO_TEST_CASE(what_was_asked_for_last_comes_next_even_before_workers_have_opened) {
  Observed o(2);
  o.grouping.regroup(groups({2}));
  o.grouping.regroup(groups({1, 1}));
  o.grouping.regroup(groups({2}));
  o.drained(0);
  BOOST_TEST(changes(o.standings));
  o.drained(1);
  // The grouping that was requested last is already the present one, so nothing is left to do.
  BOOST_TEST(!changes(o.standings));
  BOOST_TEST(o.grouping.completed() == 2U);
  o.grouping.regroup(groups({1, 1}));
  // The worker had not opened when the next grouping came. So it drains again, and its late `open_up` has no effect.
  BOOST_TEST((o.states() == std::vector{RegroupingState::drains_to_lead, RegroupingState::helps_to_lead}));
  o.open();
  BOOST_TEST((o.states() == std::vector{RegroupingState::drains_to_lead, RegroupingState::helps_to_lead}));
}

/// The thread of a worker without tasks. While the worker is open and leads a team, the members run a function
/// together.
void work(std::size_t index, Grouping& grouping, Standing& standing, Doorbell& bell, const std::atomic<bool>& stop,
          std::atomic<int>& entries, std::atomic<bool>& wrong) {
  Grouping::Place mine = grouping.place(id(index));
  while (!stop) {
    bell.clear();
    switch (standing.state()) {
      case RegroupingState::open:
        ++entries;
        if (!mine.team) {
          std::this_thread::yield();
        } else {
          int together = 0;
          std::atomic<int> ran{0};
          mine.team->run([&](int rank, int) {
            ++ran;
            mine.team->barrier();
            if (rank == 0) together = ran;
          });
          if (together != mine.cores) wrong = true;
        }
        break;
      case RegroupingState::drains_to_lead:
      case RegroupingState::drains_to_help: grouping.drained(id(index), standing.state()); break;
      case RegroupingState::waits_to_lead: bell.wait(); break;
      case RegroupingState::opens:
        mine = grouping.place(id(index));
        standing.open_up();
        break;
      case RegroupingState::helps:
      case RegroupingState::helps_to_lead: {
        const std::uint64_t completed = grouping.completed();
        const Grouping::Place place = grouping.place(id(index));
        const auto leave = [&] { return grouping.completed() != completed; };
        if (place.rank > 0) place.team->serve(place.rank, leave);
        if (!leave()) bell.wait();
        break;
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(threads_go_on_through_any_regroupings) {
  constexpr std::size_t kWorkers = 6;
  std::deque<Standing> standings(kWorkers);
  std::deque<Doorbell> bells(kWorkers);
  Grouping::Options options;
  options.pus.resize(kWorkers);
  options.doorbell = [&](WorkerId worker) -> Doorbell& { return bells[worker.index()]; };
  options.spin = std::chrono::microseconds(5);
  options.tell = [](WorkerId, int) {};
  options.wake = [&](WorkerId worker) { bells[worker.index()].ring(); };
  Grouping grouping(options, pointers(standings));
  std::atomic<bool> stop{false};
  std::atomic<bool> wrong{false};
  std::atomic<int> entries{0};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kWorkers; ++i) {
    threads.emplace_back([&, i] { work(i, grouping, standings[i], bells[i], stop, entries, wrong); });
  }
  Random random(5);
  for (int round = 0; round < 400; ++round) {
    std::vector<std::size_t> sizes;
    for (std::size_t left = kWorkers; left > 0; left -= sizes.back()) {
      sizes.push_back(1 + random.below(static_cast<std::uint32_t>(left)));
    }
    grouping.regroup(groups(sizes));
    // In one of four rounds the test requests the next grouping before the current grouping is complete.
    const bool waits = random.below(4) != 0;
    while (waits && changes(standings)) std::this_thread::yield();
  }
  grouping.regroup(groups(std::vector<std::size_t>(kWorkers, 1)));
  const auto all_open = [&] { return std::ranges::all_of(standings, [](const Standing& one) { return one.open(); }); };
  while (changes(standings) || !all_open()) std::this_thread::yield();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(!wrong);
  BOOST_TEST(entries > 100);
  BOOST_TEST(grouping.completed() > 50U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
