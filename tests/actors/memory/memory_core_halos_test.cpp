// Tests of buffers of halo parts: what fills them, and when they are out of date.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/actors/memory/memory_fixture.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(memory_core_halos)

namespace {

using Kind = Command::Kind;

constexpr std::uint64_t kOverlap = 64;
constexpr std::uint64_t kHalo = 100;

/// Returns the uses of a task that reads a halo part, which overlaps these handles.
std::vector<Use> halo_over(const std::vector<std::uint64_t>& handles, std::uint64_t halo = kHalo) {
  std::vector<Use> uses{{HandleId(halo), AccessMode::read, {kTile}, false, HandleId(halo), {}}};
  for (const std::uint64_t handle : handles) {
    uses.push_back({HandleId(handle), AccessMode::read, {kTile}, false, HandleId(halo), {kOverlap}});
  }
  return uses;
}

Driven two_devices(std::uint64_t tiles_each = 8) { return Driven(tiles({tiles_each, tiles_each})); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_buffer_is_filled_with_overlaps_from_where_the_data_are) {
  Driven memory = two_devices();
  memory.run(0, 1, {write(1)});
  memory.run(1, 2, {write(2)});
  memory.acquire(2, 1, halo_over({1, 2, 3}));
  const auto started = memory.transfers();
  BOOST_REQUIRE_EQUAL(started.size(), 3U);
  const std::vector<NodeId> sources{NodeId(1), NodeId(2), kHost};
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST((started[i].handle == HandleId(i + 1) && started[i].halo == HandleId(kHalo)));
    BOOST_TEST((started[i].from == sources[i] && started[i].to == NodeId(1)));
    BOOST_TEST(started[i].bytes.count == kOverlap);
    BOOST_TEST(started[i].waited_for);
  }
  memory.done(started[1].transfer);
  memory.done(started[0].transfer);
  BOOST_TEST(!memory.acquired(2));
  BOOST_TEST((memory.state(kHalo, 1) == ReplicaState::incoming));
  memory.done(started[2].transfer);
  BOOST_TEST(memory.acquired(2));
  // The data themselves have stayed where they were.
  BOOST_TEST((memory.state(2, 2) == ReplicaState::modified && memory.state(2, 1) == ReplicaState::invalid));
  BOOST_TEST((memory.state(3, 1) == ReplicaState::invalid && memory.state(kHalo, 1) == ReplicaState::shared));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 2 * kTile);
  memory.release(2);
}

BOOST_AUTO_TEST_CASE(a_buffer_is_read_again_until_some_of_its_data_are_written) {
  Driven memory = two_devices();
  memory.run(0, 1, halo_over({1, 2}));
  BOOST_TEST(memory.acquire_at_once(1, 1, halo_over({1, 2})));
  memory.release(1);
  // Other data, and readers, leave the buffer as it is.
  memory.run(2, 2, {read(1), write(3)});
  BOOST_TEST(memory.acquire_at_once(3, 1, halo_over({1, 2})));
  memory.release(3);
  memory.run(4, 2, {write(2)});
  BOOST_TEST((memory.state(kHalo, 1) == ReplicaState::invalid));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
  BOOST_TEST(!memory.acquire_at_once(5, 1, halo_over({1, 2})));
  memory.run(5, 1, halo_over({1, 2}));
  // A program that writes on the host outdates it, too.
  memory.run(6, 0, {write(1)});
  BOOST_TEST((memory.state(kHalo, 1) == ReplicaState::invalid));
}

BOOST_AUTO_TEST_CASE(a_buffer_that_is_still_pinned_is_filled_again) {
  Driven memory = two_devices();
  memory.acquire(0, 1, halo_over({1}));
  memory.done(memory.transfer().transfer);
  // The task has ended, and its release lies somewhere.
  memory.run(1, 2, {write(1)});
  BOOST_TEST((memory.state(kHalo, 1) == ReplicaState::invalid));
  memory.acquire(2, 1, halo_over({1}));
  const Command again = memory.transfer();
  BOOST_TEST((again.from == NodeId(2)));
  memory.release(0);
  memory.done(again.transfer);
  BOOST_TEST(memory.acquired(2));
  memory.release(2);
  BOOST_TEST((memory.state(kHalo, 1) == ReplicaState::shared));
}

BOOST_AUTO_TEST_CASE(what_is_written_while_a_buffer_is_filled_is_copied_again) {
  Driven memory = two_devices();
  memory.acquire(0, 1, halo_over({1, 2}));
  const auto first = memory.transfers();
  memory.done(first[0].transfer);
  memory.release(0);  // the task was put back
  memory.acquire(1, 2, {write(1)});
  BOOST_TEST(memory.acquired(1));
  memory.release(1);
  memory.acquire(2, 1, halo_over({1, 2}));
  memory.done(first[1].transfer);
  BOOST_TEST(!memory.acquired(2));
  const auto again = memory.transfers();
  BOOST_REQUIRE_EQUAL(again.size(), 2U);
  BOOST_TEST((again[0].from == NodeId(2) && again[1].from == kHost));
  BOOST_TEST(memory.end_all(again, 2));
}

BOOST_AUTO_TEST_CASE(a_writer_waits_for_copies_into_buffers) {
  Driven memory = two_devices();
  memory.prefetch(1, halo_over({1, 2}));
  const auto copies = memory.transfers();
  memory.acquire(0, 2, {write(2)});
  BOOST_TEST(!memory.acquired(0));
  BOOST_REQUIRE(memory.find(Kind::urgent));
  BOOST_TEST((memory.find(Kind::urgent)->transfer == copies[1].transfer));
  const auto waiting = memory.core.waiting();
  BOOST_REQUIRE_EQUAL(waiting.size(), 1U);
  BOOST_TEST((waiting[0].reason == WaitingRequest::Reason::transfer && waiting[0].handle == HandleId(kHalo)));
  memory.done(copies[1].transfer);
  BOOST_TEST(memory.acquired(0));
  // The copy of handle 2 is out of date, so nobody gets the buffer.
  memory.done(copies[0].transfer);
  BOOST_TEST((memory.state(kHalo, 1) == ReplicaState::invalid));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
}

BOOST_AUTO_TEST_CASE(on_the_host_the_data_come_whole) {
  Driven memory = two_devices();
  memory.run(0, 1, {write(1)});
  memory.acquire(1, 0, halo_over({1, 2}));
  const Command home = memory.transfer();
  BOOST_TEST((home.handle == HandleId(1) && !home.halo.valid()));
  BOOST_TEST(home.bytes.count == kTile);
  memory.done(home.transfer);
  BOOST_TEST(memory.acquired(1));
  memory.release(1);
}

BOOST_AUTO_TEST_CASE(a_failed_overlap_is_tried_from_another_node_and_then_fails_the_readers) {
  Driven memory = two_devices();
  memory.run(0, 2, {read(1)});
  memory.acquire(1, 1, halo_over({1, 2}));
  const auto first = memory.transfers();
  memory.done(first[1].transfer);
  memory.fail(first[0].transfer);
  const Command second = memory.transfer();
  BOOST_TEST((second.handle == HandleId(1) && second.from != first[0].from && second.halo == HandleId(kHalo)));
  memory.fail(second.transfer);
  BOOST_REQUIRE(memory.find(Kind::failed));
  BOOST_TEST((memory.find(Kind::failed)->request == RequestId(1) && memory.find(Kind::failed)->handle == HandleId(1)));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
  BOOST_TEST((memory.state(1, 2) == ReplicaState::shared));
}

BOOST_AUTO_TEST_CASE(loss_of_the_content_is_told_to_readers_without_a_buffer) {
  Driven memory = two_devices();
  memory.run(0, 1, {write(1)});
  memory.run(1, 2, halo_over({1, 2}));
  memory.lose(1);
  // The buffer has what the lost node had.
  BOOST_TEST(memory.acquire_at_once(2, 2, halo_over({1, 2})));
  memory.release(2);
  memory.acquire(3, 2, halo_over({1, 3}, kHalo + 1));
  BOOST_REQUIRE(memory.find(Kind::content_lost));
  BOOST_TEST((memory.find(Kind::content_lost)->handle == HandleId(1)));
  memory.run(4, 2, {write(1)});
  memory.run(5, 2, halo_over({1, 3}, kHalo + 1));
}

BOOST_AUTO_TEST_CASE(a_buffer_waits_until_it_is_known_whether_content_was_saved_from_a_lost_node) {
  for (const bool saved : {true, false}) {
    Driven memory = two_devices();
    memory.run(0, 1, {write(1)});
    memory.acquire(1, 0, {read(1)});
    const Command home = memory.transfer();
    memory.lose(1);
    memory.acquire(2, 2, halo_over({1, 2}));
    BOOST_TEST(memory.transfers().empty());
    BOOST_TEST(!memory.find(Kind::content_lost));
    if (saved) {
      memory.done(home.transfer);
      BOOST_TEST(memory.end_all(memory.transfers(), 2));
    } else {
      memory.fail(home.transfer);
      const auto refused = memory.all(Kind::content_lost);
      BOOST_TEST(std::ranges::count(refused, RequestId(2), &Command::request) == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_reader_whose_overlap_failed_waits_for_another_copy_from_the_lost_node) {
  for (const bool saved : {true, false}) {
    Driven memory = two_devices();
    memory.run(0, 1, {write(1)});
    memory.acquire(1, 0, {read(1)});
    const Command home = memory.transfer();
    memory.acquire(2, 2, halo_over({1}));
    const Command overlap = memory.transfer();
    memory.lose(1);
    memory.fail(overlap.transfer);
    BOOST_TEST(!memory.find(Kind::failed));
    BOOST_TEST(!memory.find(Kind::content_lost));
    if (saved) {
      memory.done(home.transfer);
      const Command again = memory.transfer();
      BOOST_TEST((again.halo == HandleId(kHalo) && again.from == kHost));
      memory.done(again.transfer);
      BOOST_TEST(memory.acquired(2));
      memory.release(2);
    } else {
      memory.fail(home.transfer);
      const auto refused = memory.all(Kind::content_lost);
      BOOST_TEST(std::ranges::count(refused, RequestId(2), &Command::request) == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_request_that_evicts_a_buffer_of_its_own_is_refused_if_the_content_is_lost) {
  Driven memory = two_devices(4);
  memory.run(0, 1, {write(1)});
  // The memory of the second device is in pieces: a tile is free on either side of the buffer.
  memory.acquire(1, 2, {read(2)});
  for (const Command& each : memory.transfers()) memory.done(each.transfer);
  memory.run(2, 2, halo_over({1}));
  memory.release(1);
  memory.lose(1);
  std::vector<Use> uses = halo_over({1});
  uses.push_back({HandleId(9), AccessMode::read, {3 * kTile}, false, {}, {}});
  memory.acquire(3, 2, uses);
  BOOST_REQUIRE(memory.find(Kind::content_lost));
  BOOST_TEST((memory.find(Kind::content_lost)->request == RequestId(3)));
  BOOST_TEST(memory.core.waiting().empty());
}

BOOST_AUTO_TEST_CASE(loss_of_a_node_ends_what_it_fills_and_what_is_filled_from_it) {
  Driven memory = two_devices();
  memory.run(0, 1, {write(1)});
  memory.acquire(1, 1, halo_over({1, 2}));
  const auto own = memory.transfers();
  memory.acquire(2, 2, halo_over({1, 2}, kHalo + 1));
  const auto other = memory.transfers();
  memory.lose(1);
  BOOST_TEST(memory.find(Kind::node_lost));
  for (const Command& each : own) memory.fail(each.transfer);
  memory.done(other[1].transfer);
  memory.fail(other[0].transfer);
  BOOST_REQUIRE(memory.find(Kind::content_lost));
  BOOST_TEST((memory.find(Kind::content_lost)->request == RequestId(2)));
  BOOST_TEST(memory.core.used(NodeId(2)).count == 0U);
}

BOOST_AUTO_TEST_CASE(buffers_leave_a_full_memory_without_a_write_back) {
  Driven memory = two_devices(2);
  memory.run(0, 1, halo_over({1, 2}));
  memory.run(1, 1, {read(5)});
  memory.acquire(2, 1, {read(6), read(5)});
  const Command in = memory.transfer();
  BOOST_TEST((in.handle == HandleId(6)));
  BOOST_TEST((memory.state(kHalo, 1) == ReplicaState::invalid));
  memory.done(in.transfer);
  memory.release(2);
  // Data that a buffer is to be filled with are the last to leave.
  memory.acquire(3, 1, halo_over({5, 7}));
  BOOST_TEST((memory.state(6, 1) == ReplicaState::invalid && memory.state(5, 1) == ReplicaState::shared));
  memory.release(3);
  memory.acquire(4, 2, {read(1), read(2), read(3)});
  BOOST_TEST(memory.find(Kind::cannot_fit));
}

BOOST_AUTO_TEST_CASE(a_buffer_is_prefetched_if_nobody_writes_its_data) {
  Driven memory = two_devices();
  memory.acquire(0, 2, {write(1)});
  memory.prefetch(1, halo_over({1, 2}));
  BOOST_TEST(memory.commands.empty());
  memory.release(0);
  memory.prefetch(1, halo_over({1, 2}));
  const auto started = memory.transfers();
  BOOST_REQUIRE_EQUAL(started.size(), 2U);
  BOOST_TEST(!started[0].waited_for);
  memory.acquire(1, 1, halo_over({1, 2}));
  BOOST_TEST(memory.all(Kind::urgent).size() == 2U);
  for (const Command& each : started) memory.done(each.transfer);
  BOOST_TEST(memory.acquired(1));
  memory.release(1);
  // On the host, prefetching a halo part means its data.
  memory.prefetch(0, halo_over({1, 2}));
  BOOST_TEST(memory.transfer().bytes.count == kTile);
}

BOOST_AUTO_TEST_CASE(a_halo_part_that_overlaps_other_data_now_is_filled_anew) {
  Driven memory = two_devices();
  memory.run(0, 1, halo_over({1}));
  memory.run(1, 0, {write(2)});
  BOOST_TEST(!memory.acquire_at_once(2, 1, halo_over({2, 3})));
  memory.acquire(2, 1, halo_over({2, 3}));
  BOOST_TEST(memory.transfers().size() == 2U);
  BOOST_TEST(memory.end_all(memory.transfers(), 2));
  memory.release(2);
  memory.run(3, 2, {write(1)});
  BOOST_TEST((memory.state(kHalo, 1) == ReplicaState::shared));
  memory.run(4, 2, {write(3)});
  BOOST_TEST((memory.state(kHalo, 1) == ReplicaState::invalid));
}

BOOST_AUTO_TEST_CASE(data_and_halo_parts_are_forgotten_when_their_copies_have_ended) {
  Driven memory = two_devices();
  memory.prefetch(1, halo_over({1, 2}));
  const auto started = memory.transfers();
  memory.forget(kHalo);
  memory.forget(1);
  BOOST_TEST(memory.core.used(NodeId(1)).count == kTile);
  for (const Command& each : started) memory.done(each.transfer);
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
  memory.run(0, 1, halo_over({2, 3}));
  memory.forget(3);
  BOOST_TEST((memory.state(kHalo, 1) == ReplicaState::invalid));
  BOOST_TEST(memory.core.used(NodeId(1)).count == 0U);
}

BOOST_AUTO_TEST_CASE(a_halo_part_without_elements_needs_no_copy) {
  Driven memory = two_devices();
  std::vector<Use> uses = halo_over({});
  uses[0].bytes = Bytes{0};
  memory.acquire(0, 1, uses);
  BOOST_TEST(memory.acquired(0));
  memory.release(0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
