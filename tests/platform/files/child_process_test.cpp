#include "platform/files/child_process.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(child_process)

namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(moves_more_than_any_buffer_holds_in_both_directions) {
  const std::string input(5'000'000, 'x');
  const auto ran = run_child({"cat"}, input, 60s);
  BOOST_TEST_REQUIRE(ran.ok());
  BOOST_TEST(ran.value().exit_status == 0);
  BOOST_TEST((ran.value().output == input));
  BOOST_TEST(ran.value().errors.empty());
}

BOOST_AUTO_TEST_CASE(returns_exit_status_and_errors) {
  const auto ran = run_child({"sh", "-c", "echo wrong >&2; exit 3"}, "", 60s);
  BOOST_TEST_REQUIRE(ran.ok());
  BOOST_TEST(ran.value().exit_status == 3);
  BOOST_TEST(ran.value().errors == "wrong\n");
}

BOOST_AUTO_TEST_CASE(survives_a_program_that_does_not_read) {
  const auto ran = run_child({"true"}, std::string(5'000'000, 'x'), 60s);
  BOOST_TEST_REQUIRE(ran.ok());
  BOOST_TEST(ran.value().exit_status == 0);
}

BOOST_AUTO_TEST_CASE(tells_a_signal_from_an_exit) {
  const auto ran = run_child({"sh", "-c", "kill -TERM $$"}, "", 60s);
  BOOST_TEST_REQUIRE(ran.ok());
  BOOST_TEST(ran.value().exit_status == 128 + 15);
}

BOOST_AUTO_TEST_CASE(says_that_there_is_no_such_program) {
  const auto ran = run_child({"no-such-program-anywhere"}, "", 60s);
  BOOST_TEST_REQUIRE(!ran.ok());
  BOOST_TEST((ran.failure().code == ErrorCode::io));
  BOOST_TEST(tests::contains(ran.failure().message, "no-such-program-anywhere"));
}

BOOST_AUTO_TEST_CASE(ends_a_program_that_takes_too_long) {
  const auto started = std::chrono::steady_clock::now();
  const auto ran = run_child({"sleep", "60"}, "", 1s);
  BOOST_TEST_REQUIRE(!ran.ok());
  BOOST_TEST(tests::contains(ran.failure().message, "still running after 1 s"));
  BOOST_TEST((std::chrono::steady_clock::now() - started < 30s));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
