/// Tests of `bring_home`, which brings data that the program will read to the host.
#include <boost/test/unit_test.hpp>

#include "tests/actors/memory/memory_fixture.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(memory_core_home)

namespace {

using Kind = Command::Kind;

class Homeward : public Driven {
 public:
  using Driven::Driven;
  /// Asks the core to bring the data to the host. The requests get the numbers `first`, `first` + 1, and so on.
  void bring_home(std::uint64_t first, const std::vector<Use>& uses) {
    commands.clear();
    core.bring_home(RequestId(first), uses, commands);
    BOOST_REQUIRE_EQUAL(core.check(), "");
  }
};

BOOST_AUTO_TEST_CASE(what_the_host_does_not_have_is_listed_until_it_has_it) {
  Homeward memory(tiles({4}));
  memory.run(1, 1, {write(0), read(1), write(2)});
  BOOST_TEST(memory.core.away().size() == 2U);
  memory.run(2, 0, {read(2)});
  BOOST_REQUIRE_EQUAL(memory.core.away().size(), 1U);
  BOOST_TEST((memory.core.away()[0] == HandleId(0)));
  memory.forget(0);
  BOOST_TEST(memory.core.away().empty());
}

BOOST_AUTO_TEST_CASE(each_comes_on_its_own_and_nothing_stays_pinned) {
  Homeward memory(tiles({4}));
  memory.run(1, 1, {write(0), write(1)});
  memory.bring_home(10, {read(0), read(1), read(2)});
  const auto copies = memory.transfers();
  BOOST_REQUIRE_EQUAL(copies.size(), 2U);
  BOOST_TEST((memory.acquired(12) && !memory.acquired(10) && !memory.acquired(11)));
  memory.done(copies[1].transfer);
  BOOST_TEST((memory.acquired(11) && !memory.acquired(10)));
  memory.done(copies[0].transfer);
  BOOST_TEST(memory.acquired(10));
  BOOST_TEST((memory.state(0, 0) == ReplicaState::shared && memory.state(0, 1) == ReplicaState::shared));
  memory.acquire(20, 1, {write(0), write(1)});
  BOOST_TEST(memory.acquired(20));
}

BOOST_AUTO_TEST_CASE(what_somebody_writes_meanwhile_is_not_waited_for) {
  Homeward memory(tiles({4}));
  memory.acquire(1, 1, {write(0)});
  memory.bring_home(10, {read(0)});
  BOOST_TEST(memory.acquired(10));
  BOOST_TEST(memory.transfers().empty());
}

BOOST_AUTO_TEST_CASE(nobody_who_waits_for_his_turn_on_the_host_is_in_the_way) {
  Homeward memory(tiles({4, 4}));
  memory.run(1, 1, {write(0), write(1)});
  memory.acquire(2, 1, {write(0)});
  memory.acquire(3, 0, {read(0)});  // Request 3 waits for request 2, which writes the data.
  memory.bring_home(10, {read(1)});
  memory.done(memory.transfer().transfer);
  BOOST_TEST(memory.acquired(10));
}

BOOST_AUTO_TEST_CASE(a_copy_that_is_on_its_way_is_waited_for) {
  Homeward memory(tiles({4}));
  memory.run(1, 1, {write(0)});
  memory.bring_home(10, {read(0)});
  const TransferId copy = memory.transfer().transfer;
  memory.bring_home(11, {read(0)});
  BOOST_TEST(memory.commands.empty());
  memory.done(copy);
  BOOST_TEST((memory.acquired(10) && memory.acquired(11)));
}

BOOST_AUTO_TEST_CASE(a_copy_that_fails_is_a_failure_of_its_own) {
  Homeward memory(tiles({4}));
  memory.run(1, 1, {write(0), write(1)});
  memory.bring_home(10, {read(0), read(1)});
  const auto copies = memory.transfers();
  memory.fail(copies[0].transfer);
  const Command* failed = memory.find(Kind::failed);
  BOOST_REQUIRE(failed);
  BOOST_TEST((failed->request == RequestId(10)));
  memory.done(copies[1].transfer);
  BOOST_TEST(memory.acquired(11));
}

BOOST_AUTO_TEST_CASE(content_that_is_lost_is_said_once_for_each_loss) {
  Homeward memory(tiles({4, 4}));
  memory.run(1, 1, {write(0)});
  memory.lose(1);
  memory.bring_home(10, {read(0)});
  const Command* lost = memory.find(Kind::content_lost);
  BOOST_REQUIRE(lost);
  BOOST_TEST((lost->request == RequestId(10) && lost->handle == HandleId(0)));
  memory.bring_home(11, {read(0)});
  BOOST_TEST(memory.acquired(11));
  memory.run(2, 2, {write(0)});
  memory.lose(2);
  memory.bring_home(12, {read(0)});
  BOOST_TEST(memory.find(Kind::content_lost));
}

BOOST_AUTO_TEST_CASE(what_a_copy_from_a_lost_node_may_still_bring_is_waited_for) {
  for (const bool ends_well : {true, false}) {
    Homeward memory(tiles({4, 4}));
    memory.run(1, 1, {write(0)});
    memory.acquire(2, 2, {read(0)});
    const TransferId copy = memory.transfer().transfer;
    memory.lose(1);
    memory.bring_home(10, {read(0)});
    BOOST_TEST(memory.commands.empty());
    if (!ends_well) {
      memory.fail(copy);
      BOOST_TEST(memory.all(Kind::content_lost).size() == 2U);
      continue;
    }
    memory.done(copy);
    memory.done(memory.transfer().transfer);
    BOOST_TEST(memory.acquired(10));
  }
}

BOOST_AUTO_TEST_CASE(data_that_are_forgotten_before_they_are_asked_for_stay_forgotten) {
  Homeward memory(tiles({4}));
  memory.run(1, 1, {write(0), write(1)});
  memory.forget(0);
  memory.bring_home(10, {read(0), read(1)});
  BOOST_TEST((memory.acquired(10) && !memory.acquired(11)));
  memory.done(memory.transfer().transfer);
  BOOST_TEST(memory.acquired(11));
  BOOST_TEST(memory.core.handles() == 1U);
}

BOOST_AUTO_TEST_CASE(data_may_be_forgotten_while_they_come) {
  Homeward memory(tiles({4}));
  memory.run(1, 1, {write(0)});
  memory.bring_home(10, {read(0)});
  const TransferId copy = memory.transfer().transfer;
  memory.forget(0);
  memory.done(copy);
  BOOST_TEST(memory.acquired(10));
  BOOST_TEST((memory.state(0, 1) == ReplicaState::invalid));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
