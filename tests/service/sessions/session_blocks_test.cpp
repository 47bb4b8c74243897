// Tests of a client's divisions of its data, and of what bounds them.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/service/sessions/one_client.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(blocks_of_a_session)

namespace {

/// Blocks without elements, as many as a test needs.
std::vector<Block> empty_blocks(std::size_t count) { return std::vector<Block>(count, Block{0, 0, 0, 1}); }

/// Blocks without a plane, which are boxes.
std::vector<Block> empty_boxes(std::size_t count) { return std::vector<Block>(count, Block{0, 0, 0, 0, 0, 0}); }

struct OneVector : Greeted {
  MappedSegment segment = client.memory().allocate(1 << 20);
  OneVector() { client.register_vector<double>(1, segment, 100); }

  /// Checks that the division is refused, with a message that says `what`.
  template <class Division>
  void refused(const Division& division, const std::string& what) {
    const auto problem = client.reply_to(division);
    BOOST_REQUIRE(problem.has_value());
    BOOST_TEST(problem->code() == "invalid_argument");
    BOOST_TEST_INFO(problem->message());
    BOOST_TEST(contains(problem->message(), what));
  }
};

BOOST_FIXTURE_TEST_CASE(blocks_are_replaced_at_once_or_when_their_whole_is_free, Greeted) {
  BOOST_TEST(!client.open(0, codelet("fill")));
  BOOST_TEST(!client.open(1, codelet("wait_for")));
  const MappedSegment segment = client.memory().allocate(1 << 20);
  client.register_vector<double>(1, segment, 100);
  BOOST_TEST(!client.reply_to(division(1, 20, rows_in_turn(2, 50))));
  client.submit(1, {20});
  BOOST_TEST(!client.reply_to(division(1, 30, rows_in_turn(2, 50), Divides::anew_at_once)));
  const std::uint64_t behind = client.submit(0, {30}, args(3.0));
  BOOST_TEST(client.ended(client.submit(0, {31}, args(4.0))).status() == v1::Ended::SUCCEEDED);
  // A task on the whole is in the way of the next division.
  const std::uint64_t on_whole = client.submit(1, {1});
  const auto problem = client.reply_to(division(1, 40, rows_in_turn(2, 50), Divides::anew_at_once));
  BOOST_REQUIRE(problem.has_value());
  BOOST_TEST(problem->code() == "wait_in_kernel");
  const std::uint64_t kept = client.submit(0, {31}, args(5.0));
  const std::uint64_t request = client.next_request();
  // Blocks that do not cover the whole wait until it is free.
  client.send(
      [&](v1::Operation& operation) { division(1, 40, rows_in_turn(1, 50), Divides::anew)(operation, request); });
  service.gate().open();
  BOOST_TEST(!client.reply(request));
  BOOST_TEST(segment.at<double>(0)[0] == 3.0);
  BOOST_TEST(segment.at<double>(0)[99] == 5.0);
  for (const std::uint64_t task : {behind, on_whole, kept}) {
    BOOST_TEST(client.ended(task).status() == v1::Ended::SUCCEEDED);
  }
  BOOST_TEST(client.ended(client.submit(0, {40}, args(6.0))).status() == v1::Ended::SUCCEEDED);
  // Nobody names the former blocks any more.
  client.submit(0, {31}, args(1.0));
  const auto goodbye = client.goodbye();
  BOOST_REQUIRE(goodbye.has_value());
  BOOST_TEST(contains(goodbye->message(), "tasks.handle"));
}

BOOST_FIXTURE_TEST_CASE(boxes_have_a_bound, OneVector) {
  BOOST_TEST(!client.reply_to(division(1, 100'000, empty_blocks(20'000))));
  refused(division(1, 200'000, empty_boxes(20'000)), "which takes 16384 where there are");
}

BOOST_FIXTURE_TEST_CASE(blocks_that_others_replace_do_not_count, OneVector) {
  BOOST_TEST(!client.reply_to(division(1, 100'000, empty_boxes(900))));
  refused(division(1, 200'000, empty_blocks(16'000)), "16000 more blocks of one whole");
  BOOST_TEST(!client.reply_to(division(1, 300'000, empty_blocks(10), Divides::anew)));
  BOOST_TEST(!client.reply_to(division(1, 400'000, empty_blocks(20'000))));
  BOOST_TEST(!client.reply_to(division(1, 500'000, empty_blocks(10), Divides::anew)));
  BOOST_TEST(!client.reply_to(division(1, 600'000, empty_boxes(16'000), Divides::anew)));
  refused(division(1, 700'000, empty_blocks(1'000)), "which takes 16384 where there are");
}

BOOST_FIXTURE_TEST_CASE(blocks_inside_of_replaced_blocks_count, OneVector) {
  BOOST_TEST(!client.reply_to(division(1, 10, rows_in_turn(1, 100))));
  BOOST_TEST(!client.reply_to(division(10, 100'000, empty_blocks(5'000))));
  BOOST_TEST(!client.reply_to(division(1, 200'000, empty_blocks(3'000), Divides::anew)));
  BOOST_TEST(!client.reply_to(division(200'000, 300'000, empty_blocks(6'000))));
  refused(division(1, 400'000, empty_blocks(3'000), Divides::anew), "pairs with the 9000 that are there");
  // Blocks inside of a released block do not count any more.
  BOOST_TEST(!client.reply_to([](v1::Operation& operation, std::uint64_t request) {
    operation.mutable_release_data()->set_request(request);
    operation.mutable_release_data()->set_handle(200'000);
  }));
  BOOST_TEST(!client.reply_to(division(1, 500'000, empty_blocks(3'000), Divides::anew)));
}

BOOST_FIXTURE_TEST_CASE(blocks_that_wait_to_be_made_count, OneVector) {
  BOOST_TEST(!client.open(0, codelet("wait_for")));
  client.submit(0, {1});
  const std::uint64_t request = client.next_request();
  client.send([&](v1::Operation& operation) { division(1, 100'000, empty_boxes(10'000))(operation, request); });
  refused(division(1, 200'000, empty_blocks(10'000)), "which takes 16384 where there are");
  service.gate().open();
  BOOST_TEST(!client.reply(request));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
