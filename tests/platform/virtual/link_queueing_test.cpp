/// Tests which copies have to wait for which other copies under `LinkNetwork::Queueing::streams`.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "platform/virtual/link_network.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(link_queueing)

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kNodes = 4;
constexpr std::uint64_t kBytes = 1000;  // Moving this number of bytes takes 1 us.

/// A host and three GPUs. Each pair has its own 1 GB/s, so copies only wait because of their order.
struct Machine {
  VirtualTime time;
  LinkNetwork network;
  std::vector<std::string> done;

  explicit Machine(Duration overhead = {}, LinkNetwork::Queueing queueing = LinkNetwork::Queueing::streams)
      : network(time, {}, kNodes, std::vector<LinkNetwork::Route>(kNodes * kNodes, {{}, 1e9, 0ns}), overhead,
                queueing) {}

  CopyId start(const std::string& name, std::size_t from, std::size_t to, bool waited_for = true) {
    return network.start(from, to, Bytes{kBytes}, waited_for, [this, name] {
      done.push_back(name + " " + std::to_string(std::chrono::nanoseconds(time.now()).count()));
    });
  }
  std::vector<std::string> run() {
    while (time.advance()) {
    }
    return done;
  }
};

using Done = std::vector<std::string>;
const auto kPerElement = boost::test_tools::per_element();

BOOST_AUTO_TEST_CASE(nothing_comes_into_either_gpu_beside_a_copy_between_them) {
  Machine machine;
  machine.start("1>2", 1, 2);
  machine.start("host>1", 0, 1);
  machine.start("3>2", 3, 2);
  machine.start("2>1", 2, 1);
  // The last copy waits for the two copies with which it cannot overlap. These two may overlap each other.
  BOOST_TEST(machine.run() == (Done{"1>2 1000", "host>1 2000", "3>2 2000", "2>1 3000"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(other_copies_go_beside_one_between_gpus) {
  Machine machine;
  machine.start("1>2", 1, 2);
  machine.start("1>3", 1, 3);
  machine.start("1>host", 1, 0);
  machine.start("2>host", 2, 0);
  BOOST_TEST(machine.run() == (Done{"1>2 1000", "1>3 1000", "1>host 1000", "2>host 1000"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(copies_between_host_and_gpus_wait_for_their_own_pair_alone) {
  Machine machine;
  machine.start("a", 0, 1);
  machine.start("b", 0, 1);
  machine.start("c", 1, 0);
  machine.start("d", 0, 2);
  BOOST_TEST(machine.run() == (Done{"a 1000", "c 1000", "d 1000", "b 2000"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(without_streams_copies_wait_for_their_own_pair_alone) {
  Machine machine({}, LinkNetwork::Queueing::pairs);
  machine.start("1>2", 1, 2);
  machine.start("host>1", 0, 1);
  machine.start("2>1", 2, 1);
  BOOST_TEST(machine.run() == (Done{"1>2 1000", "host>1 1000", "2>1 1000"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(who_is_waited_for_overtakes_prefetches_that_the_driver_has_not_got) {
  Machine machine;
  for (const char* name : {"p1", "p2", "p3"}) machine.start(name, 0, 1, false);
  machine.run();
  machine.done.clear();
  for (const char* name : {"p1", "p2", "p3", "p4"}) machine.start(name, 0, 1, false);
  machine.start("now", 0, 1, true);
  BOOST_TEST(machine.run() == (Done{"p1 4000", "p2 5000", "now 6000", "p3 7000", "p4 8000"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_prefetch_that_becomes_urgent_goes_before_those_that_the_driver_has_not_got) {
  Machine machine;
  for (const char* name : {"p1", "p2", "p3"}) machine.start(name, 0, 1, false);
  const CopyId last = machine.start("p4", 0, 1, false);
  machine.network.make_urgent(last);
  BOOST_TEST(machine.run() == (Done{"p1 1000", "p2 2000", "p4 3000", "p3 4000"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_later_copy_does_not_overtake_one_that_waits_for_others) {
  Machine machine;
  machine.start("host>1", 0, 1);
  machine.start("1>2", 1, 2);
  machine.start("host>2", 0, 2);
  // GPU 2 is free, but its first copy has to wait for GPU 1.
  BOOST_TEST(machine.run() == (Done{"host>1 1000", "1>2 2000", "host>2 3000"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(the_overhead_passes_before_a_copy_and_not_on_the_way) {
  Machine machine(300ns);
  machine.start("a", 0, 1);
  machine.start("b", 0, 1);
  BOOST_TEST(machine.run() == (Done{"a 1300", "b 2300"}), kPerElement);
  Machine pairs(300ns, LinkNetwork::Queueing::pairs);
  pairs.start("a", 0, 1);
  pairs.start("b", 0, 1);
  BOOST_TEST(pairs.run() == (Done{"a 1300", "b 2600"}), kPerElement);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
