#include "service/connections/connection_table.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(connection_table)

namespace {

std::array<int, 2> make_pair() {
  std::array<int, 2> pair{};
  BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) == 0);
  return pair;
}

std::string name(int socket) { return fmt::format("fd:{}", socket); }

BOOST_AUTO_TEST_CASE(a_connection_is_known_until_its_descriptor_means_another_one) {
  ConnectionTable table;
  const auto pair = make_pair();
  BOOST_TEST(table.add(pair[0], {.user = 7}, 10));
  BOOST_REQUIRE(table.find(name(pair[0])).has_value());
  BOOST_TEST(table.find(name(pair[0]))->user == 7U);
  BOOST_TEST(!table.find(name(pair[1])).has_value());
  BOOST_TEST(!table.find("unix:").has_value());
  BOOST_TEST(!table.find("fd:").has_value());
  BOOST_TEST(!table.find(name(pair[0]) + "x").has_value());
  // Another socket gets the old socket's number, but the table must not find it: it was never added.
  const auto other = make_pair();
  BOOST_REQUIRE(::dup2(other[0], pair[0]) == pair[0]);
  BOOST_TEST(!table.find(name(pair[0])).has_value());
  BOOST_TEST(table.add(pair[0], {.user = 8}, 10));
  BOOST_TEST(table.find(name(pair[0]))->user == 8U);
  for (const int socket : {pair[0], pair[1], other[0], other[1]}) ::close(socket);
  BOOST_TEST(!table.find(name(pair[0])).has_value());
  BOOST_TEST(table.size() == 0U);
}

BOOST_AUTO_TEST_CASE(each_user_has_so_many_at_a_time) {
  ConnectionTable table;
  constexpr std::size_t kMost = 1;
  const auto first = make_pair();
  const auto second = make_pair();
  BOOST_TEST(table.add(first[0], {.user = 7}, kMost));
  BOOST_TEST(!table.add(second[0], {.user = 7}, kMost));
  BOOST_TEST(table.add(second[0], {.user = 8}, kMost));
  ::close(first[0]);
  BOOST_TEST(table.add(first[1], {.user = 7}, kMost));
  for (const int socket : {first[1], second[0], second[1]}) ::close(socket);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
