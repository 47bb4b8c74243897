#include <boost/test/unit_test.hpp>

#include "actors/memory/memory_core.hpp"
#include "tests/actors/memory/memory_fixture.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(memory_core_room)

namespace {

using Kind = Command::Kind;

BOOST_AUTO_TEST_CASE(a_clean_victim_goes_at_once_the_least_recently_used_first) {
  Driven memory(tiles({2}));
  memory.run(0, 1, {read(0)});
  memory.run(1, 1, {read(1)});
  memory.run(2, 1, {read(0)});
  memory.acquire(3, 1, {write(2)});
  BOOST_TEST(memory.acquired(3));
  BOOST_TEST((memory.state(1, 1) == ReplicaState::invalid && memory.state(0, 1) == ReplicaState::shared));
  BOOST_TEST(memory.core.statistics().evictions == 1U);
  BOOST_TEST(memory.core.statistics().write_backs == 0U);
}

BOOST_AUTO_TEST_CASE(a_modified_victim_is_written_back_first) {
  Driven memory(tiles({1}));
  memory.run(0, 1, {write(0)});
  memory.acquire(1, 1, {write(1)});
  BOOST_TEST(!memory.acquired(1));
  const Command back = memory.transfer();
  BOOST_TEST((back.handle == HandleId(0) && back.from == NodeId(1) && back.to == kHost));
  BOOST_TEST(back.waited_for);
  memory.done(back.transfer);
  BOOST_TEST(memory.acquired(1));
  BOOST_TEST((memory.state(0, 0) == ReplicaState::shared && memory.state(0, 1) == ReplicaState::invalid));
  BOOST_TEST(memory.core.statistics().write_backs == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_pinned_stays) {
  Driven memory(tiles({2}));
  memory.run(0, 1, {read(0)});
  memory.acquire(1, 1, {read(0)});
  memory.run(2, 1, {read(1)});
  memory.acquire(3, 1, {write(2)});
  BOOST_TEST((memory.state(0, 1) == ReplicaState::shared && memory.state(1, 1) == ReplicaState::invalid));
  memory.acquire(4, 1, {write(3)});
  BOOST_TEST(memory.commands.empty());
}

BOOST_AUTO_TEST_CASE(nothing_goes_in_vain_while_pinned_memory_is_in_the_way) {
  Driven memory(tiles({3}));
  memory.run(0, 1, {read(0)});
  memory.acquire(1, 1, {write(1), write(2)});
  memory.acquire(2, 1, {write(3), write(4)});
  BOOST_TEST(memory.commands.empty());
  BOOST_TEST((memory.state(0, 1) == ReplicaState::shared));
}

BOOST_AUTO_TEST_CASE(what_the_request_uses_itself_is_no_victim) {
  Driven memory(tiles({2}));
  memory.run(0, 1, {read(0)});
  memory.run(1, 1, {read(1)});
  memory.acquire(2, 1, {read(0), write(2)});
  BOOST_TEST(memory.acquired(2));
  BOOST_TEST((memory.state(1, 1) == ReplicaState::invalid));
}

BOOST_AUTO_TEST_CASE(the_last_one_on_devices_becomes_modified_and_is_not_dropped) {
  Driven memory(tiles({1, 1}));
  memory.run(0, 1, {write(0)});
  memory.run(1, 2, {read(0)});
  BOOST_TEST((memory.state(0, 0) == ReplicaState::invalid && memory.state(0, 1) == ReplicaState::shared));
  memory.acquire(2, 1, {write(1)});  // This request drops one of the two replicas of handle 0.
  BOOST_TEST(memory.acquired(2));
  BOOST_TEST((memory.state(0, 2) == ReplicaState::modified));
  memory.acquire(3, 2, {write(2)});
  BOOST_TEST((memory.transfer().to == kHost));
}

BOOST_AUTO_TEST_CASE(a_victim_that_is_being_copied_goes_when_that_has_ended) {
  Driven memory(tiles({1, 1}));
  memory.run(0, 1, {write(0)});
  memory.prefetch(2, {read(0)});
  const TransferId copy = memory.transfer().transfer;
  memory.acquire(1, 1, {write(1)});
  BOOST_TEST(memory.transfers().empty());
  const Command* urgent = memory.find(Kind::urgent);
  BOOST_REQUIRE(urgent);
  BOOST_TEST((urgent->transfer == copy));
  memory.done(copy);
  BOOST_TEST(memory.acquired(1));
  BOOST_TEST((memory.state(0, 2) == ReplicaState::modified));
}

BOOST_AUTO_TEST_CASE(a_victim_that_is_wanted_again_stays) {
  Driven memory(tiles({2}));
  memory.run(0, 1, {write(0)});
  memory.acquire(1, 1, {read(5)});
  const TransferId fetch = memory.transfer().transfer;
  memory.acquire(2, 1, {write(1)});  // This request evicts handle 0, which has to be written back.
  const TransferId back = memory.transfer().transfer;
  memory.done(fetch);
  memory.release(1);  // This release makes room without a transfer.
  memory.done(back);
  BOOST_TEST(memory.acquired(2));
  memory.release(2);
  memory.run(3, 1, {write(2)});
  memory.run(4, 1, {write(3)});
  memory.acquire(5, 1, {write(4)});  // This request evicts another handle, which has to be written back.
  const TransferId second = memory.transfer().transfer;
  const std::uint64_t victim = memory.transfer().handle.value();
  memory.release(5);
  memory.acquire(6, 1, {read(victim)});
  BOOST_TEST(memory.acquired(6));
  memory.done(second);
  BOOST_TEST((memory.state(victim, 1) == ReplicaState::shared));
}

BOOST_AUTO_TEST_CASE(room_in_pieces_is_made_one) {
  Driven memory(tiles({4}));
  memory.run(0, 1, {read(0)});
  memory.run(1, 1, {read(1)});
  memory.run(2, 1, {read(2)});
  memory.run(3, 1, {read(3)});
  memory.run(4, 1, {read(0)});
  memory.run(5, 1, {read(2)});
  // Handles 1 and 3 were used longest ago. But they do not lie side by side, so evicting only these two does not free
  // two adjacent tiles.
  memory.acquire(6, 1, {write(9, 2 * kTile)});
  BOOST_TEST(memory.acquired(6));
  BOOST_TEST(memory.core.used(NodeId(1)).count <= 4 * kTile);
}

BOOST_AUTO_TEST_CASE(if_nothing_is_pinned_even_its_own_replicas_are_moved) {
  Driven memory(tiles({4}));
  for (std::uint64_t i = 0; i < 4; ++i) memory.run(i, 1, {write(i)});
  memory.run(10, 0, {read(0)});
  memory.run(11, 0, {read(2)});
  // Handle 1 is modified and lies between two holes. Two tiles fit only after handle 1 is moved.
  memory.acquire(12, 1, {read(1), read(8, kTile), write(9, 2 * kTile)});
  BOOST_TEST(memory.end_all(memory.transfers(), 12));
}

BOOST_AUTO_TEST_CASE(a_prefetch_is_not_pinned) {
  Driven memory(tiles({1}));
  memory.prefetch(1, {read(0)});
  const Command transfer = memory.transfer();
  BOOST_TEST(!transfer.waited_for);
  memory.done(transfer.transfer);
  BOOST_TEST((memory.state(0, 1) == ReplicaState::shared));
  memory.acquire(0, 1, {write(1)});
  BOOST_TEST(memory.acquired(0));
  BOOST_TEST(memory.core.statistics().prefetches_wasted == 1U);
  BOOST_TEST(memory.core.statistics().prefetches_used == 0U);
}

BOOST_AUTO_TEST_CASE(a_prefetch_that_is_used_is_counted_so) {
  Driven memory(tiles({1}));
  memory.prefetch(1, {read(0), write(1)});
  memory.done(memory.transfer().transfer);
  memory.run(0, 1, {read(0)});
  BOOST_TEST(memory.core.statistics().prefetches == 1U);
  BOOST_TEST(memory.core.statistics().prefetches_used == 1U);
  memory.run(1, 1, {write(1)});
  BOOST_TEST(memory.core.statistics().prefetches_wasted == 0U);
}

BOOST_AUTO_TEST_CASE(a_prefetch_replaces_only_what_is_clean_and_was_used) {
  Driven modified(tiles({1}));
  modified.run(0, 1, {write(0)});
  modified.prefetch(1, {read(1)});
  BOOST_TEST(modified.commands.empty());
  BOOST_TEST(modified.core.statistics().prefetches_without_room == 1U);

  Driven pinned(tiles({1}));
  pinned.acquire(0, 1, {write(0)});
  pinned.prefetch(1, {read(1)});
  BOOST_TEST(pinned.commands.empty());

  Driven unused(tiles({1}));
  unused.prefetch(1, {read(0)});
  unused.done(unused.transfer().transfer);
  unused.prefetch(1, {read(1)});
  BOOST_TEST(unused.commands.empty());

  Driven clean(tiles({1}));
  clean.run(0, 1, {read(0)});
  clean.prefetch(1, {read(1)});
  BOOST_TEST((clean.transfer().handle == HandleId(1)));
  BOOST_TEST((clean.state(0, 1) == ReplicaState::invalid));
}

BOOST_AUTO_TEST_CASE(a_prefetch_does_not_replace_what_it_names_itself) {
  Driven memory(tiles({2}));
  memory.run(0, 1, {read(0)});
  memory.run(1, 1, {read(1)});
  memory.prefetch(1, {read(2), read(0)});
  BOOST_TEST((memory.state(0, 1) == ReplicaState::shared && memory.state(1, 1) == ReplicaState::invalid));
}

BOOST_AUTO_TEST_CASE(nothing_is_prefetched_to_a_node_that_a_request_waits_for) {
  Driven memory(tiles({3}));
  memory.acquire(0, 1, {write(0)});
  memory.acquire(1, 1, {write(1), write(2), write(3)});
  memory.prefetch(1, {read(4)});
  BOOST_TEST(memory.commands.empty());
  memory.release(0);
  BOOST_TEST((memory.transfer().to == kHost));
}

BOOST_AUTO_TEST_CASE(a_prefetch_under_way_becomes_urgent_when_it_is_waited_for) {
  Driven memory(tiles({2}));
  memory.prefetch(1, {read(0)});
  const TransferId transfer = memory.transfer().transfer;
  memory.acquire(0, 1, {read(0)});
  BOOST_TEST(memory.transfers().empty());
  const auto urgent = memory.all(Kind::urgent);
  BOOST_REQUIRE_EQUAL(urgent.size(), 1U);
  BOOST_TEST((urgent[0].transfer == transfer));
  memory.acquire(1, 1, {read(0)});
  BOOST_TEST(memory.commands.empty());  // The copy is urgent already, so the core has no command to give.
  memory.done(transfer);
  BOOST_TEST((memory.acquired(0) && memory.acquired(1)));
}

BOOST_AUTO_TEST_CASE(hits_misses_loads_and_the_highest_use_are_counted) {
  Driven memory(tiles({2}));
  memory.run(1, 1, {read(0), write(1)});
  memory.run(2, 1, {read(0), read_write(1)});
  memory.run(3, 0, {read(0)});
  memory.run(4, 1, {read(2)});
  const MemoryStatistics& statistics = memory.core.statistics();
  BOOST_TEST(statistics.hits == 2U);
  BOOST_TEST(statistics.misses == 2U);
  BOOST_TEST(statistics.loaded(NodeId(1)).count == 2 * kTile);
  BOOST_TEST(statistics.loaded(kHost).count == 0U);
  BOOST_TEST(statistics.highest_use[1].count == 2 * kTile);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
