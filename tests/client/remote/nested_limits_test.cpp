// Tests of what a service refuses to nested tasks, of their limits, and of clients that go.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/remote/nested_places.hpp"
#include "tests/support/service_client.hpp"
#include "troupe/troupe.h"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(nested_on_a_service)

namespace {

service::ServerOptions with_limits(service::SessionLimits limits) {
  service::ServerOptions options;
  options.limits = limits;
  return options;
}

service::SessionLimits at_most(std::uint64_t tasks, std::uint64_t handles, Bytes memory = {1ULL << 30U}) {
  service::SessionLimits limits;
  limits.tasks = tasks;
  limits.handles = handles;
  limits.memory_per_user = memory;
  return limits;
}

TaskOptions nested(std::string name = {}) {
  TaskOptions options;
  options.nested = true;
  options.name = std::move(name);
  return options;
}

/// A runtime on the service, and data.
struct Client {
  explicit Client(NestedPlaces& places, std::size_t count = 10)
      : runtime(places.connect()), elements(count, 1.0), x(runtime.vector(elements, "x")) {}

  Runtime runtime;
  std::vector<double> elements;
  Vector<double> x;
};

}  // namespace

BOOST_AUTO_TEST_CASE(children_beyond_the_limit_of_tasks_get_an_error_and_the_client_goes_on) {
  NestedPlaces places(with_limits(at_most(50, 1000)));
  Client client(places);
  const Future within = client.runtime.submit(places["many"], {client.x}, args(std::int64_t{50}), nested());
  places.gate().open();
  within.wait();
  client.runtime.wait();
  BOOST_TEST(client.elements[0] == 51);
  places.gate().close();
  const Future beyond = client.runtime.submit(places["many"], {client.x}, args(std::int64_t{51}), nested());
  BOOST_TEST(eventually([&] { return places.codelets().submitted_many() == 2; }));
  places.gate().open();
  BOOST_CHECK_EXCEPTION(beyond.wait(), Error,
                        failure(ErrorCode::out_of_memory, "50 tasks that belong to nested tasks", "limits.tasks"));
  BOOST_CHECK_THROW(client.runtime.wait(), Error);
  client.runtime.submit(places["fill"], {client.x}, args(7.0));
  client.runtime.wait();
  BOOST_TEST(client.elements[0] == 7);
}

BOOST_AUTO_TEST_CASE(handles_and_memory_of_kernels_count_for_the_client) {
  NestedPlaces places(with_limits(at_most(1000, 30, {24ULL << 20U})));
  Client client(places, 40);
  BOOST_CHECK_EXCEPTION(client.runtime.submit(places["divides"], {client.x}, {}, nested()).wait(), Error,
                        failure(ErrorCode::out_of_memory, "40 more of a kernel", "30 (limits.handles)"));
  BOOST_CHECK_THROW(client.runtime.wait(), Error);
  client.runtime.submit(places["fill"], {client.x}, args(1.0));
  client.runtime.submit(places["allocates"], {client.x}, args(std::int64_t{8}), nested());
  client.runtime.wait();
  BOOST_TEST(client.elements[0] == 8);
  BOOST_CHECK_EXCEPTION(
      client.runtime.submit(places["allocates"], {client.x}, args(std::int64_t{25}), nested()).wait(), Error,
      failure(ErrorCode::out_of_memory, "a kernel asked for 1.0 MiB of memory", "limits.memory_per_user"));
  BOOST_CHECK_THROW(client.runtime.wait(), Error);
  // The memory of the kernels is free again.
  client.runtime.submit(places["fill"], {client.x}, args(1.0));
  client.runtime.submit(places["allocates"], {client.x}, args(std::int64_t{12}), nested());
  client.runtime.wait();
  BOOST_TEST(client.elements[0] == 12);
}

BOOST_AUTO_TEST_CASE(children_are_charged_to_the_clients_memory_while_they_are_in_flight) {
  NestedPlaces places(with_limits(at_most(100'000, 1000, {17ULL << 20U})));
  Client client(places);
  const Future task = client.runtime.submit(places["many"], {client.x}, args(std::int64_t{40'000}), nested());
  BOOST_TEST(eventually([&] { return places.codelets().submitted_many() == 1; }));
  places.gate().open();
  BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::out_of_memory, "limits.memory_per_user"));
  BOOST_CHECK_THROW(client.runtime.wait(), Error);
  client.runtime.submit(places["fill"], {client.x}, args(1.0));
  client.runtime.submit(places["many"], {client.x}, args(std::int64_t{100}), nested());
  client.runtime.wait();
  BOOST_TEST(client.elements[0] == 101);
}

BOOST_AUTO_TEST_CASE(a_kernel_of_another_task_is_refused_its_runtime) {
  NestedPlaces places;
  Client client(places);
  for (const char* name : {"plus_inline", "plus_by_halves"}) {
    const Arguments arguments = std::string(name) == "plus_inline" ? args(1.0) : args(1.0, std::int64_t{2});
    BOOST_CHECK_EXCEPTION(client.runtime.submit(places[name], {client.x}, arguments).wait(), Error,
                          failure(ErrorCode::invalid_argument, "submit the task with TaskOptions::nested"));
    BOOST_CHECK_THROW(client.runtime.wait(), Error);
    client.runtime.submit(places["fill"], {client.x}, args(1.0));
  }
}

BOOST_AUTO_TEST_CASE(what_kernels_cannot_do_on_a_service_is_refused_in_words) {
  NestedPlaces places;
  Client client(places, 3);
  const auto refused = [&](const char* name, ErrorCode code, const char* why) {
    BOOST_CHECK_EXCEPTION(client.runtime.submit(places[name], {client.x}, {}, nested()).wait(), Error,
                          failure(code, why));
    BOOST_CHECK_THROW(client.runtime.wait(), Error);
    client.runtime.submit(places["fill"], {client.x}, args(1.0));
    client.runtime.wait();
  };
  refused("records", ErrorCode::wait_in_kernel, "record");
  refused("reports", ErrorCode::no_implementation, "ask the service itself");
  // The checks of the service's codelets hold for children, too.
  refused("child_of_three", ErrorCode::invalid_argument, "three elements are not allowed");
  refused("slow_child", ErrorCode::invalid_argument, "limits.kernel_s");
}

BOOST_AUTO_TEST_CASE(blocks_within_blocks_of_kernels_are_not_deeper_than_those_of_clients) {
  NestedPlaces places;
  Client client(places, 60);
  client.runtime.submit(places["sheds"], {client.x}, {}, nested());
  client.runtime.wait();
  BOOST_TEST(client.elements[59] == 2);
  std::vector<double> more(100, 1.0);
  const auto y = client.runtime.vector(more, "y");
  BOOST_CHECK_EXCEPTION(client.runtime.submit(places["sheds"], {y}, {}, nested()).wait(), Error,
                        failure(ErrorCode::invalid_argument, "64 levels of blocks deep"));
  BOOST_CHECK_THROW(client.runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(why_shows_the_children_that_a_nested_task_waits_for) {
  NestedPlaces places;
  Client client(places);
  const Future task = client.runtime.submit(places["plus_weak"], {}, args(1.0),
                                            {.name = "parent", .nested = true, .weak = {read_write(client.x)}});
  BOOST_TEST(eventually([&] { return places.gate().waiting() == 1; }));
  std::string text;
  BOOST_TEST(eventually([&] {
    text = places.server().why(std::nullopt)->to_text();
    return contains(text, "'parent'");
  }));
  BOOST_TEST_MESSAGE(text);
  BOOST_TEST(contains(text, "'parent' (codelet plus_weak) of session 1 waits for child "), text);
  BOOST_TEST(contains(text, "(codelet gated_plus) of session 1, which runs on worker"), text);
  places.gate().open();
  task.wait();
}

BOOST_AUTO_TEST_CASE(the_end_of_a_client_ends_its_nested_tasks) {
  NestedPlaces places;
  {
    Client client(places);
    client.runtime.submit(places["endless"], {client.x}, {}, nested());
    BOOST_TEST(eventually([&] { return places.codelets().endless() > 10; }));
    client.runtime.cancel();
    BOOST_CHECK_THROW(client.runtime.wait(), Error);
  }
  BOOST_TEST(eventually([&] { return places.empty(); }));
}

BOOST_AUTO_TEST_CASE(a_client_that_dies_leaves_no_children) {
  NestedPlaces places;
  ServiceClient client(places.folder());
  BOOST_REQUIRE(client.hello() != 0);
  const MappedSegment segment = client.memory().allocate(4096);
  client.register_vector<double>(1, segment, 8);
  BOOST_TEST(!client.open(0, places["endless"]));
  client.submit(0, {1}, {}, true);
  BOOST_TEST(eventually([&] { return places.codelets().endless() > 10; }));
  client.disappear();
  BOOST_TEST(eventually([&] { return places.empty(); }));
  const int after = places.codelets().endless();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST(places.codelets().endless() == after);
}

BOOST_AUTO_TEST_CASE(a_message_about_weak_data_that_cannot_be_ends_the_session) {
  NestedPlaces places;
  const auto told = [&](const std::function<void(v1::TaskDetail&)>& spoil) {
    ServiceClient client(places.folder());
    BOOST_REQUIRE(client.hello() != 0);
    BOOST_TEST(!client.open(0, places["plus_weak"]));
    v1::ClientMessage message;
    v1::Tasks& tasks = *message.add_operations()->mutable_tasks();
    ServiceClient::add_task(tasks, 0, {}, args(1.0));
    tasks.set_first(1);
    spoil(*tasks.add_details());
    client.send(message);
    const auto problem = client.goodbye();
    return problem ? problem->message() : std::string();
  };
  std::string text = told([](v1::TaskDetail& detail) { detail.set_weak_mode("12"); });
  BOOST_TEST(contains(text, "tasks.details.weak_mode: 2 modes for 0 handles"), text);
  text = told([](v1::TaskDetail& detail) {
    detail.add_weak(1);
    detail.set_weak_mode(std::string(1, '\0'));
  });
  BOOST_TEST(contains(text, "only nested tasks have weak data"), text);
  text = told([](v1::TaskDetail& detail) {
    detail.set_nested(true);
    detail.add_weak(77);
    detail.set_weak_mode(std::string(1, '\0'));
  });
  BOOST_TEST(contains(text, "tasks.details.weak"), text);
  BOOST_TEST(contains(text, "77"), text);
}

BOOST_AUTO_TEST_CASE(the_time_of_children_is_the_clients) {
  NestedPlaces places;
  Client client(places, 1000);
  places.gate().open();
  for (int i = 0; i < 20; ++i) {
    client.runtime.submit(places["plus_by_halves"], {client.x}, args(1.0, std::int64_t{10}), nested());
  }
  client.runtime.wait();
  BOOST_TEST(client.elements[999] == 21);
  // A worker counts a task a moment after its end has been told.
  BOOST_TEST(eventually([&] {
    const auto clients = places.server().look().runtime.clients;
    return clients.size() == 1 && clients.front().submitted == clients.front().ended;
  }));
  const service::ServiceView view = places.server().look();
  BOOST_REQUIRE(view.runtime.clients.size() == 1U);
  const auto& one = view.runtime.clients.front();
  BOOST_TEST(one.submitted > 20U * 100U);
  BOOST_TEST(one.ready == 0U);
  BOOST_TEST((one.worker_time > Duration{}));
  BOOST_REQUIRE(view.sessions.size() == 1U);
  BOOST_TEST(view.sessions.front().submitted == 20U);
}

BOOST_AUTO_TEST_CASE(a_program_in_c_submits_nested_tasks) {
  NestedPlaces places;
  places.gate().open();
  troupe_runtime* runtime = nullptr;
  BOOST_REQUIRE_MESSAGE(troupe_connect(places.folder().c_str(), "c", &runtime) == TROUPE_OK, troupe_error_message());
  std::vector<double> elements(100, 1.0);
  troupe_data* data = nullptr;
  BOOST_REQUIRE(troupe_register(runtime, TROUPE_DOUBLE, elements.data(), 100, 1, 100, "x", &data) == TROUPE_OK);
  const troupe_mode modes[] = {TROUPE_READ_WRITE};
  const troupe_type types[] = {TROUPE_DOUBLE, TROUPE_INT64};
  troupe_codelet* codelet = nullptr;
  BOOST_REQUIRE(troupe_codelet_declare("plus_by_halves", modes, 1, types, 2, &codelet) == TROUPE_OK);
  troupe_codelet* weak = nullptr;
  BOOST_REQUIRE(troupe_codelet_declare("plus_weak", nullptr, 0, types, 1, &weak) == TROUPE_OK);
  const troupe_access access{troupe_data_handle(data), TROUPE_READ_WRITE};
  const double by = 2;
  const std::int64_t least = 5;
  const troupe_value values[] = {{TROUPE_DOUBLE, &by}, {TROUPE_INT64, &least}};
  troupe_task_options options{};
  options.nested = 1;
  troupe_future future;
  BOOST_REQUIRE_MESSAGE(troupe_submit(runtime, codelet, &access, 1, values, 2, &options, &future) == TROUPE_OK,
                        troupe_error_message());
  BOOST_TEST(troupe_future_wait(future) == TROUPE_OK);
  options.weak = &access;
  options.weak_count = 1;
  BOOST_REQUIRE_MESSAGE(troupe_submit(runtime, weak, nullptr, 0, values, 1, &options, &future) == TROUPE_OK,
                        troupe_error_message());
  BOOST_TEST(troupe_future_wait(future) == TROUPE_OK);
  BOOST_TEST(troupe_wait(runtime) == TROUPE_OK);
  BOOST_TEST(elements[99] == 5);
  troupe_codelet_free(codelet);
  troupe_codelet_free(weak);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
  troupe_data_free(data);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
