/// Tests of `MemoryState`, the state around the memory core, which several threads use at once.
#include "actors/memory/memory_actor.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <thread>
#include <vector>

#include "tests/actors/memory/memory_fixture.hpp"
#include "tests/support/failing_memory.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(memory_actor)

namespace {

/// A host whose copies end at once: the end of a copy is posted to the inbox before `copy` returns.
class InstantHost final : public MemoryHost {
 public:
  void copy(const Command& transfer) override {
    MemoryEvent event;
    event.kind = MemoryEvent::Kind::transfer_done;
    event.transfer = transfer.transfer;
    state->inbox().post(std::move(event));
    if (on_copy) on_copy();
  }
  void hurry(TransferId) override {}
  void acquired(RequestId) override { ++acquired_; }
  void refused(const Command& command) override { refused_.push_back(command.kind); }
  void replica_changed(HandleId, NodeId, ReplicaState) override {}

  MemoryState* state = nullptr;
  std::function<void()> on_copy;
  int acquired_ = 0;
  std::vector<Command::Kind> refused_;
};

struct Fixture {
  explicit Fixture(MemoryOptions options) : state(std::move(options), host) { host.state = &state; }

  static MemoryEvent acquire(std::uint64_t request, std::uint32_t node, const std::vector<Use>& uses) {
    MemoryEvent event;
    event.kind = MemoryEvent::Kind::acquire;
    event.request = RequestId(request);
    event.node = NodeId(node);
    event.uses = uses;
    return event;
  }
  static MemoryEvent release_of(std::uint64_t request) {
    MemoryEvent event;
    event.kind = MemoryEvent::Kind::release;
    event.request = RequestId(request);
    return event;
  }
  void release(std::uint64_t request) { state.inbox().post(release_of(request)); }
  /// Leaves a release in the inbox without handling it. Returns true if some thread must be told to handle the inbox.
  bool leave_release(std::uint64_t request) { return state.inbox().leave(release_of(request)); }
  void lose(std::uint32_t node) {
    MemoryEvent event;
    event.kind = MemoryEvent::Kind::node_lost;
    event.node = NodeId(node);
    state.inbox().post(std::move(event));
  }

  InstantHost host;
  MemoryState state;
};

BOOST_AUTO_TEST_CASE(who_acquires_at_once_sees_all_that_was_posted_before) {
  Fixture memory(tiles({4}));
  memory.state.inbox().post(Fixture::acquire(1, 1, {write(0)}));
  BOOST_TEST(!memory.state.acquire_at_once(Fixture::acquire(2, 0, {read(0)})));  // Request 1 still writes the data.
  BOOST_TEST(memory.host.acquired_ == 1);
  memory.release(1);
  BOOST_TEST(memory.state.acquire_at_once(Fixture::acquire(3, 1, {read(0)})));
  BOOST_TEST(memory.host.acquired_ == 1);
}

BOOST_AUTO_TEST_CASE(a_lost_node_and_lost_content_are_told_as_refusals) {
  Fixture memory(tiles({4}));
  BOOST_TEST(memory.state.acquire_at_once(Fixture::acquire(1, 1, {write(0)})));
  memory.release(1);
  memory.lose(1);
  memory.state.inbox().post(Fixture::acquire(2, 1, {read(1)}));
  memory.state.inbox().post(Fixture::acquire(3, 0, {read(0)}));
  memory.state.handle_inbox();
  BOOST_REQUIRE(memory.host.refused_.size() == 2U);
  BOOST_TEST((memory.host.refused_[0] == Command::Kind::node_lost));
  BOOST_TEST((memory.host.refused_[1] == Command::Kind::content_lost));
  BOOST_TEST(memory.state.with_core([](const MemoryCore& core) { return core.content_lost(HandleId(0)); }));
}

BOOST_AUTO_TEST_CASE(a_release_that_nobody_waits_for_is_dealt_with_by_who_acquires_next) {
  Fixture memory(tiles({4}));
  BOOST_TEST(memory.state.acquire_at_once(Fixture::acquire(1, 1, {write(0)})));
  BOOST_TEST(!memory.leave_release(1));
  BOOST_TEST(!memory.state.acquire_at_once(Fixture::acquire(2, 1, {read(1)})));  // The data would have to be copied.
  BOOST_TEST(memory.state.acquire_at_once(Fixture::acquire(3, 0, {write(0)})));
}

BOOST_AUTO_TEST_CASE(who_releases_what_somebody_waits_for_is_told_so) {
  Fixture memory(tiles({4}));
  BOOST_TEST(memory.state.acquire_at_once(Fixture::acquire(1, 1, {write(0)})));
  BOOST_TEST(memory.state.acquire_at_once(Fixture::acquire(2, 1, {write(1)})));
  memory.state.inbox().post(Fixture::acquire(3, 0, {write(0)}));
  memory.state.handle_inbox();
  BOOST_TEST(memory.leave_release(1));
  BOOST_TEST(!memory.leave_release(2));  // The thread that handles release 1 also finds release 2 in the inbox.
  memory.state.handle_inbox();
  BOOST_TEST(memory.host.acquired_ == 1);
  BOOST_TEST(!memory.leave_release(3));  // No request waits any more.
}

BOOST_AUTO_TEST_CASE(what_is_left_while_somebody_begins_to_wait_for_it_is_found) {
  Fixture memory(tiles({4}));
  BOOST_TEST(memory.state.acquire_at_once(Fixture::acquire(1, 1, {write(0)})));
  memory.state.inbox().post(Fixture::acquire(2, 0, {write(0)}));
  memory.state.inbox().post(Fixture::acquire(3, 1, {read(1)}));
  // When request 2 has begun to wait, another thread releases request 1. No thread has been told yet that a request
  // waits.
  memory.host.on_copy = [&] { BOOST_TEST(!memory.leave_release(1)); };
  memory.state.handle_inbox();
  BOOST_TEST(memory.host.acquired_ == 2);
}

BOOST_AUTO_TEST_CASE(a_task_whose_data_are_there_passes_once_and_takes_no_memory) {
  Fixture memory(tiles({4}));
  constexpr std::uint64_t kTasks = 200;
  MemoryEvent event = Fixture::acquire(0, 1, {write(0), write(1), write(2)});
  std::uint64_t offsets = 0;
  const auto run = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t task = begin; task < end; ++task) {
      event.request = RequestId(task);
      const auto granted = [&](const MemoryCore& core) {
        for (const Use& each : event.uses) offsets += core.offset(each.handle, NodeId(1));
      };
      if (!memory.state.acquire_at_once(event, granted) || memory.leave_release(task)) return false;
    }
    return true;
  };
  BOOST_TEST(run(0, kTasks));
  const std::uint64_t before = memory.state.passes();
  bool at_once = false;
  {
    const tests::FailingMemory none;
    at_once = run(kTasks, 2 * kTasks);
  }
  BOOST_TEST(at_once);
  BOOST_TEST(memory.state.passes() - before == kTasks);
  BOOST_TEST(offsets == 2 * kTasks * 3 * kTile);
}

BOOST_AUTO_TEST_CASE(threads_share_the_core_without_an_actor_between_them) {
  Fixture memory(tiles({8, 8}));
  constexpr std::uint64_t kRounds = 2000;
  std::atomic<std::uint64_t> at_once{0};
  std::atomic<bool> ended{false};
  std::atomic<bool> too_much{false};
  std::thread watcher([&] {
    while (!ended.load()) {
      const Bytes used = memory.state.with_core([](const MemoryCore& core) { return core.used(NodeId(1)); });
      if (used > Bytes{8 * kTile}) too_much = true;
    }
  });
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t round = 0; round < kRounds; ++round) {
        const std::uint64_t request = t * kRounds + round;
        // All threads share the first handle; the other one belongs to this thread.
        const auto event = Fixture::acquire(request, t % 3, {read(0), round % 3 == 0 ? write(1 + t) : read(1 + t)});
        if (memory.state.acquire_at_once(event)) {
          ++at_once;
        } else {
          memory.state.inbox().post(event);
          memory.state.handle_inbox();
        }
        if (memory.leave_release(request)) memory.state.handle_inbox();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  ended = true;
  watcher.join();
  BOOST_TEST(at_once.load() > kRounds);
  BOOST_TEST(!too_much.load());
  BOOST_TEST(memory.state.with_core([](const MemoryCore& core) { return core.waiting().size(); }) == 0U);
  BOOST_TEST(memory.state.with_core([](const MemoryCore& core) { return core.check(); }) == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
