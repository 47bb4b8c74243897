#include "actors/memory/eviction/eviction.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(eviction)

namespace {

constexpr NodeId kNode{1};
constexpr std::size_t kAll = 1000;
const EvictionPolicy::Candidate kAny = [](HandleId) { return true; };

BOOST_AUTO_TEST_CASE(the_least_recently_used_goes_first) {
  LeastRecentlyUsed policy;
  for (const std::uint64_t id : {7, 3, 5}) policy.inserted(kNode, HandleId(id));
  BOOST_TEST((policy.next_victim(kNode, kAny, kAll) == HandleId(7)));
  policy.touched(kNode, HandleId(7));
  BOOST_TEST((policy.next_victim(kNode, kAny, kAll) == HandleId(3)));
  policy.removed(kNode, HandleId(3));
  BOOST_TEST((policy.next_victim(kNode, kAny, kAll) == HandleId(5)));
}

BOOST_AUTO_TEST_CASE(what_is_no_candidate_is_passed_over) {
  LeastRecentlyUsed policy;
  for (const std::uint64_t id : {1, 2, 3}) policy.inserted(kNode, HandleId(id));
  const auto odd_above_one = [](HandleId handle) { return handle == HandleId(3); };
  BOOST_TEST((policy.next_victim(kNode, odd_above_one, kAll) == HandleId(3)));
  BOOST_TEST(!policy.next_victim(kNode, odd_above_one, 2).valid());
  BOOST_TEST(!policy
                  .next_victim(
                      kNode, [](HandleId) { return false; }, kAll)
                  .valid());
}

BOOST_AUTO_TEST_CASE(nodes_have_lists_of_their_own) {
  LeastRecentlyUsed policy;
  policy.inserted(NodeId(2), HandleId(4));
  policy.inserted(kNode, HandleId(4));
  policy.removed(NodeId(2), HandleId(4));
  BOOST_TEST(!policy.next_victim(NodeId(2), kAny, kAll).valid());
  BOOST_TEST((policy.next_victim(kNode, kAny, kAll) == HandleId(4)));
  BOOST_TEST(!policy.next_victim(NodeId(9), kAny, kAll).valid());
}

BOOST_AUTO_TEST_CASE(a_list_that_was_emptied_can_be_filled_again) {
  LeastRecentlyUsed policy;
  policy.inserted(kNode, HandleId(0));
  policy.removed(kNode, HandleId(0));
  BOOST_TEST(!policy.next_victim(kNode, kAny, kAll).valid());
  policy.inserted(kNode, HandleId(1));
  policy.inserted(kNode, HandleId(0));
  BOOST_TEST((policy.next_victim(kNode, kAny, kAll) == HandleId(1)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
