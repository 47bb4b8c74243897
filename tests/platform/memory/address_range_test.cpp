#include "platform/memory/address_range.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <utility>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(address_range)

BOOST_AUTO_TEST_CASE(ranges_are_apart_however_large_they_are) {
  const Bytes large{std::uint64_t{1} << 38U};
  const Result<AddressRange> a = AddressRange::reserve(large);
  const Result<AddressRange> b = AddressRange::reserve(large);
  BOOST_TEST_REQUIRE(a.ok());
  BOOST_TEST_REQUIRE(b.ok());
  BOOST_TEST((a.value().size() == large));
  const auto first = reinterpret_cast<std::uintptr_t>(a.value().begin());
  const auto second = reinterpret_cast<std::uintptr_t>(b.value().begin());
  BOOST_TEST((first + large.count <= second || second + large.count <= first));
  BOOST_TEST(first % 4096 == 0U);
}

BOOST_AUTO_TEST_CASE(a_range_that_was_moved_is_where_it_was) {
  AddressRange one = AddressRange::reserve({4096}).value_or_throw();
  std::byte* const begin = one.begin();
  AddressRange other = std::move(one);
  BOOST_TEST(other.begin() == begin);
  AddressRange third;
  BOOST_TEST(third.begin() == nullptr);
  third = std::move(other);
  BOOST_TEST(third.begin() == begin);
  BOOST_TEST((third.size() == Bytes{4096}));
}

BOOST_AUTO_TEST_CASE(what_the_system_has_not_is_refused) {
  const Result<AddressRange> refused = AddressRange::reserve({std::uint64_t{1} << 60U});
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST((refused.failure().code == ErrorCode::out_of_memory));
  BOOST_TEST(refused.failure().message.find("1152921504606846976 bytes") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
