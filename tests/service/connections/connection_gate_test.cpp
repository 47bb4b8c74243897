#include "service/connections/connection_gate.hpp"

#include <sys/socket.h>

#include <array>
#include <boost/test/unit_test.hpp>

#include "service/connections/refusals.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(connection_gate)

namespace {

using namespace std::chrono_literals;
using Entry = ConnectionGate::Entry;
using platform::FileDescriptor;

const ConnectionGate::Clock::time_point kStart{1h};
const Peer kA{.user = 1000};
const Peer kB{.user = 1001};

struct Pair {
  explicit Pair(int kind = SOCK_STREAM) {
    std::array<int, 2> both{};
    BOOST_REQUIRE(::socketpair(AF_UNIX, kind, 0, both.data()) == 0);
    service = FileDescriptor(both[0]);
    client = FileDescriptor(both[1]);
  }
  FileDescriptor service;
  FileDescriptor client;
};

BOOST_AUTO_TEST_CASE(who_connects_too_often_waits_behind_himself_alone) {
  ConnectionGate gate({.per_second = 10, .burst = 2, .most_waiting = 3});
  std::vector<Pair> pairs(8);
  BOOST_TEST((gate.enter(pairs[0].service, kA, kStart) == Entry::now));
  BOOST_TEST((gate.enter(pairs[1].service, kA, kStart) == Entry::now));
  BOOST_TEST(!gate.next_due().has_value());
  for (std::size_t i = 2; i < 5; ++i) BOOST_TEST((gate.enter(pairs[i].service, kA, kStart) == Entry::waits));
  BOOST_TEST((gate.enter(pairs[5].service, kA, kStart) == Entry::refused));
  BOOST_TEST(pairs[5].service.valid());
  BOOST_TEST((gate.enter(pairs[6].service, kB, kStart) == Entry::now));
  BOOST_TEST((gate.next_due() == kStart + 100ms));
  BOOST_TEST(gate.due(kStart + 50ms).empty());
  // This client has closed its connection, so it does not use its turn.
  pairs[2].client.reset();
  const auto first = gate.due(kStart + 100ms);
  BOOST_REQUIRE(first.size() == 1U);
  BOOST_TEST(first[0].peer.user == kA.user);
  BOOST_TEST(gate.due(kStart + 1h).size() == 1U);
  BOOST_TEST(!gate.next_due().has_value());
}

BOOST_AUTO_TEST_CASE(those_of_one_user_have_a_gap_between_them) {
  ConnectionGate gate({.per_second = 10, .burst = 10, .gap = 5ms});
  std::vector<Pair> pairs(4);
  BOOST_TEST((gate.enter(pairs[0].service, kA, kStart) == Entry::now));
  BOOST_TEST((gate.enter(pairs[1].service, kA, kStart + 1ms) == Entry::waits));
  BOOST_TEST((gate.enter(pairs[2].service, kB, kStart + 1ms) == Entry::now));
  BOOST_TEST((gate.next_due() == kStart + 5ms));
  BOOST_TEST(gate.due(kStart + 5ms).size() == 1U);
  BOOST_TEST((gate.enter(pairs[3].service, kA, kStart + 20ms) == Entry::now));
}

BOOST_AUTO_TEST_CASE(who_has_used_up_his_calls_gets_no_further_connection) {
  ConnectionGate::Clock::time_point ready = kStart;
  ConnectionGate gate({.per_second = 10, .burst = 10}, [&](std::uint32_t user, ConnectionGate::Clock::time_point now) {
    return user == kA.user ? ready : now;
  });
  std::vector<Pair> pairs(4);
  BOOST_TEST((gate.enter(pairs[0].service, kA, kStart) == Entry::now));
  ready = kStart + 300ms;
  BOOST_TEST((gate.enter(pairs[1].service, kA, kStart) == Entry::waits));
  BOOST_TEST((gate.enter(pairs[2].service, kB, kStart) == Entry::now));
  BOOST_TEST((gate.next_due() == kStart + 300ms));
  // The user makes further calls, which delay the next connection.
  ready = kStart + 600ms;
  BOOST_TEST(gate.due(kStart + 300ms).empty());
  BOOST_TEST((gate.next_due() == kStart + 600ms));
  BOOST_TEST(gate.due(kStart + 600ms).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_connection_whose_client_has_gone_costs_nothing) {
  ConnectionGate gate({.per_second = 1, .burst = 1});
  std::vector<Pair> pairs(2);
  pairs[0].client.reset();
  BOOST_TEST((gate.enter(pairs[0].service, kA, kStart) == Entry::gone));
  BOOST_TEST((gate.enter(pairs[1].service, kA, kStart) == Entry::now));
}

BOOST_AUTO_TEST_CASE(connections_whose_clients_have_gone_make_room) {
  ConnectionGate gate({.per_second = 1, .burst = 1, .most_waiting = 2});
  std::vector<Pair> pairs(4);
  BOOST_TEST((gate.enter(pairs[0].service, kA, kStart) == Entry::now));
  BOOST_TEST((gate.enter(pairs[1].service, kA, kStart) == Entry::waits));
  BOOST_TEST((gate.enter(pairs[2].service, kA, kStart) == Entry::waits));
  pairs[2].client.reset();
  BOOST_TEST((gate.enter(pairs[3].service, kA, kStart) == Entry::waits));
}

BOOST_AUTO_TEST_CASE(a_refused_client_that_has_sent_something_reads_why) {
  for (const int kind : {SOCK_STREAM, SOCK_SEQPACKET}) {
    Refusals refusals;
    Pair before(kind);
    Pair after(kind);
    BOOST_REQUIRE(::send(before.client.get(), "hello", 5, MSG_NOSIGNAL) == 5);
    refusals.refuse(std::move(before.service), "too many", kStart);
    refusals.refuse(std::move(after.service), "too many", kStart);
    BOOST_REQUIRE(::send(after.client.get(), "hello", 5, MSG_NOSIGNAL) == 5);
    refusals.look(kStart);
    for (const Pair* pair : {&before, &after}) {
      std::array<char, 64> text{};
      BOOST_TEST(::recv(pair->client.get(), text.data(), text.size(), 0) == 8);
      BOOST_TEST(std::string(text.data()) == "too many");
    }
    before.client.reset();
    refusals.look(kStart);
    BOOST_TEST(!refusals.empty());
    refusals.look(kStart + 1s);
    BOOST_TEST(refusals.empty());
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
