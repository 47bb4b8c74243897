#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

#include "actors/memory/memory_core.hpp"
#include "tests/actors/memory/memory_fixture.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(memory_core_transfers)

namespace {

using Kind = Command::Kind;

MemoryOptions three_devices() {
  MemoryOptions options = tiles({8, 8, 8});
  return options;
}

LinkCost& cost(MemoryOptions& options, std::size_t from, std::size_t to) {
  return options.costs[from * options.nodes.size() + to];
}

Use last(Use use) {
  use.last_write = true;
  return use;
}

BOOST_AUTO_TEST_CASE(the_cheapest_source_is_taken) {
  MemoryOptions options = three_devices();
  cost(options, 2, 3) = {Duration(10), 1e-10};
  Driven memory(options);
  memory.run(0, 1, {read(0)});
  memory.run(1, 2, {read(0)});
  memory.acquire(2, 3, {read(0)});
  BOOST_TEST((memory.transfer().from == NodeId(2)));
}

BOOST_AUTO_TEST_CASE(equally_cheap_sources_share_the_work) {
  Driven memory(three_devices());
  memory.run(0, 1, {read(0), read(1), read(2)});
  memory.acquire(1, 2, {read(0), read(1), read(2)});
  const auto started = memory.transfers();
  BOOST_REQUIRE_EQUAL(started.size(), 3U);
  BOOST_TEST((started[0].from == kHost && started[1].from == NodeId(1) && started[2].from == kHost));
}

BOOST_AUTO_TEST_CASE(what_has_ended_is_not_queued_any_more) {
  Driven memory(three_devices());
  memory.run(0, 1, {read(0), read(1)});
  memory.run(1, 2, {read(0)});
  memory.acquire(2, 2, {read(1)});
  BOOST_TEST((memory.transfer().from == kHost));
}

BOOST_AUTO_TEST_CASE(a_writer_waits_for_a_prefetch_of_the_old_content) {
  Driven memory(three_devices());
  memory.prefetch(2, {read(0)});
  const TransferId late = memory.transfer().transfer;
  memory.acquire(0, 1, {write(0)});
  BOOST_TEST(!memory.acquired(0));
  BOOST_REQUIRE(memory.find(Kind::urgent));
  BOOST_TEST((memory.find(Kind::urgent)->transfer == late));
  const auto waiting = memory.core.waiting();
  BOOST_REQUIRE_EQUAL(waiting.size(), 1U);
  BOOST_TEST((waiting[0].reason == WaitingRequest::Reason::transfer && waiting[0].transfer == late));
  memory.done(late);
  BOOST_TEST(memory.acquired(0));
  BOOST_TEST((memory.state(0, 2) == ReplicaState::invalid));
  BOOST_TEST(memory.core.used(NodeId(2)).count == 0U);
}

BOOST_AUTO_TEST_CASE(a_writer_waits_for_the_write_back_of_what_it_overwrites) {
  MemoryOptions options = three_devices();
  options.write_back_finished = true;
  Driven memory(options);
  memory.acquire(0, 1, {last(write(0))});
  memory.release(0);
  const TransferId back = memory.transfer().transfer;
  memory.acquire(1, 1, {read_write(0)});
  BOOST_TEST(!memory.acquired(1));
  memory.done(back);
  BOOST_TEST(memory.acquired(1));
  BOOST_TEST((memory.state(0, 0) == ReplicaState::invalid && memory.state(0, 1) == ReplicaState::modified));
}

BOOST_AUTO_TEST_CASE(nothing_is_prefetched_that_is_being_written) {
  Driven memory(three_devices());
  memory.acquire(0, 1, {write(0)});
  memory.prefetch(2, {read(0)});
  BOOST_TEST(memory.commands.empty());
  memory.prefetch(1, {read(0)});
  BOOST_TEST(memory.commands.empty());
}

BOOST_AUTO_TEST_CASE(finished_data_are_written_back_early_if_that_is_asked_for) {
  MemoryOptions options = three_devices();
  Driven without(options);
  without.acquire(0, 1, {last(write(0))});
  without.release(0);
  BOOST_TEST(without.commands.empty());

  options.write_back_finished = true;
  Driven with(options);
  with.acquire(0, 1, {last(write(0)), write(1), last(read(2))});
  with.done(with.transfer().transfer);
  with.release(0);
  const Command back = with.transfer();
  BOOST_TEST((back.handle == HandleId(0) && back.from == NodeId(1) && back.to == kHost));
  BOOST_TEST(!back.waited_for);
  with.done(back.transfer);
  BOOST_TEST((with.state(0, 0) == ReplicaState::shared && with.state(0, 1) == ReplicaState::shared));
}

BOOST_AUTO_TEST_CASE(a_failed_transfer_is_tried_from_another_source) {
  Driven memory(three_devices());
  memory.run(0, 1, {read(0)});
  memory.acquire(1, 2, {read(0)});
  const Command first = memory.transfer();
  BOOST_TEST((first.from == kHost));
  memory.fail(first.transfer);
  const Command second = memory.transfer();
  BOOST_TEST((second.from == NodeId(1) && second.waited_for));
  BOOST_TEST(!memory.find(Kind::failed));
  BOOST_TEST((memory.state(0, 2) == ReplicaState::incoming));
  memory.done(second.transfer);
  BOOST_TEST(memory.acquired(1));
}

BOOST_AUTO_TEST_CASE(any_number_of_nodes_hold_data_and_are_tried_one_after_the_other) {
  constexpr std::uint32_t kDevices = 300;
  Driven memory(tiles(std::vector<std::uint64_t>(kDevices, 1)));
  for (std::uint32_t node = 1; node < kDevices; ++node) memory.run(node, node, {read(0)});
  memory.acquire(1000, kDevices, {read(0)});
  std::set<NodeId> tried;
  for (std::uint32_t i = 0; i < kDevices; ++i) {
    const Command next = memory.transfer();
    BOOST_TEST(tried.insert(next.from).second);
    memory.fail(next.transfer);
  }
  BOOST_TEST(memory.find(Kind::failed));
  // Node 70 has room for one piece of data, so it evicts handle 0. Later a writer makes all other replicas outdated.
  memory.run(1001, 70, {read(1)});
  BOOST_TEST((memory.state(0, 70) == ReplicaState::invalid && memory.state(0, 6) == ReplicaState::shared));
  memory.run(1002, 200, {write(0)});
  for (std::uint32_t node = 0; node <= kDevices; ++node) {
    BOOST_TEST((memory.state(0, node) == (node == 200 ? ReplicaState::modified : ReplicaState::invalid)), node);
  }
}

BOOST_AUTO_TEST_CASE(who_waits_for_what_cannot_be_brought_fails_and_leaves_no_memory) {
  Driven memory(three_devices());
  memory.acquire(0, 1, {read(0), write(1)});
  const TransferId transfer = memory.transfer().transfer;
  memory.acquire(1, 1, {read(0)});
  memory.acquire(2, 1, {read(2)});
  const TransferId other = memory.transfer().transfer;
  memory.fail(transfer);
  const auto failed = memory.all(Kind::failed);
  BOOST_REQUIRE_EQUAL(failed.size(), 2U);
  BOOST_TEST((failed[0].request == RequestId(0) && failed[0].handle == HandleId(0)));
  BOOST_TEST((failed[1].request == RequestId(1)));
  BOOST_TEST((memory.state(0, 1) == ReplicaState::invalid));
  BOOST_TEST(memory.core.used(NodeId(1)).count == kTile);
  memory.done(other);
  BOOST_TEST(memory.acquired(2));
  memory.run(0, 1, {read(0)});  // The failed request may be made again.
  BOOST_TEST((memory.state(0, 1) == ReplicaState::shared));
}

BOOST_AUTO_TEST_CASE(a_failed_prefetch_is_dropped) {
  Driven memory(three_devices());
  memory.run(0, 1, {read(0)});
  memory.prefetch(2, {read(0)});
  memory.fail(memory.transfer().transfer);
  BOOST_TEST(memory.transfers().empty());
  BOOST_TEST((memory.state(0, 2) == ReplicaState::invalid));
  BOOST_TEST(memory.core.used(NodeId(2)).count == 0U);
}

BOOST_AUTO_TEST_CASE(a_writer_does_not_mind_that_a_prefetch_of_the_old_content_failed) {
  Driven memory(three_devices());
  memory.prefetch(1, {read(0)});
  const TransferId transfer = memory.transfer().transfer;
  memory.acquire(0, 1, {write(0)});
  memory.fail(transfer);
  BOOST_TEST(memory.acquired(0));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_back_stays_and_who_needs_its_room_fails) {
  Driven memory(tiles({1}));
  memory.run(0, 1, {write(0)});
  memory.acquire(1, 1, {write(1)});
  for (int i = 0; i < 3; ++i) memory.fail(memory.transfer().transfer);
  const Command* failed = memory.find(Kind::failed);
  BOOST_REQUIRE(failed);
  BOOST_TEST((failed->request == RequestId(1) && failed->handle == HandleId(0)));
  BOOST_TEST((memory.state(0, 1) == ReplicaState::modified));
  memory.acquire(2, 0, {read(0)});  // The content is still on node 1.
  memory.done(memory.transfer().transfer);
  BOOST_TEST(memory.acquired(2));
  memory.acquire(3, 1, {write(1)});
  BOOST_TEST(memory.acquired(3));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
