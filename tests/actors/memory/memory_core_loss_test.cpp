/// Tests of nodes whose device is lost.
#include <boost/test/unit_test.hpp>

#include "tests/actors/memory/memory_fixture.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(memory_core_loss)

namespace {

using Kind = Command::Kind;

BOOST_AUTO_TEST_CASE(a_lost_node_takes_no_request) {
  Driven memory(tiles({4}));
  memory.lose(1);
  memory.acquire(1, 1, {read(0)});
  const Command* refused = memory.find(Kind::node_lost);
  BOOST_REQUIRE(refused);
  BOOST_TEST((refused->request == RequestId(1) && refused->node == NodeId(1)));
  BOOST_TEST(memory.commands.size() == 1U);
  BOOST_TEST(!memory.acquire_at_once(2, 1, {write(0)}));
  memory.prefetch(1, {read(0)});
  BOOST_TEST(memory.commands.empty());
}

BOOST_AUTO_TEST_CASE(who_waits_there_is_refused) {
  Driven memory(tiles({2}));
  memory.acquire(1, 1, {read(0)});
  memory.acquire(2, 1, {write(1), write(2)});
  memory.lose(1);
  const auto refused = memory.all(Kind::node_lost);
  BOOST_REQUIRE_EQUAL(refused.size(), 2U);
  BOOST_TEST((refused[0].request == RequestId(1) && refused[1].request == RequestId(2)));
  BOOST_TEST(memory.core.waiting().empty());
}

BOOST_AUTO_TEST_CASE(what_others_have_too_is_not_lost) {
  Driven memory(tiles({4, 4}));
  memory.run(1, 1, {write(0)});
  memory.run(2, 2, {read(0)});
  memory.lose(1);
  BOOST_TEST((memory.state(0, 1) == ReplicaState::invalid));
  BOOST_TEST((memory.state(0, 2) == ReplicaState::modified));
  BOOST_TEST(!memory.core.content_lost(HandleId(0)));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
  memory.acquire(3, 0, {read(0)});
  memory.done(memory.transfer().transfer);
  BOOST_TEST(memory.acquired(3));
}

BOOST_AUTO_TEST_CASE(what_it_alone_had_is_lost_until_somebody_overwrites_it) {
  Driven memory(tiles({4, 4}));
  memory.run(1, 1, {write(0)});
  memory.lose(1);
  BOOST_TEST(memory.core.content_lost(HandleId(0)));
  for (const std::uint32_t node : {0U, 2U}) {
    memory.acquire(2, node, {read(1), read_write(0)});
    const Command* refused = memory.find(Kind::content_lost);
    BOOST_REQUIRE(refused);
    BOOST_TEST((refused->request == RequestId(2) && refused->handle == HandleId(0)));
  }
  memory.prefetch(2, {read(0)});
  BOOST_TEST(memory.commands.empty());
  memory.acquire(3, 2, {write(0)});
  BOOST_TEST(memory.acquired(3));
  BOOST_TEST(!memory.core.content_lost(HandleId(0)));
  memory.release(3);
  memory.acquire(4, 0, {read(0)});
  memory.done(memory.transfer().transfer);
  BOOST_TEST(memory.acquired(4));
}

BOOST_AUTO_TEST_CASE(what_was_lost_may_be_discarded) {
  Driven memory(tiles({4, 4}));
  memory.run(1, 1, {write(0)});
  memory.lose(1);
  memory.discard(0);
  BOOST_TEST(!memory.core.content_lost(HandleId(0)));
  BOOST_TEST(memory.acquire_at_once(2, 2, {write(0)}));
}

BOOST_AUTO_TEST_CASE(who_acquires_at_once_what_is_lost_has_to_overwrite_it) {
  Driven memory(tiles({4, 4}));
  memory.run(1, 1, {write(0)});
  memory.lose(1);
  BOOST_TEST(!memory.acquire_at_once(2, 0, {read(0)}));
  BOOST_TEST(memory.acquire_at_once(3, 0, {write(0)}));
  memory.release(3);
  BOOST_TEST(memory.acquire_at_once(4, 0, {read(0)}));
}

BOOST_AUTO_TEST_CASE(what_is_forgotten_is_as_new_even_if_it_was_lost) {
  Driven memory(tiles({4}));
  memory.run(1, 1, {write(0)});
  memory.lose(1);
  memory.forget(0);
  BOOST_TEST(!memory.core.content_lost(HandleId(0)));
  BOOST_TEST((memory.state(0, 0) == ReplicaState::shared));
}

BOOST_AUTO_TEST_CASE(running_tasks_keep_their_memory_until_they_end_and_what_they_wrote_is_lost) {
  Driven memory(tiles({4, 4}));
  memory.acquire(1, 1, {write(0)});
  memory.lose(1);
  BOOST_TEST(!memory.find(Kind::node_lost));
  BOOST_TEST(memory.core.used(NodeId(1)).count == kTile);
  BOOST_TEST(memory.core.content_lost(HandleId(0)));
  memory.acquire(2, 0, {write(0)});
  BOOST_TEST(!memory.acquired(2));
  memory.release(1);
  BOOST_TEST(memory.acquired(2));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
}

BOOST_AUTO_TEST_CASE(a_copy_from_a_lost_node_may_still_end_well) {
  Driven memory(tiles({4, 4}));
  memory.run(1, 1, {write(0)});
  memory.acquire(2, 2, {read(0)});
  const Command copy = memory.transfer();
  memory.lose(1);
  BOOST_TEST(!memory.core.content_lost(HandleId(0)));
  memory.acquire(3, 0, {read(0)});
  BOOST_TEST(!memory.find(Kind::content_lost));
  BOOST_REQUIRE_EQUAL(memory.core.waiting().size(), 2U);
  BOOST_TEST((memory.core.waiting()[0].transfer == copy.transfer));
  memory.done(copy.transfer);
  BOOST_TEST(memory.acquired(2));
  BOOST_TEST((memory.state(0, 2) == ReplicaState::modified));
  memory.done(memory.transfer().transfer);
  BOOST_TEST(memory.acquired(3));
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_copy_from_a_lost_node_is_told_that_the_content_is_lost) {
  Driven memory(tiles({4, 4}));
  memory.run(1, 1, {write(0)});
  memory.acquire(2, 2, {read(0)});
  const Command copy = memory.transfer();
  memory.acquire(3, 0, {write(1), read(0)});
  const Command home = memory.transfer();
  memory.lose(1);
  memory.fail(copy.transfer);
  BOOST_TEST(!memory.find(Kind::content_lost));  // The other transfer may still succeed.
  BOOST_TEST(!memory.find(Kind::failed));
  memory.fail(home.transfer);
  BOOST_TEST(memory.all(Kind::content_lost).size() == 2U);
  BOOST_TEST(memory.core.content_lost(HandleId(0)));
  BOOST_TEST(memory.core.waiting().empty());
  BOOST_TEST(memory.core.used(NodeId(2)).count == 0U);
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_failed_copy_is_served_from_where_another_one_ended_well) {
  Driven memory(tiles({4, 4}));
  memory.run(1, 1, {write(0)});
  memory.acquire(2, 2, {read(0)});
  const Command copy = memory.transfer();
  memory.acquire(3, 0, {read(0)});
  const Command home = memory.transfer();
  memory.lose(1);
  memory.fail(copy.transfer);
  memory.done(home.transfer);
  BOOST_TEST(memory.acquired(3));
  const Command again = memory.transfer();
  BOOST_TEST((again.from == NodeId(0) && again.to == NodeId(2)));
  memory.done(again.transfer);
  BOOST_TEST(memory.acquired(2));
}

BOOST_AUTO_TEST_CASE(a_copy_to_a_lost_node_leaves_nothing_there) {
  for (const bool well : {true, false}) {
    Driven memory(tiles({4}));
    memory.prefetch(1, {read(0)});
    const Command copy = memory.transfer();
    memory.lose(1);
    memory.acquire(1, 0, {write(0)});
    BOOST_TEST(!memory.acquired(1));  // The transfer still reads the data on the host.
    well ? memory.done(copy.transfer) : memory.fail(copy.transfer);
    BOOST_TEST(memory.acquired(1));
    BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
    BOOST_TEST((memory.state(0, 1) == ReplicaState::invalid));
  }
}

BOOST_AUTO_TEST_CASE(a_victim_whose_way_home_is_taken_by_a_lost_node_waits_for_that) {
  Driven memory(tiles({4, 1}));
  memory.run(1, 1, {write(0)});
  memory.acquire(2, 2, {read(0)});
  const Command copy = memory.transfer();
  memory.acquire(3, 0, {read(0)});
  const Command home = memory.transfer();
  memory.lose(1);
  memory.done(copy.transfer);
  memory.release(2);
  memory.acquire(4, 2, {write(1)});
  BOOST_TEST(!memory.find(Kind::failed));
  BOOST_TEST(memory.transfers().empty());
  memory.fail(home.transfer);
  // The request on the host gets the data from node 2. After that, node 1 has a free place.
  BOOST_TEST(memory.end_all(memory.transfers(), 3));
  BOOST_TEST((memory.state(1, 2) == ReplicaState::modified));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
