#include "actors/scheduler/policies/affinity.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

namespace affinity {

using tests::HandMadeMachine;

/// One core (node 0) and two GPUs (nodes 1 and 2). The task reads data 1 and 2, modifies data 3 and overwrites data 4.
/// Each piece of data has another power of ten as its size.
struct Fixture {
  Fixture() {
    machine.data_on(1, {0, 1}).data_on(2, {0}).data_on(3, {1}).data_on(4, {2});
    machine.predictions.replicas.set(HandleId(2), NodeId(1), false, true);
  }
  double score(Affinity affinity, std::size_t worker) {
    return affinity(task, machine.workers()[worker], machine.predictions);
  }

  HandMadeMachine machine{1, 2};
  const ReadyTask task = machine.task(
      1, 1,
      {HandMadeMachine::use(1, AccessMode::read, 1), HandMadeMachine::use(2, AccessMode::read, 10),
       HandMadeMachine::use(3, AccessMode::read_write, 100), HandMadeMachine::use(4, AccessMode::write, 1000)});
};

}  // namespace affinity

BOOST_FIXTURE_TEST_SUITE(affinity, Fixture)

BOOST_AUTO_TEST_CASE(written_counts_what_is_written_and_valid_there) {
  BOOST_TEST(score(written_there, 0) == 0);
  BOOST_TEST(score(written_there, 1) == 100);
  BOOST_TEST(score(written_there, 2) == 1000);
}

BOOST_AUTO_TEST_CASE(used_counts_what_is_read_as_well) {
  BOOST_TEST(score(used_there, 0) == 11);
  BOOST_TEST(score(used_there, 1) == 101);
  BOOST_TEST(score(used_there, 2) == 1000);
}

BOOST_AUTO_TEST_CASE(coming_counts_what_is_under_way_as_well) {
  BOOST_TEST(score(coming_there, 0) == 11);
  BOOST_TEST(score(coming_there, 1) == 111);
  BOOST_TEST(score(coming_there, 2) == 1000);
}

BOOST_AUTO_TEST_CASE(all_have_names_and_written_is_the_first) {
  BOOST_TEST(known_affinities().size() == 3U);
  BOOST_TEST(std::string(known_affinities()[0].name) == "written");
  for (const AffinityFunction& known : known_affinities()) {
    BOOST_TEST((known.score != nullptr));
    BOOST_TEST(!known.summary.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
