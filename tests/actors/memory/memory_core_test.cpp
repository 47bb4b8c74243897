#include "actors/memory/memory_core.hpp"

#include <malloc.h>

#include <boost/test/unit_test.hpp>

#include "actors/memory/eviction/eviction_policies.hpp"
#include "tests/actors/memory/memory_fixture.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/tries.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(memory_core)

namespace {

using Kind = Command::Kind;
using Reason = WaitingRequest::Reason;

BOOST_AUTO_TEST_CASE(data_lie_on_the_host_at_first) {
  Driven memory(tiles({4}));
  BOOST_TEST((memory.state(17, 0) == ReplicaState::shared));
  BOOST_TEST((memory.state(17, 1) == ReplicaState::invalid));
  memory.acquire(0, 0, {read(17)});
  BOOST_TEST(memory.acquired(0));
  BOOST_TEST(memory.transfers().empty());
}

BOOST_AUTO_TEST_CASE(a_reader_gets_its_data_and_then_its_answer) {
  Driven memory(tiles({4}));
  memory.acquire(5, 1, {read(0), read(1)});
  BOOST_TEST(!memory.acquired(5));
  const auto started = memory.transfers();
  BOOST_REQUIRE_EQUAL(started.size(), 2U);
  BOOST_TEST((started[0].from == kHost && started[0].to == NodeId(1) && started[0].bytes == Bytes{kTile}));
  BOOST_TEST(started[0].waited_for);
  BOOST_TEST(started[0].to_offset != started[1].to_offset);
  BOOST_TEST((memory.state(0, 1) == ReplicaState::incoming));
  memory.done(started[1].transfer);
  BOOST_TEST(!memory.acquired(5));
  memory.done(started[0].transfer);
  BOOST_TEST(memory.acquired(5));
  BOOST_TEST((memory.state(0, 1) == ReplicaState::shared && memory.state(0, 0) == ReplicaState::shared));
  BOOST_TEST(memory.core.statistics().moved[1].count == 2 * kTile);
}

BOOST_AUTO_TEST_CASE(what_is_there_is_acquired_without_a_transfer) {
  Driven memory(tiles({4}));
  memory.run(0, 1, {read(0), read(1)});
  memory.acquire(1, 1, {read(1), read(0)});
  BOOST_TEST(memory.acquired(1));
  BOOST_TEST(memory.commands.size() == 1U);
}

BOOST_AUTO_TEST_CASE(every_change_of_a_replica_is_told) {
  Driven memory(tiles({4}));
  memory.acquire(0, 1, {read_write(0)});
  BOOST_REQUIRE_EQUAL(memory.all(Kind::replica_changed).size(), 1U);
  memory.done(memory.transfer().transfer);
  const auto changes = memory.all(Kind::replica_changed);
  BOOST_REQUIRE_EQUAL(changes.size(), 3U);
  BOOST_TEST((changes[0].node == NodeId(1) && changes[0].state == ReplicaState::shared));
  BOOST_TEST((changes[1].node == NodeId(1) && changes[1].state == ReplicaState::modified));
  BOOST_TEST((changes[2].node == kHost && changes[2].state == ReplicaState::invalid));
  BOOST_TEST((memory.commands.back().kind == Kind::acquired));
}

BOOST_AUTO_TEST_CASE(who_overwrites_fetches_nothing_and_is_alone_afterwards) {
  Driven memory(tiles({4, 4}));
  memory.run(0, 2, {read(0)});
  memory.acquire(1, 1, {write(0)});
  BOOST_TEST(memory.acquired(1));
  BOOST_TEST(memory.transfers().empty());
  BOOST_TEST((memory.state(0, 1) == ReplicaState::modified));
  BOOST_TEST((memory.state(0, 0) == ReplicaState::invalid && memory.state(0, 2) == ReplicaState::invalid));
  BOOST_TEST(memory.core.used(NodeId(2)).count == 0U);
  BOOST_TEST(memory.core.used(NodeId(1)).count == kTile);
}

BOOST_AUTO_TEST_CASE(who_modifies_fetches_first) {
  for (const AccessMode mode : {AccessMode::read_write, AccessMode::commute, AccessMode::reduce}) {
    Driven memory(tiles({4}));
    memory.acquire(0, 1, {use(0, mode)});
    BOOST_TEST(!memory.acquired(0));
    BOOST_TEST((memory.state(0, 0) == ReplicaState::shared));
    memory.done(memory.transfer().transfer);
    BOOST_TEST(memory.acquired(0));
    BOOST_TEST((memory.state(0, 1) == ReplicaState::modified && memory.state(0, 0) == ReplicaState::invalid));
  }
}

BOOST_AUTO_TEST_CASE(readers_share_on_all_nodes) {
  Driven memory(tiles({4, 4}));
  memory.acquire(0, 1, {read(0)});
  memory.done(memory.transfer().transfer);
  memory.acquire(1, 2, {read(0)});
  memory.done(memory.transfer().transfer);
  BOOST_TEST(memory.acquired(1));
  memory.acquire(2, 0, {read(0)});
  BOOST_TEST(memory.acquired(2));
}

BOOST_AUTO_TEST_CASE(the_host_reads_what_a_device_has_written) {
  Driven memory(tiles({4}));
  memory.run(0, 1, {write(0)});
  memory.acquire(1, 0, {read(0)});
  const Command transfer = memory.transfer();
  BOOST_TEST((transfer.from == NodeId(1) && transfer.to == kHost));
  memory.done(transfer.transfer);
  BOOST_TEST(memory.acquired(1));
  BOOST_TEST((memory.state(0, 0) == ReplicaState::shared && memory.state(0, 1) == ReplicaState::shared));
}

BOOST_AUTO_TEST_CASE(a_writer_on_the_host_outdates_the_devices) {
  Driven memory(tiles({4}));
  memory.run(0, 1, {read(0)});
  memory.acquire(1, 0, {read_write(0)});
  BOOST_TEST(memory.acquired(1));
  BOOST_TEST((memory.state(0, 0) == ReplicaState::modified && memory.state(0, 1) == ReplicaState::invalid));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
}

BOOST_AUTO_TEST_CASE(a_working_set_larger_than_the_node_is_refused_at_once) {
  Driven memory(tiles({2}));
  memory.acquire(0, 1, {read(0), read(1), write(2)});
  BOOST_REQUIRE_EQUAL(memory.commands.size(), 1U);
  const Command& refused = memory.commands[0];
  BOOST_TEST((refused.kind == Kind::cannot_fit && refused.request == RequestId(0)));
  BOOST_TEST((refused.needed == Bytes{3 * kTile} && refused.capacity == Bytes{2 * kTile}));
  BOOST_TEST(memory.core.waiting().empty());
  memory.acquire(0, 1, {read(0), read(1)});  // The id of a refused request may be used again.
  BOOST_TEST(memory.transfers().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_piece_larger_than_one_may_be_is_refused_at_once) {
  MemoryOptions options = tiles({4, 4});
  options.nodes[1].largest_piece = {kTile - 1};
  Driven memory(std::move(options));
  memory.acquire(0, 1, {read(7)});
  BOOST_REQUIRE_EQUAL(memory.commands.size(), 1U);
  const Command& refused = memory.commands[0];
  BOOST_TEST((refused.kind == Kind::cannot_fit && refused.request == RequestId(0) && refused.handle == HandleId(7)));
  BOOST_TEST((refused.needed == Bytes{kTile} && refused.capacity == Bytes{kTile - 1}));
  // A prefetch of the handle is refused, too. A write is also refused, although it would need no copy.
  memory.prefetch(1, {read(7)});
  BOOST_TEST(memory.transfers().empty());
  BOOST_TEST(!memory.acquire_at_once(1, 1, {write(7)}));
  memory.acquire(2, 2, {read(7)});
  BOOST_TEST(memory.transfers().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_handle_named_twice_counts_once) {
  Driven memory(tiles({1}));
  memory.acquire(0, 1, {read(0), write(0)});
  memory.done(memory.transfer().transfer);
  BOOST_TEST(memory.acquired(0));
  BOOST_TEST((memory.state(0, 1) == ReplicaState::modified));
  memory.release(0);
  memory.acquire(1, 1, {read(0), read(0)});
  BOOST_TEST(memory.acquired(1));
}

BOOST_AUTO_TEST_CASE(nothing_is_begun_for_a_request_that_has_no_room_for_all) {
  Driven memory(tiles({4}));
  memory.acquire(0, 1, {write(0), write(1), write(2)});
  memory.acquire(1, 1, {read(3), read(4)});
  BOOST_TEST(memory.commands.empty());
  const auto waiting = memory.core.waiting();
  BOOST_REQUIRE_EQUAL(waiting.size(), 1U);
  BOOST_TEST((waiting[0].request == RequestId(1) && waiting[0].reason == Reason::memory));
  BOOST_TEST((waiting[0].needed == Bytes{2 * kTile}));
  memory.release(0);
  BOOST_TEST(!memory.transfers().empty());
}

BOOST_AUTO_TEST_CASE(nobody_overtakes_on_a_node) {
  Driven memory(tiles({4}));
  memory.acquire(0, 1, {write(0), write(1), write(2)});
  memory.acquire(1, 1, {write(3), write(4)});
  memory.acquire(2, 1, {write(5)});  // There is room for this request, but it must not overtake request 1.
  BOOST_TEST(memory.commands.empty());
  BOOST_TEST((memory.core.waiting()[1].reason == Reason::turn));
  memory.release(0);
  BOOST_TEST(memory.end_all(memory.transfers(), 1));
  BOOST_TEST(memory.core.waiting().empty());
}

BOOST_AUTO_TEST_CASE(two_requests_that_do_not_fit_together_take_turns) {
  Driven memory(tiles({4}));
  memory.acquire(0, 1, {read(0), read(1), read(2)});
  const auto started = memory.transfers();
  memory.acquire(1, 1, {read(3), read(4), read(5)});
  BOOST_TEST(memory.commands.empty());
  for (const Command& each : started) memory.done(each.transfer);
  BOOST_TEST(memory.acquired(0));
  memory.release(0);
  BOOST_TEST(memory.transfers().size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_writer_waits_for_users_on_other_nodes) {
  Driven memory(tiles({4, 4}));
  memory.acquire(0, 1, {write(0)});
  memory.acquire(1, 2, {use(0, AccessMode::commute)});
  BOOST_TEST(memory.commands.empty());
  const auto waiting = memory.core.waiting();
  BOOST_REQUIRE_EQUAL(waiting.size(), 1U);
  BOOST_TEST((waiting[0].reason == Reason::handle_in_use && waiting[0].handle == HandleId(0)));
  memory.release(0);
  const Command transfer = memory.transfer();
  BOOST_TEST((transfer.from == NodeId(1) && transfer.to == NodeId(2)));
  memory.done(transfer.transfer);
  BOOST_TEST(memory.acquired(1));
}

BOOST_AUTO_TEST_CASE(a_reader_waits_for_a_writer_on_another_node) {
  Driven memory(tiles({4, 4}));
  memory.acquire(0, 1, {write(0)});
  memory.acquire(1, 0, {read(0)});
  BOOST_TEST(memory.commands.empty());
  memory.release(0);
  BOOST_TEST((memory.transfer().to == kHost));
}

BOOST_AUTO_TEST_CASE(on_one_node_the_task_graph_alone_keeps_users_apart) {
  Driven memory(tiles({4}));
  memory.acquire(0, 1, {write(0)});
  memory.acquire(1, 1, {use(0, AccessMode::commute)});
  BOOST_TEST(memory.acquired(1));
}

BOOST_AUTO_TEST_CASE(crosswise_writers_do_not_block_each_other_for_ever) {
  Driven memory(tiles({4, 4}));
  memory.acquire(0, 1, {write(0)});
  memory.acquire(1, 2, {write(1)});
  memory.acquire(2, 1, {write(0), write(1)});
  memory.acquire(3, 2, {write(1), write(0)});
  memory.release(0);
  BOOST_TEST(!memory.acquired(2));
  memory.release(1);
  BOOST_TEST(memory.acquired(2));
  BOOST_TEST(!memory.acquired(3));
  memory.release(2);
  BOOST_TEST(memory.acquired(3));
}

BOOST_AUTO_TEST_CASE(the_younger_does_not_take_what_the_older_waits_for) {
  Driven memory(tiles({1, 4}));
  memory.acquire(0, 1, {write(7)});
  memory.acquire(1, 1, {write(0)});  // Request 1 waits for memory.
  memory.acquire(2, 2, {write(0)});
  BOOST_TEST(!memory.acquired(2));
  BOOST_TEST((memory.core.waiting()[1].reason == Reason::handle_in_use));
  memory.acquire(3, 0, {read(1)});  // No older request waits for this handle.
  BOOST_TEST(memory.acquired(3));
}

BOOST_AUTO_TEST_CASE(a_request_may_be_given_up_before_it_is_acquired) {
  Driven memory(tiles({1}));
  memory.acquire(0, 1, {read(0)});
  const TransferId transfer = memory.transfer().transfer;
  memory.acquire(1, 1, {write(1)});
  memory.release(0);  // The transfer for this request goes on.
  memory.release(1);  // This request was still waiting.
  BOOST_TEST(memory.core.waiting().empty());
  memory.done(transfer);
  BOOST_TEST(memory.commands.size() == 1U);
  BOOST_TEST((memory.state(0, 1) == ReplicaState::shared));
  memory.acquire(2, 1, {write(1)});
  BOOST_TEST(memory.acquired(2));
}

BOOST_AUTO_TEST_CASE(a_writer_that_gives_up_early_wrote_nothing_and_leaves_no_memory) {
  Driven memory(tiles({4}));
  memory.acquire(0, 1, {write(0), read(1)});
  const TransferId transfer = memory.transfer().transfer;
  BOOST_TEST(memory.core.used(NodeId(1)).count == 2 * kTile);
  memory.release(0);
  BOOST_TEST(memory.core.used(NodeId(1)).count == kTile);
  BOOST_TEST((memory.state(0, 0) == ReplicaState::shared && memory.state(0, 1) == ReplicaState::invalid));
  memory.done(transfer);
}

BOOST_AUTO_TEST_CASE(what_is_forgotten_leaves_no_memory_and_is_as_new) {
  Driven memory(tiles({4}));
  memory.run(0, 1, {write(0)});
  memory.forget(0);
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
  BOOST_TEST((memory.state(0, 0) == ReplicaState::shared && memory.state(0, 1) == ReplicaState::invalid));
  memory.acquire(1, 1, {write(0, 3 * kTile)});  // The data now have another size.
  BOOST_TEST(memory.acquired(1));
  memory.forget(99);  // No request ever used this handle.
  BOOST_TEST(memory.commands.empty());
}

BOOST_AUTO_TEST_CASE(what_is_forgotten_during_a_transfer_goes_when_that_has_ended) {
  Driven memory(tiles({4}));
  memory.prefetch(1, {read(0)});
  const TransferId transfer = memory.transfer().transfer;
  memory.forget(0);
  BOOST_TEST(memory.core.used(NodeId(1)).count == kTile);
  memory.acquire(1, 1, {read(0, 2 * kTile)});  // The program uses the handle's id again.
  BOOST_TEST(memory.commands.empty());
  memory.done(transfer);
  const Command again = memory.transfer();
  BOOST_TEST((again.bytes == Bytes{2 * kTile}));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 2 * kTile);
}

BOOST_AUTO_TEST_CASE(what_is_forgotten_while_a_task_uses_it_goes_when_that_has_ended) {
  Driven memory(tiles({4}));
  memory.acquire(0, 1, {write(0), write(1)});
  BOOST_TEST(memory.acquired(0));
  memory.forget(0);
  BOOST_TEST(memory.core.used(NodeId(1)).count == 2 * kTile);
  memory.release(0);
  BOOST_TEST(memory.core.used(NodeId(1)).count == kTile);
  BOOST_TEST((memory.state(0, 0) == ReplicaState::shared && memory.state(0, 1) == ReplicaState::invalid));
}

BOOST_AUTO_TEST_CASE(what_is_discarded_is_not_copied_and_leaves_no_memory) {
  Driven memory(tiles({4}));
  memory.run(0, 1, {write(0)});
  memory.discard(0);
  BOOST_TEST(memory.transfers().empty());
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
  BOOST_TEST((memory.state(0, 0) == ReplicaState::shared && memory.state(0, 1) == ReplicaState::invalid));
  BOOST_TEST(memory.core.away().empty());
  memory.acquire(1, 1, {write(0)});
  BOOST_TEST(memory.acquired(1));
  memory.discard(99);  // No request ever used this handle.
  BOOST_TEST(memory.commands.empty());
}

BOOST_AUTO_TEST_CASE(a_discard_leaves_alone_what_is_in_use) {
  Driven memory(tiles({4}));
  memory.acquire(0, 1, {write(0)});
  memory.discard(0);  // A request uses the handle.
  BOOST_TEST((memory.state(0, 1) == ReplicaState::modified));
  memory.release(0);
  memory.acquire(1, 0, {read(0)});
  const TransferId transfer = memory.transfer().transfer;
  memory.release(1);
  memory.discard(0);  // The transfer is still under way.
  BOOST_TEST((memory.state(0, 1) == ReplicaState::modified));
  memory.done(transfer);
  memory.discard(0);
  BOOST_TEST((memory.state(0, 0) == ReplicaState::shared && memory.state(0, 1) == ReplicaState::invalid));
}

BOOST_AUTO_TEST_CASE(a_request_that_waits_for_room_gets_that_of_discarded_content) {
  Driven memory(tiles({2}));
  memory.run(0, 1, {write(0)});
  memory.run(1, 1, {write(1)});
  memory.acquire(2, 1, {write(2), write(3)});
  BOOST_TEST(!memory.acquired(2));
  for (const Command& write_back : memory.transfers()) memory.done(write_back.transfer);
  memory.release(2);
  Driven other(tiles({2}));
  other.run(0, 1, {write(0)});
  other.run(1, 1, {write(1)});
  other.discard(0);
  other.discard(1);
  other.acquire(2, 1, {write(2), write(3)});
  BOOST_TEST(other.acquired(2));
  BOOST_TEST(other.transfers().empty());
}

BOOST_AUTO_TEST_CASE(handles_that_come_and_go_leave_nothing_whatever_the_policy) {
  const auto in_use = [] {
    const auto heap = ::mallinfo2();
    return heap.uordblks + heap.hblkhd;
  };
  for (const std::string_view policy : eviction_policy_names()) {
    MemoryCore core(tiles({4}), make_eviction_policy(policy).value_or_throw());
    std::vector<Command> commands;
    const std::size_t before = in_use();
    for (std::uint64_t id = 0; id < 30'000; ++id) {
      commands.clear();
      core.acquire(RequestId(id), NodeId(1), std::vector{write(id)}, commands, TaskId(id));
      core.set_reuse(HandleId(id), 1);
      core.release(RequestId(id), commands);
      core.forget(HandleId(id), commands);
    }
    for (std::uint64_t id = 30'000; id < 130'000; ++id) {
      core.set_reuse(HandleId(id), 1);  // No task uses this handle.
      core.forget(HandleId(id), commands);
    }
    BOOST_TEST(core.handles() == 0U);
    BOOST_TEST(core.check() == "");
    const std::size_t after = in_use();
    if (!tests::kSanitized) BOOST_TEST(after < before + 100'000);
  }
  if (tests::kSanitized) tests::skip("a sanitizer has a heap of its own, which the C library does not count");
}

BOOST_AUTO_TEST_CASE(a_node_without_a_limit_holds_everything) {
  Driven memory(options_with({std::nullopt}));
  std::vector<Use> uses;
  for (std::uint64_t i = 0; i < 100; ++i) uses.push_back(write(i, std::uint64_t{1} << 40U));
  memory.acquire(0, 1, uses);
  BOOST_TEST(memory.acquired(0));
  memory.release(0);
  memory.acquire(1, 0, {read(3, std::uint64_t{1} << 40U)});
  BOOST_TEST((memory.transfer().from == NodeId(1)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
