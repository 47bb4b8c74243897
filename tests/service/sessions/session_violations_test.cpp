// Tests messages that a client must not send. The service ends the session with a message that names the field. Other
// clients must not be affected.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>

#include "client/remote/connection/protocol_version.hpp"
#include "service/sessions/session.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/service_client.hpp"

namespace troupe::tests {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

struct Service {
  RunningService service;

  /// A client with handle 1 (100 doubles in a segment of 4096 bytes) and the codelets `fill` (0) and `touch` (1).
  struct Prepared {
    explicit Prepared(RunningService& service) : client(service.folder()), segment(client.memory().allocate(4096)) {
      client.hello();
      client.open(0, service.codelets()["fill"]);
      client.open(1, service.codelets()["touch"]);
      client.register_vector<double>(1, segment, 100);
    }
    ServiceClient client;
    MappedSegment segment;
  };

  /// Checks that the operation ends the session with a message that names `field`.
  void check(const std::string& field, const std::function<void(v1::Operation&)>& fill) {
    Prepared prepared(service);
    prepared.client.send(fill);
    expect(prepared.client, field);
  }
  void expect(ServiceClient& client, const std::string& field) {
    const auto goodbye = client.goodbye();
    BOOST_TEST_CONTEXT(field) {
      BOOST_REQUIRE(goodbye.has_value());
      BOOST_TEST_INFO(goodbye->message());
      BOOST_TEST(contains(goodbye->message(), field + ":"));
      BOOST_TEST(goodbye->code() == "invalid_argument");
    }
  }
  /// Checks that the service refuses a registration that is valid before `change` changes it.
  void check_data(const std::string& field, const std::function<void(v1::RegisterData&)>& change) {
    Prepared prepared(service);
    prepared.client.send([&](v1::Operation& operation) {
      v1::RegisterData& data = *operation.mutable_register_data();
      data.set_handle(2);
      data.set_segment(prepared.segment.id());
      data.set_rows(10);
      data.set_cols(10);
      data.set_ld(10);
      data.set_element_size(8);
      change(data);
    });
    expect(prepared.client, "register_data." + field);
  }
  /// Checks that the service refuses two tasks of `fill` that are valid before `change` changes them.
  void check_tasks(const std::string& field, const std::function<void(v1::Tasks&)>& change) {
    check(field, [&](v1::Operation& operation) {
      v1::Tasks& tasks = *operation.mutable_tasks();
      tasks.set_first(1);
      for (int i = 0; i < 2; ++i) ServiceClient::add_task(tasks, 0, {1}, args(1.0));
      change(tasks);
    });
  }
};

BOOST_FIXTURE_TEST_SUITE(violations_of_the_protocol, Service)

BOOST_AUTO_TEST_CASE(the_first_operation_is_hello_once) {
  ServiceClient early(service.folder());
  early.send([](v1::Operation& operation) { operation.mutable_cancel_all(); });
  expect(early, "operations");
  ServiceClient empty(service.folder());
  empty.send(v1::ClientMessage());
  expect(empty, "operations");
  check("hello",
        [](v1::Operation& operation) { operation.mutable_hello()->set_protocol_version(remote::kProtocolVersion); });
  check("operations", [](v1::Operation&) {});
}

BOOST_AUTO_TEST_CASE(a_token_is_needed_and_serves_one_session) {
  const auto with = [&](const std::string& token, const std::string& field) {
    ServiceClient client(service.folder());
    client.send([&](v1::Operation& operation) {
      operation.mutable_hello()->set_protocol_version(remote::kProtocolVersion);
      operation.mutable_hello()->set_token(token);
    });
    expect(client, field);
  };
  with("", "hello.token");
  with(std::string(16, 'x'), "hello.token");
  with(std::string(1000, 'x'), "hello.token");
  ServiceClient first(service.folder());
  BOOST_TEST(first.hello() > 0U);
  with(first.token(), "hello.token");
}

BOOST_AUTO_TEST_CASE(another_version_is_refused_with_both_versions) {
  ServiceClient client(service.folder());
  BOOST_TEST(client.hello("test", 99) == 0U);
  const auto goodbye = client.goodbye();
  BOOST_REQUIRE(goodbye.has_value());
  BOOST_TEST(contains(goodbye->message(), "version " + std::to_string(remote::kProtocolVersion) + " of the protocol"));
  BOOST_TEST(contains(goodbye->message(), "99"));
}

BOOST_AUTO_TEST_CASE(registrations_lie_inside_of_their_segment) {
  check_data("handle", [](v1::RegisterData& data) { data.set_handle(1); });
  check_data("segment", [](v1::RegisterData& data) { data.set_segment(12345); });
  check_data("offset", [](v1::RegisterData& data) { data.set_offset(4096 - 792); });
  check_data("offset", [](v1::RegisterData& data) { data.set_offset(4); });
  check_data("offset", [](v1::RegisterData& data) { data.set_offset(std::numeric_limits<std::uint64_t>::max() - 7); });
  check_data("offset", [](v1::RegisterData& data) { data.set_cols(60); });
  check_data("rows", [](v1::RegisterData& data) { data.set_rows(-1); });
  check_data("cols", [](v1::RegisterData& data) { data.set_cols(-1); });
  check_data("ld", [](v1::RegisterData& data) { data.set_ld(9); });
  check_data("cols", [](v1::RegisterData& data) { data.set_ld(kHuge); });
  check_data("cols", [](v1::RegisterData& data) { data.set_cols(kHuge); });
  check_data("cols", [](v1::RegisterData& data) {
    data.set_rows(0);
    data.set_cols(1LL << 40);
    data.set_ld(1);
  });
  check_data("ld", [](v1::RegisterData& data) { data.set_rows(kHuge); });
  check_data("planes", [](v1::RegisterData& data) { data.set_planes(-1); });
  check_data("plane_stride", [](v1::RegisterData& data) { data.set_plane_stride(-1); });
  check_data("plane_stride", [](v1::RegisterData& data) {
    data.set_planes(2);
    data.set_plane_stride(99);
  });
  check_data("planes", [](v1::RegisterData& data) {
    data.set_planes(kHuge);
    data.set_plane_stride(100);
  });
  check_data("planes", [](v1::RegisterData& data) { data.set_plane_stride(kHuge); });
  check_data("offset", [](v1::RegisterData& data) {
    data.set_planes(6);
    data.set_plane_stride(100);
  });
  check_data("cols", [](v1::RegisterData& data) {
    data.set_rows(0);
    data.set_cols(1 << 13);
    data.set_ld(1);
    data.set_planes(1 << 12);
    data.set_plane_stride(1 << 13);
  });
  check_data("element_size", [](v1::RegisterData& data) { data.set_element_size(0); });
  check_data("element_size", [](v1::RegisterData& data) { data.set_element_size(1U << 31U); });
  check_data("name", [](v1::RegisterData& data) { data.set_name(std::string(1000, 'x')); });
  check_data("name", [](v1::RegisterData& data) { data.set_name("two\nlines"); });
}

BOOST_AUTO_TEST_CASE(columns_of_tasks_fit_one_another) {
  check_tasks("tasks.first", [](v1::Tasks& tasks) { tasks.set_first(2); });
  check_tasks("tasks.first", [](v1::Tasks& tasks) { tasks.set_first(0); });
  check_tasks("tasks.codelet", [](v1::Tasks& tasks) { tasks.set_codelet(1, 77); });
  check_tasks("tasks.accesses", [](v1::Tasks& tasks) { tasks.add_accesses(1); });
  check_tasks("tasks.handle", [](v1::Tasks& tasks) { tasks.add_handle(1); });
  check_tasks("tasks.handle", [](v1::Tasks& tasks) { tasks.set_accesses(0, 0xFFFF'FFFFU); });
  check_tasks("tasks.handle", [](v1::Tasks& tasks) { tasks.set_handle(0, 99); });
  check_tasks("tasks.handle", [](v1::Tasks& tasks) { tasks.clear_accesses(); });
  check_tasks("tasks.arguments", [](v1::Tasks& tasks) { tasks.mutable_arguments()->pop_back(); });
  check_tasks("tasks.arguments", [](v1::Tasks& tasks) { tasks.mutable_arguments()->push_back('x'); });
  check_tasks("tasks.priority", [](v1::Tasks& tasks) { tasks.add_priority(1); });
  check_tasks("tasks.mode", [](v1::Tasks& tasks) { tasks.set_mode("\1"); });
  check_tasks("tasks.mode", [](v1::Tasks& tasks) { tasks.set_mode("\1\x7f"); });
  check_tasks("tasks.mode", [](v1::Tasks& tasks) {
    tasks.set_codelet(0, 1);
    tasks.mutable_arguments()->resize(8);
  });
  check_tasks("tasks.details.task", [](v1::Tasks& tasks) { tasks.add_details()->set_task(2); });
  check_tasks("tasks.details.task", [](v1::Tasks& tasks) {
    tasks.add_details()->set_task(1);
    tasks.add_details()->set_task(1);
  });
  check_tasks("tasks.details.devices", [](v1::Tasks& tasks) { tasks.add_details()->add_devices("cpu"); });
  const auto check_choice = [&](const std::string& field, const std::function<void(v1::DeviceChoice&)>& change) {
    check_tasks("tasks.details.choices" + field,
                [&](v1::Tasks& tasks) { change(*tasks.add_details()->add_choices()); });
  };
  check_choice("", [](v1::DeviceChoice&) {});
  check_choice("", [](v1::DeviceChoice& choice) { choice.add_kinds("cpu core"); });
  check_choice(".kinds", [](v1::DeviceChoice& choice) { choice.add_kinds("cpu"); });
  check_choice(".names", [](v1::DeviceChoice& choice) { choice.add_names(""); });
  check_choice(".names", [](v1::DeviceChoice& choice) { choice.add_names(std::string(999, 'n')); });
  check_choice(".names", [](v1::DeviceChoice& choice) {
    for (int i = 0; i < 17; ++i) choice.add_names("EPYC");
  });
  check_tasks("tasks.details.choices", [](v1::Tasks& tasks) {
    tasks.add_details();
    for (int i = 0; i < 9; ++i) tasks.mutable_details(0)->add_choices()->add_workers(0);
  });
  check_tasks("tasks.details.after", [](v1::Tasks& tasks) { tasks.add_details()->add_after(1); });
  check_tasks("tasks.details.after", [](v1::Tasks& tasks) { tasks.add_details()->add_after(0); });
  check_tasks("tasks.details.name", [](v1::Tasks& tasks) { tasks.add_details()->set_name(std::string(999, 'n')); });
}

BOOST_AUTO_TEST_CASE(codelets_are_described_as_the_protocol_says) {
  const auto with = [&](const std::string& field, const std::function<void(v1::OpenCodelet&)>& change) {
    check("open_codelet." + field, [&](v1::Operation& operation) {
      ServiceClient::describe(service.codelets()["fill"], *operation.mutable_open_codelet());
      operation.mutable_open_codelet()->set_codelet(2);
      change(*operation.mutable_open_codelet());
    });
  };
  with("codelet", [](v1::OpenCodelet& open) { open.set_codelet(3); });
  with("codelet", [](v1::OpenCodelet& open) { open.set_codelet(0); });
  with("name", [](v1::OpenCodelet& open) { open.set_name(std::string(300, 'x')); });
  with("modes", [](v1::OpenCodelet& open) { open.add_modes(static_cast<v1::AccessMode>(17)); });
  with("modes", [](v1::OpenCodelet& open) { open.set_variadic(true); });
  with("arguments.size", [](v1::OpenCodelet& open) { open.mutable_arguments(0)->set_size(0); });
  with("arguments.size", [](v1::OpenCodelet& open) { open.mutable_arguments(0)->set_size(41); });
  with("arguments.alignment", [](v1::OpenCodelet& open) { open.mutable_arguments(0)->set_alignment(3); });
  with("arguments.alignment", [](v1::OpenCodelet& open) { open.mutable_arguments(0)->set_alignment(0); });
  with("arguments", [](v1::OpenCodelet& open) {
    for (int i = 0; i < 5; ++i) *open.add_arguments() = open.arguments(0);
  });
  with("arguments", [](v1::OpenCodelet& open) {
    for (int i = 0; i < 8; ++i) {
      v1::Argument& argument = *open.add_arguments();
      argument.set_size(1);
      argument.set_alignment(1);
    }
  });
  with("parameters.shape",
       [](v1::OpenCodelet& open) { open.mutable_parameters(0)->set_shape(static_cast<v1::Parameter::Shape>(9)); });
}

BOOST_AUTO_TEST_CASE(numbers_mean_something) {
  check("partition.whole", [](v1::Operation& operation) { operation.mutable_partition()->set_whole(9); });
  check("partition.handles", [](v1::Operation& operation) {
    operation.mutable_partition()->set_whole(1);
    operation.mutable_partition()->add_blocks();
  });
  check("partition.handles", [](v1::Operation& operation) {
    operation.mutable_partition()->set_whole(1);
    for (int i = 0; i < 2; ++i) {
      operation.mutable_partition()->add_blocks();
      operation.mutable_partition()->add_handles(7);
    }
  });
  check("partition.anew", [](v1::Operation& operation) {
    operation.mutable_partition()->set_whole(1);
    operation.mutable_partition()->set_halos(true);
    operation.mutable_partition()->set_anew(true);
  });
  check("set_reduction.handle", [](v1::Operation& operation) { operation.mutable_set_reduction()->set_handle(9); });
  check("release_data.handle", [](v1::Operation& operation) { operation.mutable_release_data()->set_handle(9); });
  check("acquire.handle", [](v1::Operation& operation) { operation.mutable_acquire()->set_handle(9); });
  check("acquire.mode", [](v1::Operation& operation) {
    operation.mutable_acquire()->set_handle(1);
    operation.mutable_acquire()->set_mode(static_cast<v1::AccessMode>(-3));
  });
  check("give_back.request", [](v1::Operation& operation) { operation.mutable_give_back()->set_request(9); });
  check("cancel_task.task", [](v1::Operation& operation) { operation.mutable_cancel_task()->set_task(1); });
  check("await.task", [](v1::Operation& operation) { operation.mutable_await()->set_task(1); });
  check("discard.handle", [](v1::Operation& operation) { operation.mutable_discard()->set_handle(9); });
  check("set_reuse.handle", [](v1::Operation& operation) { operation.mutable_set_reuse()->set_handle(9); });
  check("keep.handle", [](v1::Operation& operation) { operation.mutable_keep()->set_handle(9); });
  check("let_go.keep", [](v1::Operation& operation) { operation.mutable_let_go()->set_keep(9); });
  check("end_recording", [](v1::Operation& operation) { operation.mutable_end_recording(); });
  check("drop_recording.recording", [](v1::Operation& operation) { operation.mutable_drop_recording(); });
  check("replay.task", [](v1::Operation& operation) { operation.mutable_replay()->set_task(2); });
  check("replay.recording", [](v1::Operation& operation) { operation.mutable_replay()->set_task(1); });
}

BOOST_AUTO_TEST_CASE(blocks_outside_of_the_whole_are_refused_without_an_end) {
  Prepared prepared(service);
  for (const std::int64_t row : {std::int64_t{-1}, std::int64_t{99}, kHuge}) {
    const auto problem = prepared.client.reply_to([&](v1::Operation& operation, std::uint64_t request) {
      v1::Partition& partition = *operation.mutable_partition();
      partition.set_request(request);
      partition.set_whole(1);
      v1::Block& block = *partition.add_blocks();
      block.set_row(row);
      block.set_rows(2);
      block.set_cols(1);
      partition.add_handles(7);
    });
    BOOST_REQUIRE(problem.has_value());
    BOOST_TEST(problem->code() == "overlapping_handles");
  }
}

BOOST_AUTO_TEST_CASE(blocks_of_blocks_have_an_end) {
  Prepared prepared(service);
  std::uint64_t whole = 1;
  std::uint64_t refused = 0;
  for (std::uint64_t handle = 100; handle < 300 && refused == 0; ++handle) {
    prepared.client.reply_to([&](v1::Operation& operation, std::uint64_t request) {
      v1::Partition& partition = *operation.mutable_partition();
      partition.set_request(request);
      partition.set_whole(whole);
      v1::Block& block = *partition.add_blocks();
      block.set_rows(100);
      block.set_cols(1);
      partition.add_handles(handle);
    });
    whole = handle;
    if (handle - 100 > 70) break;
  }
  expect(prepared.client, "partition.whole");
}

BOOST_AUTO_TEST_CASE(a_block_that_its_whole_conflicts_with_fails_as_a_task) {
  Prepared prepared(service);
  v1::ClientMessage message;
  v1::Tasks& tasks = *message.add_operations()->mutable_tasks();
  tasks.set_first(1);
  ServiceClient::add_task(tasks, 1, {1, 1});
  tasks.set_mode(std::string("\1\1"));
  prepared.client.send(message);
  const v1::Ended ended = prepared.client.ended(1);
  BOOST_TEST(ended.status() == v1::Ended::FAILED);
  BOOST_TEST(ended.problem().code() == "conflicting_access");
}

BOOST_AUTO_TEST_CASE(texts_are_utf_8) {
  ServiceClient client(service.folder());
  client.hello("caf\xe9");
  const auto goodbye = client.goodbye();
  BOOST_REQUIRE(goodbye.has_value());
  BOOST_TEST(contains(goodbye->message(), "UTF-8"));
}

BOOST_AUTO_TEST_SUITE_END()

struct Limited {
  static service::ServerOptions options() {
    service::ServerOptions options;
    options.limits.tasks = 100;
    options.limits.handles = 10;
    options.limits.recorded_tasks = 50;
    options.limits.memory = {1U << 20U};
    options.limits.segments = 4;
    options.sessions_per_user = 2;
    return options;
  }
  RunningService service{options()};
  ServiceClient client{service.folder()};
  MappedSegment segment = client.memory().allocate(4096);

  Limited() {
    client.hello();
    client.open(0, service.codelets()["wait"]);
  }
  void expect_end(const std::string& text) {
    const auto goodbye = client.goodbye();
    BOOST_REQUIRE(goodbye.has_value());
    BOOST_TEST_INFO(goodbye->message());
    BOOST_TEST(contains(goodbye->message(), text));
  }
  void submit(std::uint64_t tasks) {
    client.send([&](v1::Operation& operation) {
      operation.mutable_tasks()->set_first(client.next_task());
      for (std::uint64_t i = 0; i < tasks; ++i) operation.mutable_tasks()->add_codelet(0);
    });
    client.next_task() += tasks;
  }
};

BOOST_FIXTURE_TEST_SUITE(limits_of_a_session, Limited)

BOOST_AUTO_TEST_CASE(the_welcome_says_them) {
  BOOST_TEST(client.welcome()->most_tasks() == 100U);
  BOOST_TEST(client.welcome()->most_handles() == 10U);
  BOOST_TEST(client.welcome()->most_memory() == 1U << 20U);
}

BOOST_AUTO_TEST_CASE(tasks_in_flight) {
  submit(100);
  service.gate().open();
  BOOST_TEST(!client.wait_all());
  service.gate().close();
  submit(100);
  submit(1);
  expect_end("tasks");
}

BOOST_AUTO_TEST_CASE(handles) {
  for (std::uint64_t i = 0; i < 10; ++i) client.register_vector<double>(i, segment, 1);
  BOOST_TEST(!client.reply_to([](v1::Operation& operation, std::uint64_t request) {
    operation.mutable_release_data()->set_request(request);
    operation.mutable_release_data()->set_handle(3);
  }));
  client.register_vector<double>(10, segment, 1);
  BOOST_TEST(!client.wait_all());
  client.register_vector<double>(11, segment, 1);
  expect_end("10 handles");
}

BOOST_AUTO_TEST_CASE(recorded_tasks) {
  client.send([](v1::Operation& operation) { operation.mutable_begin_recording(); });
  client.send([&](v1::Operation& operation) {
    operation.mutable_tasks()->set_first(1);
    for (int i = 0; i < 50; ++i) operation.mutable_tasks()->add_codelet(0);
  });
  expect_end("recorded");
}

BOOST_AUTO_TEST_CASE(runs_of_recordings_count_as_their_tasks) {
  client.send([](v1::Operation& operation) { operation.mutable_begin_recording(); });
  client.send([&](v1::Operation& operation) {
    operation.mutable_tasks()->set_first(1);
    for (int i = 0; i < 45; ++i) operation.mutable_tasks()->add_codelet(0);
  });
  client.reply_to(
      [](v1::Operation& operation, std::uint64_t request) { operation.mutable_end_recording()->set_request(request); });
  const auto replay = [&] {
    client.send([&](v1::Operation& operation) { operation.mutable_replay()->set_task(client.next_task()++); });
  };
  // The last run may exceed the limit; otherwise large recordings could never run.
  for (int i = 0; i < 3; ++i) replay();
  service.gate().open();
  BOOST_TEST(!client.wait_all());
  service.gate().close();
  for (int i = 0; i < 4; ++i) replay();
  expect_end("limits.tasks; those of runs of recordings count");
}

BOOST_AUTO_TEST_CASE(sessions_of_a_user) {
  ServiceClient second(service.folder());
  BOOST_TEST(second.hello() > 0U);
  ServiceClient third(service.folder());
  BOOST_TEST(third.hello() == 0U);
  const auto goodbye = third.goodbye();
  BOOST_REQUIRE(goodbye.has_value());
  BOOST_TEST(contains(goodbye->message(), "2 of one user are the most (limits.clients, limits.clients_per_user)"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
