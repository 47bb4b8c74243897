// Tests the limits for all clients of one user together.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "service/sessions/session.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/service_client.hpp"

namespace troupe::tests {
namespace {

/// Options with the smallest account per user, so that a single client can use the whole account.
struct SmallAccount {
  static service::ServerOptions options() {
    service::ServerOptions options;
    options.limits.memory_per_user = Bytes{4U << 20U};
    return options;
  }
  RunningService service{options()};
  ServiceClient client{service.folder()};
  MappedSegment segment = client.memory().allocate(1 << 20);

  SmallAccount() {
    client.hello();
    client.open(0, service.codelets()["wait"]);
  }
  void expect_end() {
    const auto goodbye = client.goodbye();
    BOOST_REQUIRE(goodbye.has_value());
    BOOST_TEST_INFO(goodbye->message());
    BOOST_TEST(goodbye->code() == "out_of_memory");
    BOOST_TEST(contains(goodbye->message(), "(limits.memory_per_user)"));
    BOOST_TEST(contains(goodbye->message(), "user " + std::to_string(::getuid())));
  }
};

BOOST_FIXTURE_TEST_SUITE(the_account_of_a_user, SmallAccount)

BOOST_AUTO_TEST_CASE(is_one_for_all_his_clients) {
  ServiceClient other(service.folder());
  const auto reply = other.memory().ask({.kind = wire::MemoryRequestKind::allocate, .size = 4U << 20U});
  BOOST_REQUIRE(reply.has_value());
  BOOST_TEST((reply->error == wire::MemoryError::limit));
  BOOST_TEST_INFO(reply->message());
  BOOST_TEST(contains(reply->message(), "the service lets user " + std::to_string(::getuid()) + " have 4.0 MiB"));
}

BOOST_AUTO_TEST_CASE(pays_for_handles) {
  for (std::uint64_t i = 0; i < 4096; ++i) client.register_vector<double>(i, segment, 1);
  expect_end();
}

BOOST_AUTO_TEST_CASE(pays_for_tasks_and_gets_it_back) {
  service.gate().open();
  for (int i = 0; i < 8; ++i) {
    client.send([&](v1::Operation& operation) {
      operation.mutable_tasks()->set_first(client.next_task());
      for (int task = 0; task < 1000; ++task) operation.mutable_tasks()->add_codelet(0);
    });
    client.next_task() += 1000;
    BOOST_TEST(!client.wait_all());
  }
  client.send([&](v1::Operation& operation) {
    operation.mutable_tasks()->set_first(client.next_task());
    for (int task = 0; task < 8000; ++task) operation.mutable_tasks()->add_codelet(0);
  });
  expect_end();
}

BOOST_AUTO_TEST_CASE(pays_for_what_a_single_task_names) {
  const std::uint64_t first = client.submit(0, {});
  client.send([&](v1::Operation& operation) {
    v1::Tasks& tasks = *operation.mutable_tasks();
    tasks.set_first(client.next_task());
    tasks.add_codelet(0);
    v1::TaskDetail& detail = *tasks.add_details();
    for (int i = 0; i < 60'000; ++i) detail.add_after(first);
  });
  expect_end();
}

BOOST_AUTO_TEST_CASE(pays_for_codelets) {
  client.send([&](v1::Operation& operation) {
    operation.mutable_open_codelet()->set_codelet(1);
    operation.mutable_open_codelet()->set_name("long");
    for (int i = 0; i < 60'000; ++i) operation.mutable_open_codelet()->add_modes(v1::READ);
  });
  expect_end();
}

BOOST_AUTO_TEST_CASE(pays_for_data_that_are_held_what_a_hold_takes) {
  // The account counts an acquisition like a task and all records that belong to the task. If an acquisition counted as
  // 480 bytes, all 3000 acquisitions would be accepted.
  client.register_vector<double>(1, segment, 1);
  for (int i = 0; i < 3000; ++i) {
    client.send([&](v1::Operation& operation) {
      operation.mutable_acquire()->set_request(client.next_request());
      operation.mutable_acquire()->set_handle(1);
      operation.mutable_acquire()->set_mode(v1::READ);
    });
  }
  client.half_close();
  expect_end();
}

BOOST_AUTO_TEST_CASE(pays_for_a_message_before_it_is_read) {
  client.send([&](v1::Operation& operation) {
    for (int i = 0; i < 100'000; ++i) operation.mutable_partition()->add_blocks();
  });
  expect_end();
}

BOOST_AUTO_TEST_CASE(pays_for_partial_results_of_reductions) {
  client.register_vector<double>(0, segment, 1 << 17);
  client.register_vector<double>(1, segment, 10);
  const auto set = [&](std::uint64_t handle) {
    return client.reply_to([&](v1::Operation& operation, std::uint64_t request) {
      operation.mutable_set_reduction()->set_request(request);
      operation.mutable_set_reduction()->set_handle(handle);
      operation.mutable_set_reduction()->set_name("sum");
    });
  };
  BOOST_TEST(!set(1));
  BOOST_TEST(!set(0));
  client.register_vector<double>(2, segment, 1 << 17);
  const auto refused = set(2);
  BOOST_REQUIRE(refused.has_value());
  BOOST_TEST(refused->code() == "out_of_memory");
  BOOST_TEST(contains(refused->message(), "partial results of reductions"));
  BOOST_TEST(!client.reply_to(
      [](v1::Operation& operation, std::uint64_t request) { operation.mutable_release_data()->set_request(request); }));
  BOOST_TEST(!set(2));
}

BOOST_AUTO_TEST_CASE(pays_for_replaced_blocks_that_tasks_use_and_gets_it_back) {
  BOOST_TEST(!client.open(1, service.codelets()["wait_for"]));
  client.register_vector<double>(1, segment, 10);
  std::uint64_t block = 100;
  const auto divide = [&](bool anew) {
    return client.reply_to([&](v1::Operation& operation, std::uint64_t request) {
      v1::Partition& partition = *operation.mutable_partition();
      partition.set_request(request);
      partition.set_whole(1);
      partition.set_anew(anew);
      partition.set_at_once(anew);
      partition.add_blocks()->set_rows(10);
      partition.mutable_blocks(0)->set_cols(1);
      partition.add_handles(++block);
    });
  };
  BOOST_TEST(!divide(false));
  for (int round = 0; round < 4; ++round) {
    service.gate().close();
    const std::uint64_t task = client.submit(1, {block});
    for (int i = 0; i < 800; ++i) BOOST_REQUIRE(!divide(true));
    service.gate().open();
    BOOST_TEST(client.ended(task).status() == v1::Ended::SUCCEEDED);
    BOOST_TEST(!client.wait_all());
  }
  service.gate().close();
  client.submit(1, {block});
  for (int i = 0; i < 4000; ++i) static_cast<void>(divide(true));
  expect_end();
}

BOOST_AUTO_TEST_CASE(makes_the_window_of_tasks_smaller) {
  BOOST_TEST(client.welcome()->most_tasks() < 4096U);
  BOOST_TEST(client.welcome()->most_tasks() > 100U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
