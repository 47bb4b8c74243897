#include "actors/workers/shared_pieces.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

namespace shared_pieces {

constexpr WorkerId kOwner(0);
constexpr WorkerId kOther(1);

struct Fixture {
  const Codelet codelet =
      Codelet("pieces", {}).pieces([](const KernelContext&) { return 0; }, [](std::size_t, const KernelContext&) {});
  graph::Task task;
  std::atomic<std::uint32_t> anywhere{0};
  PieceBoard board;

  Fixture() {
    task.codelet = &codelet.definition();
    board.use(&anywhere);
  }
  SharedPieces& open(std::uint32_t pieces, std::uint32_t grain = 1, int cores = 1) {
    return board.open(task, kOwner, cores, pieces, grain);
  }
  static PiecesDone done(SharedPieces& shared, std::uint32_t pieces, bool owner, int took = 0) {
    return {&shared, pieces, Duration(took), owner};
  }
};

PieceRange join(SharedPieces& shared, DeviceKind kind = DeviceKind::cpu_core) { return shared.join(kind, kOther); }

void is_range(const PieceRange& range, std::uint32_t first, std::uint32_t number) {
  BOOST_TEST(range.first == first);
  BOOST_TEST(range.number == number);
}

}  // namespace shared_pieces

BOOST_FIXTURE_TEST_SUITE(shared_pieces, Fixture)

BOOST_AUTO_TEST_CASE(pieces_are_taken_in_order_a_grain_at_a_time) {
  SharedPieces& shared = open(5, 2);
  is_range(shared.take(), 0, 2);
  is_range(join(shared), 2, 2);
  is_range(shared.take(), 4, 1);
  BOOST_TEST(shared.take().empty());
  BOOST_TEST(join(shared).empty());
}

BOOST_AUTO_TEST_CASE(who_leaves_last_ends_the_task) {
  SharedPieces& shared = open(3);
  (void)shared.take();
  (void)shared.take();
  (void)join(shared);
  BOOST_TEST(!shared.leave(done(shared, 2, true, 20)));
  BOOST_TEST(!shared.free());
  BOOST_TEST(shared.leave(done(shared, 1, false, 10)));
  const SharedPieces::Ended ended = shared.let_go();
  BOOST_TEST(ended.task == &task);
  BOOST_TEST((ended.owner == kOwner));
  BOOST_TEST((ended.cause == nullptr));
  BOOST_TEST((ended.took == Duration(30)));
  BOOST_TEST(shared.free());
}

BOOST_AUTO_TEST_CASE(nobody_ends_a_task_before_its_owner_has_left) {
  SharedPieces& shared = open(1);
  (void)join(shared);
  BOOST_TEST(!shared.leave(done(shared, 1, false)));
  BOOST_TEST(shared.leave(done(shared, 0, true)));
}

BOOST_AUTO_TEST_CASE(times_count_as_on_the_owners_cores) {
  SharedPieces& shared = open(2, 1, 2);
  (void)shared.take();
  (void)join(shared);
  (void)shared.leave(done(shared, 1, false, 10));
  BOOST_TEST(shared.leave(done(shared, 1, true, 40)));
  BOOST_TEST((shared.let_go().took == Duration(25)));
}

BOOST_AUTO_TEST_CASE(the_first_failure_takes_all_that_nobody_has) {
  SharedPieces& shared = open(10);
  (void)shared.take();
  (void)join(shared);
  const auto first = std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "first"});
  shared.fail(first);
  shared.fail(std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "second"}));
  BOOST_TEST(shared.failed());
  BOOST_TEST(shared.take().empty());
  BOOST_TEST(join(shared).empty());
  BOOST_TEST(!shared.leave(done(shared, 1, true)));
  BOOST_TEST(shared.leave(done(shared, 1, false)));
  BOOST_TEST((shared.let_go().cause == first));
  // The next task must not inherit the failure of this task.
  BOOST_TEST(!open(1).failed());
}

BOOST_AUTO_TEST_CASE(only_those_join_that_may_run_the_task_on_host_memory) {
  SharedPieces& shared = open(4);
  BOOST_TEST(!shared.has_some_for(DeviceKind::emulated, kOther));
  BOOST_TEST(!shared.has_some_for(DeviceKind::cuda, kOther));
  BOOST_TEST(join(shared, DeviceKind::emulated).empty());
  BOOST_TEST(shared.has_some_for(DeviceKind::cpu_core, kOther));
  const auto only_first = std::make_shared<const WorkerSet>(WorkerSet{{true, false}, kEveryKind, 0});
  const Codelet restricted = codelet.only_on(DeviceSet(), DevicesHere{kEveryKind, only_first});
  task.codelet = &restricted.definition();
  SharedPieces& other = open(4);
  BOOST_TEST(!other.has_some_for(DeviceKind::cpu_core, kOther));
  BOOST_TEST(join(other).empty());
  BOOST_TEST(other.has_some_for(DeviceKind::cpu_core, kOwner));
}

BOOST_AUTO_TEST_CASE(a_board_shows_a_task_until_none_of_its_pieces_is_left) {
  BOOST_TEST(board.open_task() == nullptr);
  SharedPieces& first = open(1);
  BOOST_TEST(board.open_task() == &first);
  BOOST_TEST(anywhere == 1U);
  (void)join(first);
  board.close();
  BOOST_TEST(board.open_task() == nullptr);
  BOOST_TEST(anywhere == 0U);
  BOOST_TEST(!first.leave(done(first, 0, true)));
  // Another worker still runs a piece of the first task, so the second task gets another `SharedPieces` object.
  SharedPieces& second = open(1);
  BOOST_TEST(&second != &first);
  board.close();
  BOOST_TEST(first.leave(done(first, 1, false)));
  (void)first.let_go();
  BOOST_TEST(&open(1) == &first);
}

BOOST_AUTO_TEST_CASE(progress_is_of_one_task) {
  graph::Task other;
  SharedPieces& shared = open(25, 6);
  (void)shared.take();
  (void)join(shared);
  const auto progress = shared.progress_of(task);
  BOOST_TEST_REQUIRE(progress.has_value());
  BOOST_TEST(progress->pieces == 25U);
  BOOST_TEST(progress->begun == 12U);
  BOOST_TEST(!shared.progress_of(other).has_value());
}

/// One thread opens tasks with pieces one after the other. The other threads join the task that is open.
struct Race {
  static constexpr std::uint32_t kMostPieces = 40;
  static constexpr std::uint32_t kTasks = 5000;
  struct Entry {
    graph::Task task;
    std::uint32_t pieces = 0;
    std::vector<std::atomic<int>> ran = std::vector<std::atomic<int>>(kMostPieces);
    std::atomic<int> ended{0};
  };

  Fixture fixture;
  std::deque<Entry> entries;
  std::atomic<std::uint32_t> ended{0};

  Race() {
    for (std::uint32_t i = 0; i < kTasks; ++i) {
      Entry& entry = entries.emplace_back();
      entry.task.codelet = fixture.task.codelet;
      entry.task.priority = static_cast<std::int32_t>(i);
      entry.pieces = 1 + i % kMostPieces;
    }
  }
  Entry& entry_of(const graph::Task& task) { return entries[static_cast<std::size_t>(task.priority)]; }
  std::uint32_t take_all(SharedPieces& shared, PieceRange range) {
    std::uint32_t pieces = 0;
    for (; !range.empty(); range = shared.take()) {
      for (std::uint32_t i = 0; i < range.number; ++i) ++entry_of(shared.task()).ran[range.first + i];
      pieces += range.number;
    }
    return pieces;
  }
  void leave(SharedPieces& shared, std::uint32_t pieces, bool owner) {
    if (!shared.leave(Fixture::done(shared, pieces, owner))) return;
    ++entry_of(*shared.let_go().task).ended;
    ++ended;
  }
  void open_all() {
    for (Entry& entry : entries) {
      SharedPieces& shared = fixture.board.open(entry.task, kOwner, 1, entry.pieces, 1 + entry.pieces / 9);
      const std::uint32_t done = take_all(shared, shared.take());
      fixture.board.close();
      leave(shared, done, true);
    }
  }
  void run_pieces() {
    while (ended < kTasks) {
      SharedPieces* const shared = fixture.board.open_task();
      if (shared == nullptr) continue;
      const PieceRange range = shared->join(DeviceKind::cpu_core, kOther);
      if (!range.empty()) leave(*shared, take_all(*shared, range), false);
    }
  }
};

BOOST_AUTO_TEST_CASE(threads_run_each_piece_once_and_end_each_task_once) {
  Race race;
  {
    std::vector<std::jthread> others;
    for (int i = 0; i < 3; ++i) others.emplace_back([&] { race.run_pieces(); });
    race.open_all();
  }
  int wrong = 0;
  for (const Race::Entry& entry : race.entries) {
    if (entry.ended != 1) ++wrong;
    for (std::uint32_t i = 0; i < Race::kMostPieces; ++i) wrong += entry.ran[i] != (i < entry.pieces ? 1 : 0) ? 1 : 0;
  }
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
