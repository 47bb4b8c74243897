#include "service/server.hpp"

#include <sys/stat.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <thread>
#include <utility>

#include "client/remote/connection/protocol_version.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/service_client.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/tries.hpp"

namespace troupe::tests {

namespace server {

using namespace std::chrono_literals;

struct Service {
  RunningService service;

  template <class Reply, class Request>
  Reply call(grpc::Status (v1::Troupe::Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
             const Request& request = {}, grpc::StatusCode expected = grpc::StatusCode::OK) {
    const auto stub = stub_at(service.folder());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 1min);
    Reply reply;
    const grpc::Status status = (stub.get()->*method)(&context, request, &reply);
    BOOST_TEST_INFO(status.error_message());
    BOOST_TEST(static_cast<int>(status.error_code()) == static_cast<int>(expected));
    return reply;
  }
  /// Returns the number of tasks that have arrived, if there is exactly one session.
  std::uint64_t submitted() {
    const auto jobs = call(&v1::Troupe::Stub::Jobs);
    return jobs.jobs_size() == 1 ? jobs.jobs(0).submitted() : 0;
  }
};

}  // namespace server

BOOST_FIXTURE_TEST_SUITE(server, Service)

BOOST_AUTO_TEST_CASE(the_sockets_are_their_owner_s) {
  struct stat status {};
  BOOST_REQUIRE(::stat(service.folder().c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777U) == 0700U);
  for (const std::string_view name : {wire::kServiceSocket, wire::kMemorySocket}) {
    BOOST_REQUIRE(::stat((service.folder() + "/" + std::string(name)).c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 0777U) == 0600U);
    BOOST_TEST(S_ISSOCK(status.st_mode));
  }
}

BOOST_AUTO_TEST_CASE(it_says_what_it_is) {
  call(&v1::Troupe::Stub::Ping);
  service.server().set_http_address("127.0.0.1:1");
  const auto status = call(&v1::Troupe::Stub::Status);
  BOOST_TEST(status.protocol_version() == remote::kProtocolVersion);
  BOOST_TEST(status.process() == ::getpid());
  BOOST_TEST(status.workers() == 2U);
  BOOST_TEST(status.state() == "serving");
  BOOST_TEST(status.http_address() == "127.0.0.1:1");
  BOOST_TEST(!status.version().empty());
  call<v1::MetricsReply, v1::MetricsRequest>(&v1::Troupe::Stub::Metrics, {}, grpc::StatusCode::FAILED_PRECONDITION);
  call<v1::LookReply, v1::LookRequest>(&v1::Troupe::Stub::Look, {}, grpc::StatusCode::FAILED_PRECONDITION);
}

BOOST_AUTO_TEST_CASE(sessions_are_listed_explained_and_remembered) {
  std::uint64_t session = 0;
  {
    ServiceClient client(service.folder());
    session = client.hello("solver");
    client.open(0, service.codelets()["wait"]);
    for (int i = 0; i < 5; ++i) client.submit(0, {});
    BOOST_REQUIRE(eventually([&] { return service.gate().waiting() == 2 && submitted() == 5; }));
    const auto jobs = call(&v1::Troupe::Stub::Jobs);
    BOOST_REQUIRE(jobs.jobs_size() == 1);
    BOOST_TEST(jobs.jobs(0).session() == session);
    BOOST_TEST(jobs.jobs(0).name() == "solver");
    BOOST_TEST(jobs.jobs(0).user() == ::getuid());
    BOOST_TEST(jobs.jobs(0).process() == ::getpid());
    BOOST_TEST(jobs.jobs(0).state() == "running");
    BOOST_TEST(jobs.jobs(0).submitted() == 5U);
    v1::WhyRequest request;
    request.set_session(session);
    const auto why = call(&v1::Troupe::Stub::Why, request);
    BOOST_TEST(contains(why.text(), "wait"));
    BOOST_TEST(why.json().starts_with("{"));
    request.set_session(0);
    BOOST_TEST(contains(call(&v1::Troupe::Stub::Why, request).text(), "of session " + std::to_string(session)));
    request.set_session(session + 1);
    call(&v1::Troupe::Stub::Why, request, grpc::StatusCode::NOT_FOUND);
    service.gate().open();
    client.wait_all();
  }
  BOOST_TEST(eventually([&] { return service.empty(); }));
  v1::JobsRequest request;
  BOOST_TEST(call(&v1::Troupe::Stub::Jobs, request).jobs_size() == 0);
  request.set_all(true);
  const auto jobs = call(&v1::Troupe::Stub::Jobs, request);
  BOOST_REQUIRE(jobs.jobs_size() == 1);
  BOOST_TEST(jobs.jobs(0).state() == "lost");
  BOOST_TEST(jobs.jobs(0).ended() == 5U);
  BOOST_TEST(jobs.jobs(0).worker_s() > 0);
}

BOOST_AUTO_TEST_CASE(a_cancelled_job_runs_no_more_tasks) {
  ServiceClient client(service.folder());
  v1::CancelJobRequest request;
  request.set_session(client.hello());
  client.open(0, service.codelets()["wait"]);
  for (int i = 0; i < 10; ++i) client.submit(0, {});
  BOOST_REQUIRE(eventually([&] { return service.gate().waiting() == 2 && submitted() == 10; }));
  BOOST_TEST(call(&v1::Troupe::Stub::CancelJob, request).tasks() == 10U);
  BOOST_REQUIRE(eventually([&] { return call(&v1::Troupe::Stub::Jobs).jobs(0).state() == "cancelled"; }));
  const std::uint64_t later = client.submit(0, {});
  BOOST_TEST(client.ended(later).status() == v1::Ended::CANCELLED);
  BOOST_TEST(contains(client.ended(later).problem().message(), "cancelled by user"));
  service.gate().open();
  const auto problem = client.wait_all();
  BOOST_REQUIRE(problem.has_value());
  BOOST_TEST(contains(problem->message(), "cancelled: the session was cancelled by user "));
  int cancelled = 0;
  for (std::uint64_t task = 1; task <= 10; ++task) {
    cancelled += client.ended(task).status() == v1::Ended::CANCELLED ? 1 : 0;
  }
  BOOST_TEST(cancelled == 8);
  request.set_session(999);
  call(&v1::Troupe::Stub::CancelJob, request, grpc::StatusCode::NOT_FOUND);
}

BOOST_AUTO_TEST_CASE(a_job_that_was_cancelled_before_it_had_tasks_hears_of_it_when_it_waits) {
  ServiceClient client(service.folder());
  v1::CancelJobRequest request;
  request.set_session(client.hello());
  client.open(0, service.codelets()["empty"]);
  BOOST_TEST(!client.wait_all());
  BOOST_TEST(call(&v1::Troupe::Stub::CancelJob, request).tasks() == 0U);
  BOOST_REQUIRE(eventually([&] { return call(&v1::Troupe::Stub::Jobs).jobs(0).state() == "cancelled"; }));
  for (int i = 0; i < 3; ++i) client.submit(0, {});
  const auto problem = client.wait_all();
  BOOST_REQUIRE(problem.has_value());
  BOOST_TEST(problem->code() == "cancelled");
  BOOST_TEST(contains(problem->message(), "3 tasks were cancelled"));
  BOOST_TEST(contains(problem->message(), "cancelled by user"));
  // The failure has been reported and is not reported again.
  BOOST_TEST(!client.wait_all());
}

BOOST_AUTO_TEST_CASE(draining_lets_tasks_end_and_says_goodbye) {
  ServiceClient client(service.folder());
  client.hello();
  client.open(0, service.codelets()["wait"]);
  for (int i = 0; i < 10; ++i) client.submit(0, {});
  BOOST_REQUIRE(eventually([&] { return service.gate().waiting() == 2 && submitted() == 10; }));
  service.server().drain();
  BOOST_TEST(!service.server().wait_until_empty(1ms));
  BOOST_TEST(call(&v1::Troupe::Stub::Status).state() == "draining");
  BOOST_CHECK_THROW(MemoryClient(service.folder()).hello(), std::runtime_error);
  const std::uint64_t later = client.submit(0, {});
  BOOST_TEST(client.ended(later).status() == v1::Ended::CANCELLED);
  BOOST_TEST(client.ended(later).problem().code() == "stopped");
  service.gate().open();
  const auto goodbye = client.goodbye();
  BOOST_REQUIRE(goodbye.has_value());
  BOOST_TEST(goodbye->code() == "stopped");
  for (std::uint64_t task = 1; task <= 10; ++task) {
    BOOST_TEST(client.has_ended(task));
    BOOST_TEST(client.ended(task).status() == v1::Ended::SUCCEEDED);
  }
  BOOST_TEST(service.server().wait_until_empty(1min));
}

BOOST_AUTO_TEST_CASE(what_a_refused_task_or_run_would_have_written_is_not_valid) {
  ServiceClient client(service.folder());
  client.hello();
  client.open(0, service.codelets()["wait"]);
  client.open(1, service.codelets()["fill"]);
  const MappedSegment segment = client.memory().allocate(4096);
  for (std::uint64_t data = 0; data < 4; ++data) client.register_vector<double>(data, segment, 10, 80 * data);
  for (std::uint64_t data = 0; data < 4; ++data) client.submit(1, {data}, args(1.0));
  client.send([](v1::Operation& operation) { operation.mutable_begin_recording()->set_recording(5); });
  client.send([](v1::Operation& operation) {
    operation.mutable_tasks()->set_first(1);
    ServiceClient::add_task(*operation.mutable_tasks(), 1, {1}, args(2.0));
  });
  client.reply_to(
      [](v1::Operation& operation, std::uint64_t request) { operation.mutable_end_recording()->set_request(request); });
  BOOST_TEST(!client.wait_all());
  // This task runs until the gate is open, so the service cannot end before all other messages have been sent.
  client.submit(0, {});
  BOOST_REQUIRE(eventually([&] { return service.gate().waiting() == 1; }));
  service.server().drain();
  const std::uint64_t refused = client.submit(1, {0}, args(2.0));
  std::uint64_t run = 0;
  client.send([&](v1::Operation& operation) {
    v1::Replay& replay = *operation.mutable_replay();
    replay.set_task(run = client.next_task()++);
    replay.set_recording(5);
    replay.add_rebindings()->set_recorded(1);
    replay.mutable_rebindings(0)->set_now(2);
  });
  const auto acquire = [&](std::uint64_t data) {
    return client.reply_to([&](v1::Operation& operation, std::uint64_t request) {
      operation.mutable_acquire()->set_request(request);
      operation.mutable_acquire()->set_handle(data);
      operation.mutable_acquire()->set_mode(v1::READ);
    });
  };
  for (const std::uint64_t data : {0, 2}) {
    const auto problem = acquire(data);
    BOOST_TEST_REQUIRE(problem.has_value());
    BOOST_TEST(problem->code() == "cancelled");
    BOOST_TEST(contains(problem->message(), "no valid content"));
    BOOST_TEST(contains(problem->message(), "is stopping"));
  }
  for (const std::uint64_t data : {1, 3}) BOOST_TEST(!acquire(data));
  BOOST_TEST(client.ended(refused).status() == v1::Ended::CANCELLED);
  BOOST_TEST(client.ended(run).problem().code() == "stopped");
  BOOST_TEST(segment.at<double>()[0] == 1.0);
  service.gate().open();
}

BOOST_AUTO_TEST_CASE(refused_tasks_on_data_that_the_client_holds_wait_until_it_gives_them_back) {
  ServiceClient client(service.folder());
  v1::CancelJobRequest cancel;
  cancel.set_session(client.hello());
  client.open(0, service.codelets()["fill"]);
  const MappedSegment segment = client.memory().allocate(4096);
  client.register_vector<double>(0, segment, 10);
  const std::uint64_t held = client.next_request();
  client.send([&](v1::Operation& operation) {
    operation.mutable_acquire()->set_request(held);
    operation.mutable_acquire()->set_mode(v1::READ_WRITE);
  });
  BOOST_TEST(!client.reply(held));
  call(&v1::Troupe::Stub::CancelJob, cancel);
  BOOST_REQUIRE(eventually([&] { return call(&v1::Troupe::Stub::Jobs).jobs(0).state() == "cancelled"; }));
  for (int i = 0; i < 3; ++i) client.submit(0, {0}, args(1.0));
  client.send([&](v1::Operation& operation) { operation.mutable_give_back()->set_request(held); });
  const auto problem = client.wait_all();
  BOOST_REQUIRE(problem.has_value());
  BOOST_TEST(contains(problem->message(), "3 tasks were cancelled"));
  BOOST_TEST(client.endings() == 3U);
}

BOOST_AUTO_TEST_CASE(cancelling_ends_clients_that_hold_data_or_do_nothing) {
  ServiceClient client(service.folder());
  ServiceClient idle(service.folder());
  idle.hello();
  client.hello();
  client.open(0, service.codelets()["wait_for"]);
  const MappedSegment segment = client.memory().allocate(4096);
  client.register_vector<double>(0, segment, 10);
  const std::uint64_t request = client.next_request();
  client.send([&](v1::Operation& operation) {
    operation.mutable_acquire()->set_request(request);
    operation.mutable_acquire()->set_mode(v1::READ_WRITE);
  });
  BOOST_TEST(!client.reply(request));
  service.server().cancel();
  BOOST_TEST(idle.goodbye()->code() == "stopped");
  BOOST_TEST(client.goodbye()->code() == "stopped");
  BOOST_TEST(service.server().wait_until_empty(1min));
}

BOOST_AUTO_TEST_CASE(a_client_that_reads_nothing_does_not_hold_up_the_end) {
  ServiceClient slow(service.folder());
  slow.hello("slow");
  // Send until unread replies fill the stream. Then the service's next message cannot be sent.
  std::atomic<std::uint32_t> sent{0};
  std::thread sender([&] {
    for (std::uint32_t number = 0; number < 60'000;) {
      v1::ClientMessage batch;
      for (int i = 0; i < 100; ++i, ++number) {
        v1::OpenCodelet& open = *batch.add_operations()->mutable_open_codelet();
        open.set_codelet(number);
        open.set_name(std::string(200, 'x'));
      }
      if (!slow.send(batch)) return;
      sent = number;
    }
  });
  std::uint32_t before = 0;
  BOOST_TEST(eventually([&] {
    // The sender makes no more progress, because the service has stopped reading.
    std::this_thread::sleep_for(100ms);
    return std::exchange(before, sent.load()) == sent && before > 4'000;
  }));
  service.server().cancel();
  BOOST_TEST(service.server().wait_until_empty(30s));
  slow.cancel();
  sender.join();
}

BOOST_AUTO_TEST_CASE(a_client_that_was_killed_is_not_listed_as_done) {
  {
    ServiceClient client(service.folder());
    client.hello("killed");
    BOOST_TEST(!client.wait_all());
  }
  {
    ServiceClient client(service.folder());
    client.hello("orderly");
    BOOST_TEST(!client.wait_all());
    client.half_close();
    client.goodbye();
  }
  BOOST_TEST(eventually([&] { return service.empty(); }));
  v1::JobsRequest request;
  request.set_all(true);
  const auto jobs = call(&v1::Troupe::Stub::Jobs, request);
  BOOST_REQUIRE(jobs.jobs_size() == 2);
  BOOST_TEST(jobs.jobs(0).state() == "lost");
  BOOST_TEST(jobs.jobs(1).state() == "done");
}

BOOST_AUTO_TEST_CASE(memory_comes_back_when_clients_have_gone) {
  if (kSanitized) return skip("the address sanitizer keeps what was freed");
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    file >> pages >> pages;
    return pages * 4096;
  };
  std::uint64_t first = 0;
  for (int i = 0; i < 6; ++i) {
    {
      ServiceClient client(service.folder());
      client.hello();
      const MappedSegment segment = client.memory().allocate(4096);
      v1::ClientMessage message;
      for (std::uint64_t handle = 0; handle < 40'000; ++handle) {
        v1::RegisterData& data = *message.add_operations()->mutable_register_data();
        data.set_handle(handle);
        data.set_segment(segment.id());
        data.set_rows(1);
        data.set_cols(1);
        data.set_ld(1);
        data.set_element_size(1);
      }
      client.send(message);
      BOOST_TEST(!client.wait_all());
    }
    BOOST_TEST(eventually([&] { return service.empty(); }));
    if (i == 0) first = resident();
  }
  BOOST_TEST(resident() < first + (24U << 20U));
}

BOOST_AUTO_TEST_CASE(a_folder_in_use_is_refused_with_the_process) {
  service::ServerOptions options;
  options.folder = service.folder();
  options.inherit_sockets = false;
  options.runtime.cores = 1;
  const auto second = service::Server::start(options, service.codelets());
  BOOST_REQUIRE(!second.ok());
  BOOST_TEST((second.failure().code == ErrorCode::io));
  BOOST_TEST(contains(second.failure().message, "process " + std::to_string(::getpid())));
  call(&v1::Troupe::Stub::Ping);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_grpc_and_silence_harm_nobody) {
  const std::string path = service.folder() + "/" + std::string(wire::kServiceSocket);
  std::vector<platform::FileDescriptor> silent;
  for (int i = 0; i < 20; ++i) {
    const auto garbage = connect_to(path, SOCK_STREAM);
    std::string bytes(5000, static_cast<char>(i * 13));
    ::send(garbage.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    silent.push_back(connect_to(path, SOCK_STREAM));
    // Half of these connections send the beginning of the protocol, and then nothing more.
    if (i % 2 == 0) ::send(silent.back().get(), "PRI * HTTP/2.0\r\n\r\nSM", 20, MSG_NOSIGNAL);
  }
  ServiceClient client(service.folder());
  BOOST_TEST(client.hello() > 0U);
  client.open(0, service.codelets()["empty"]);
  client.submit(0, {});
  BOOST_TEST(!client.wait_all());
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_read_disturbs_nobody) {
  ServiceClient slow(service.folder());
  slow.hello("slow");
  // Each message causes a reply of several hundred bytes, which the client does not read. When too many replies wait,
  // the service stops reading, so the sender blocks, too.
  std::atomic<std::uint32_t> sent{0};
  std::thread sender([&] {
    for (std::uint32_t number = 0; number < 60'000;) {
      v1::ClientMessage batch;
      for (int i = 0; i < 100; ++i, ++number) {
        v1::OpenCodelet& open = *batch.add_operations()->mutable_open_codelet();
        open.set_codelet(number);
        open.set_name(std::string(200, 'x'));
      }
      if (!slow.send(batch)) return;
      sent = number;
    }
  });
  BOOST_TEST(eventually([&] { return sent >= 4'000; }));
  ServiceClient other(service.folder());
  BOOST_TEST(other.hello() > 0U);
  other.open(0, service.codelets()["empty"]);
  for (int i = 0; i < 100; ++i) other.submit(0, {});
  BOOST_TEST(!other.wait_all());
  BOOST_TEST(sent < 60'000U);
  slow.cancel();
  sender.join();
}

BOOST_AUTO_TEST_CASE(connections_have_a_limit_that_closing_frees) {
  service::ServerOptions options;
  options.connections_per_user = 3;
  RunningService limited(options);
  const auto ping = [&] {
    const auto stub = stub_at(limited.folder());
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 1min);
    v1::PingReply reply;
    return stub->Ping(&context, {}, &reply).ok();
  };
  {
    std::vector<std::unique_ptr<v1::Troupe::Stub>> stubs;
    for (int i = 0; i < 3; ++i) {
      stubs.push_back(stub_at(limited.folder()));
      grpc::ClientContext context;
      v1::PingReply reply;
      BOOST_TEST(stubs.back()->Ping(&context, {}, &reply).ok());
    }
    BOOST_TEST(!ping());
  }
  BOOST_TEST(eventually(ping));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
