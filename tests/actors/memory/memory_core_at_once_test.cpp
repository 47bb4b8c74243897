/// Tests of requests whose data are already on the node, so that the core can grant them at once.
#include <array>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "actors/memory/eviction/eviction_policies.hpp"
#include "tests/actors/memory/memory_fixture.hpp"
#include "tests/support/failing_memory.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(memory_core_at_once)

namespace {

BOOST_AUTO_TEST_CASE(what_is_there_is_acquired_at_once_and_without_a_word) {
  Driven memory(tiles({4}));
  memory.run(1, 1, {read(0), read_write(1)});
  BOOST_TEST(memory.acquire_at_once(2, 1, {read(0), read_write(1)}));
  BOOST_TEST(memory.commands.empty());
  memory.acquire(3, 0, {read(1)});
  BOOST_TEST(!memory.acquired(3));  // Request 2 may still write handle 1.
  memory.release(2);
  BOOST_TEST(memory.transfers().size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_it_writes_is_outdated_elsewhere) {
  Driven memory(tiles({4}));
  memory.run(1, 1, {read(0)});
  BOOST_TEST(memory.acquire_at_once(2, 1, {read_write(0)}));
  BOOST_TEST((memory.state(0, 1) == ReplicaState::modified));
  BOOST_TEST((memory.state(0, 0) == ReplicaState::invalid));
  BOOST_TEST(memory.all(Command::Kind::replica_changed).size() == 2U);
}

BOOST_AUTO_TEST_CASE(who_overwrites_takes_free_memory) {
  Driven memory(tiles({2}));
  BOOST_TEST(memory.acquire_at_once(1, 1, {write(0), write(1)}));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 2 * kTile);
  memory.release(1);
  BOOST_TEST(!memory.acquire_at_once(2, 1, {write(2)}));  // Some data would have to be evicted.
  BOOST_TEST(memory.commands.empty());
  BOOST_TEST(!memory.acquire_at_once(3, 1, {write(0), write(1), write(2)}));
  BOOST_TEST((memory.state(0, 1) == ReplicaState::modified));
}

BOOST_AUTO_TEST_CASE(what_would_have_to_be_copied_is_not_acquired_at_once) {
  Driven memory(tiles({4}));
  BOOST_TEST(!memory.acquire_at_once(1, 1, {write(1), read(0)}));
  BOOST_TEST(memory.commands.empty());
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
  memory.prefetch(1, {read(0)});
  BOOST_TEST(!memory.acquire_at_once(2, 1, {read(0)}));   // A transfer of the data to this node is under way.
  BOOST_TEST(!memory.acquire_at_once(2, 0, {write(0)}));  // The transfer still reads the data on the host.
  BOOST_TEST(memory.acquire_at_once(2, 0, {read(0)}));
}

BOOST_AUTO_TEST_CASE(what_others_use_otherwise_is_not_acquired_at_once) {
  Driven memory(tiles({4, 4}));
  memory.run(1, 1, {read(0)});
  memory.run(2, 2, {read(0)});
  memory.acquire(3, 1, {read(0)});
  BOOST_TEST(!memory.acquire_at_once(4, 2, {read_write(0)}));
  BOOST_TEST(memory.acquire_at_once(5, 2, {read(0)}));
}

BOOST_AUTO_TEST_CASE(nobody_is_overtaken_on_its_node_or_deprived_by_a_younger_one) {
  Driven memory(tiles({2, 4}));
  memory.run(1, 2, {read(0)});
  memory.acquire(2, 1, {write(1), write(2)});
  memory.acquire(3, 1, {read_write(0)});  // Request 3 waits for memory on node 1.
  BOOST_TEST(!memory.acquire_at_once(4, 1, {read(1)}));
  BOOST_TEST(!memory.acquire_at_once(5, 2, {read(0)}));
}

BOOST_AUTO_TEST_CASE(what_is_about_to_go_is_kept) {
  Driven memory(tiles({2}));
  memory.run(1, 1, {write(0)});
  memory.run(2, 1, {write(1)});
  memory.acquire(3, 1, {write(2)});  // The core writes handle 0 back to make room.
  const Command write_back = memory.transfer();
  BOOST_TEST(!memory.acquire_at_once(4, 1, {read(0)}));  // Request 3 waits on this node and must not be overtaken.
  memory.release(3);
  BOOST_TEST(memory.acquire_at_once(5, 1, {read(0)}));
  memory.done(write_back.transfer);
  BOOST_TEST((memory.state(0, 1) == ReplicaState::shared));
}

BOOST_AUTO_TEST_CASE(a_handle_named_twice_is_written_if_one_of_them_writes) {
  Driven memory(tiles({4}));
  memory.run(1, 1, {read(0)});
  BOOST_TEST(memory.acquire_at_once(2, 1, {read(0), read_write(0)}));
  BOOST_TEST((memory.state(0, 1) == ReplicaState::modified));
  memory.release(2);
  memory.acquire(3, 0, {read(0)});
  BOOST_TEST(memory.transfers().size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_there_costs_next_to_no_allocations_whatever_the_policy) {
  constexpr std::uint64_t kHandles = 10;
  constexpr std::uint64_t kTasks = 200;
  constexpr std::uint64_t kAhead = 5;
  for (const std::string_view policy : eviction_policy_names()) {
    const auto upcoming = std::make_shared<UpcomingTasks>();
    MemoryCore core(tiles({kHandles}), make_eviction_policy(policy, upcoming).value_or_throw());
    std::vector<Command> commands;
    const auto uses = [](std::uint64_t task) {
      return std::array{read(task % kHandles), read((task + 1) % kHandles), read_write((task + 2) % kHandles)};
    };
    const auto run = [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t task = begin; task < end; ++task) {
        upcoming->add(TaskId(task + kAhead), uses(task + kAhead));
        if (!core.acquire_at_once(RequestId(task), NodeId(1), uses(task), commands, TaskId(task))) return false;
        core.release(RequestId(task), commands);
        commands.clear();
      }
      return true;
    };
    for (std::uint64_t handle = 0; handle < kHandles; ++handle) {
      core.acquire(RequestId(handle), NodeId(1), std::array{write(handle)}, commands);
      core.release(RequestId(handle), commands);
    }
    bool at_once = run(0, kTasks);
    {
      const tests::FailingMemory little(kTasks / 2);
      at_once = at_once && run(kTasks, 2 * kTasks);
    }
    BOOST_TEST(at_once);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
