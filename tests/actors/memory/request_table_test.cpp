#include "actors/memory/request_table.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

#include "proto/random.hpp"

namespace troupe::memory {

BOOST_AUTO_TEST_SUITE(request_table)

namespace {

BOOST_AUTO_TEST_CASE(random_requests_are_found_again_until_they_are_removed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      Random random(seed);
      RequestTable table;
      std::map<std::uint64_t, RequestTable::Place> live;
      for (int step = 0; step < 3000; ++step) {
        const std::uint64_t id = random.below(300) * (seed % 2 == 0 ? 1 : 0x100000001ULL);
        const auto known = live.find(id);
        if (known == live.end()) {
          BOOST_REQUIRE_EQUAL(table.find(RequestId(id)), RequestTable::kNone);
          live[id] = table.add(RequestId(id));
        } else {
          BOOST_REQUIRE_EQUAL(table.find(RequestId(id)), known->second);
          BOOST_REQUIRE(table[known->second].id == RequestId(id));
          table.remove(known->second);
          live.erase(known);
        }
      }
      for (const auto& [id, place] : live) BOOST_REQUIRE_EQUAL(table.find(RequestId(id)), place);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::memory
