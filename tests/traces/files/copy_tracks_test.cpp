#include "traces/files/copy_tracks.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(copy_tracks_of_traces)

namespace {

TimeStamp at(int ns) { return TimeStamp{} + Duration(ns); }

TraceTransfer transfer(unsigned handle, unsigned from, unsigned to, int start, int end) {
  return {HandleId(handle), NodeId(from), NodeId(to), Bytes{8}, at(start), at(end)};
}

BOOST_AUTO_TEST_CASE(copies_of_one_pair_follow_one_another) {
  Trace trace;
  // The second copy was requested while the first one was under way. The third copy was requested much later.
  trace.transfers = {transfer(1, 0, 1, 0, 10), transfer(3, 1, 0, 5, 12), transfer(2, 0, 1, 4, 20),
                     transfer(4, 0, 1, 30, 40)};
  const auto tracks = copy_tracks(trace);
  BOOST_TEST_REQUIRE(tracks.size() == 2U);
  BOOST_TEST((tracks[0].from == NodeId(0) && tracks[0].to == NodeId(1)));
  BOOST_TEST((tracks[1].from == NodeId(1) && tracks[1].to == NodeId(0)));
  BOOST_TEST_REQUIRE(tracks[0].copies.size() == 3U);
  BOOST_TEST((tracks[0].copies[0].start == at(0)));
  BOOST_TEST((tracks[0].copies[1].start == at(10)));
  BOOST_TEST((tracks[0].copies[1].asked == at(4)));
  BOOST_TEST((tracks[0].copies[1].end == at(20)));
  BOOST_TEST((tracks[0].copies[2].start == at(30)));
  BOOST_TEST((tracks[1].copies[0].start == at(5)));
}

BOOST_AUTO_TEST_CASE(tracks_have_the_names_of_their_memories) {
  const CopyTrack track{NodeId(0), NodeId(2), {}};
  BOOST_TEST(track.name({"host", "GPU 0", "GPU 5"}) == "copies host to GPU 5");
  BOOST_TEST(track.name({}) == "copies node 0 to node 2");
}

BOOST_AUTO_TEST_CASE(a_trace_without_copies_has_no_tracks) { BOOST_TEST(copy_tracks({}).empty()); }

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
