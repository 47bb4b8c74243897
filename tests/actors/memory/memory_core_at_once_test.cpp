/// Working sets that are there already.
#include <boost/test/unit_test.hpp>

#include "tests/actors/memory/memory_fixture.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(memory_core_at_once)

namespace {

BOOST_AUTO_TEST_CASE(what_is_there_is_acquired_at_once_and_without_a_word) {
  Driven memory(tiles({4}));
  memory.run(1, 1, {read(0), read_write(1)});
  BOOST_TEST(memory.acquire_at_once(2, 1, {read(0), read_write(1)}));
  BOOST_TEST(memory.commands.empty());
  memory.acquire(3, 0, {read(1)});
  BOOST_TEST(!memory.acquired(3));  // it is held
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
  BOOST_TEST(!memory.acquire_at_once(2, 1, {write(2)}));  // something would have to go
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
  BOOST_TEST(!memory.acquire_at_once(2, 1, {read(0)}));   // on its way
  BOOST_TEST(!memory.acquire_at_once(2, 0, {write(0)}));  // being read by the copy
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
  memory.acquire(3, 1, {read_write(0)});  // waits for room
  BOOST_TEST(!memory.acquire_at_once(4, 1, {read(1)}));
  BOOST_TEST(!memory.acquire_at_once(5, 2, {read(0)}));
}

BOOST_AUTO_TEST_CASE(what_is_about_to_go_is_kept) {
  Driven memory(tiles({2}));
  memory.run(1, 1, {write(0)});
  memory.run(2, 1, {write(1)});
  memory.acquire(3, 1, {write(2)});  // 0 is written back to make room
  const Command write_back = memory.transfer();
  BOOST_TEST(!memory.acquire_at_once(4, 1, {read(0)}));  // somebody waits on the node
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

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
