/// The state around the core, which several threads use at once.
#include "actors/memory/memory_actor.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <thread>
#include <vector>

#include "tests/actors/memory/memory_fixture.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(memory_actor)

namespace {

/// Copies end at once, as far as the inbox is concerned.
class InstantHost final : public MemoryHost {
 public:
  void copy(const Command& transfer) override {
    MemoryEvent event;
    event.kind = MemoryEvent::Kind::transfer_done;
    event.transfer = transfer.transfer;
    state->inbox().post(std::move(event));
  }
  void hurry(TransferId) override {}
  void acquired(RequestId) override { ++acquired_; }
  void refused(const Command& command) override { refused_.push_back(command.kind); }
  void replica_changed(HandleId, NodeId, ReplicaState) override {}

  MemoryState* state = nullptr;
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
  void release(std::uint64_t request) {
    MemoryEvent event;
    event.kind = MemoryEvent::Kind::release;
    event.request = RequestId(request);
    state.inbox().post(std::move(event));
  }
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
  BOOST_TEST(!memory.state.acquire_at_once(Fixture::acquire(2, 0, {read(0)})));  // being written elsewhere
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
        // The first handle is shared by all, the other one is this thread's own.
        const auto event = Fixture::acquire(request, t % 3, {read(0), round % 3 == 0 ? write(1 + t) : read(1 + t)});
        if (memory.state.acquire_at_once(event)) {
          ++at_once;
        } else {
          memory.state.inbox().post(event);
          memory.state.handle_inbox();
        }
        memory.release(request);
        memory.state.handle_inbox();
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
