#include "client/remote/connection/service_calls.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "platform/files/file_descriptor.hpp"
#include "tests/client/remote/fake_service.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::remote {

BOOST_AUTO_TEST_SUITE(service_calls)

namespace {

using tests::contains;
using tests::FakeAnswers;
using tests::FakeService;
using tests::TemporaryFolder;

template <class T>
bool fails(const Result<T>& result, ErrorCode code, const std::vector<std::string>& parts) {
  if (result) return false;
  BOOST_TEST_MESSAGE(to_string(result.failure().code) << ": " << result.failure().message);
  if (result.failure().code != code) return false;
  for (const std::string& part : parts) {
    if (!contains(result.failure().message, part)) return false;
  }
  return true;
}

/// Returns a socket that is bound to `path`. The socket listens if `listening` is true.
platform::FileDescriptor bound_socket(const std::string& path, bool listening) {
  platform::FileDescriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  BOOST_REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  if (listening) BOOST_REQUIRE(::listen(fd.get(), 4) == 0);
  return fd;
}

BOOST_AUTO_TEST_CASE(answers_come_as_the_service_gave_them) {
  const TemporaryFolder folder;
  FakeAnswers answers;
  answers.status_reply.set_process(4711);
  answers.status_reply.set_uptime_s(2.5);
  answers.status_reply.set_policy("lws");
  answers.status_reply.set_workers(3);
  answers.status_reply.set_sessions(2);
  answers.status_reply.set_http_address("127.0.0.1:9100");
  v1::Job& job = *answers.jobs_reply.add_jobs();
  job.set_session(7);
  job.set_name("solver");
  job.set_user(1000);
  job.set_process(4712);
  job.set_weight(2);
  job.set_state("running");
  job.set_submitted(100);
  job.set_ended(90);
  job.set_failed(1);
  job.set_worker_s(1.5);
  job.set_memory_bytes(1U << 20U);
  job.set_age_s(60);
  answers.all_jobs_reply = answers.jobs_reply;
  answers.all_jobs_reply.add_jobs()->set_session(8);
  answers.why_reply.set_text("nothing is in flight");
  answers.why_reply.set_json("{}");
  answers.metrics_text = "troupe_up 1\n";
  answers.look_json = R"({"version":"1"})";
  const FakeService service(folder.path(), answers);

  const ServiceCalls calls = ServiceCalls::connect(folder.path()).value_or_throw();
  BOOST_TEST(calls.ping().ok());
  const ServiceStatus status = calls.status().value_or_throw();
  BOOST_TEST(status.version == "1.2.3");
  BOOST_TEST(status.process == 4711);
  BOOST_TEST(status.uptime.count() == 2'500'000'000);
  BOOST_TEST(status.policy == "lws");
  BOOST_TEST(status.workers == 3U);
  BOOST_TEST(status.sessions == 2U);
  BOOST_TEST(status.state == "serving");
  BOOST_TEST(status.http_address == "127.0.0.1:9100");

  const auto jobs = calls.jobs().value_or_throw();
  BOOST_REQUIRE(jobs.size() == 1U);
  BOOST_TEST(jobs[0].id == 7U);
  BOOST_TEST(jobs[0].name == "solver");
  BOOST_TEST(jobs[0].user == 1000U);
  BOOST_TEST(jobs[0].process == 4712);
  BOOST_TEST(jobs[0].weight == 2);
  BOOST_TEST(jobs[0].state == "running");
  BOOST_TEST(jobs[0].submitted == 100U);
  BOOST_TEST(jobs[0].ended == 90U);
  BOOST_TEST(jobs[0].failed == 1U);
  BOOST_TEST(jobs[0].worker_time.count() == 1'500'000'000);
  BOOST_TEST(jobs[0].memory.count == 1U << 20U);
  BOOST_TEST(jobs[0].age.count() == 60'000'000'000);
  BOOST_TEST(calls.jobs(true).value_or_throw().size() == 2U);

  BOOST_TEST(calls.cancel_job(7).value_or_throw() == 17U);
  BOOST_TEST(answers.asked_session == 7U);
  BOOST_TEST(calls.why(9).value_or_throw().text == "nothing is in flight");
  BOOST_TEST(answers.asked_session == 9U);
  BOOST_TEST(calls.why().value_or_throw().json == "{}");
  BOOST_TEST(answers.asked_session == 0U);
  BOOST_TEST(calls.metrics().value_or_throw() == "troupe_up 1\n");
  BOOST_TEST(calls.look().value_or_throw() == R"({"version":"1"})");
}

BOOST_AUTO_TEST_CASE(large_answers_come_through) {
  const TemporaryFolder folder;
  FakeAnswers answers;
  answers.look_json = std::string(9'000'000, 'x');
  const FakeService service(folder.path(), answers);
  const ServiceCalls calls = ServiceCalls::connect(folder.path()).value_or_throw();
  BOOST_TEST(calls.look().value_or_throw().size() == 9'000'000U);
}

BOOST_AUTO_TEST_CASE(without_a_service_the_error_says_how_to_start_one) {
  const TemporaryFolder folder;
  BOOST_TEST(fails(ServiceCalls::connect(folder.path()), ErrorCode::io,
                   {"no service is running", folder.path("service.sock"), "`troupe serve`"}));
  BOOST_TEST(fails(ServiceCalls::connect(folder.path("absent")), ErrorCode::io, {"no service is running"}));
}

BOOST_AUTO_TEST_CASE(a_socket_that_was_left_behind_is_named) {
  const TemporaryFolder folder;
  (void)bound_socket(folder.path("service.sock"), false);
  BOOST_TEST(fails(ServiceCalls::connect(folder.path()), ErrorCode::io,
                   {"no service listens", folder.path("service.sock"), "`troupe serve`"}));
  const TemporaryFolder other;
  other.write("service.sock", "no socket");
  BOOST_TEST(fails(ServiceCalls::connect(other.path()), ErrorCode::io, {"no service listens"}));
}

BOOST_AUTO_TEST_CASE(a_service_that_never_answers_costs_the_deadline_only) {
  const TemporaryFolder folder;
  const auto socket = bound_socket(folder.path("service.sock"), true);
  BOOST_TEST(fails(ServiceCalls::connect(folder.path(), {.deadline = std::chrono::milliseconds(200)}), ErrorCode::io,
                   {folder.path("service.sock"), "did not answer within 0.2 s"}));
}

BOOST_AUTO_TEST_CASE(another_version_of_the_protocol_is_refused) {
  const TemporaryFolder folder;
  FakeAnswers answers;
  answers.status_reply.set_protocol_version(kProtocolVersion + 1);
  const FakeService service(folder.path(), answers);
  BOOST_TEST(fails(ServiceCalls::connect(folder.path()), ErrorCode::platform,
                   {"Troupe 1.2.3", std::to_string(kProtocolVersion + 1), std::to_string(kProtocolVersion)}));
}

BOOST_AUTO_TEST_CASE(what_the_service_refuses_keeps_its_reason) {
  const TemporaryFolder folder;
  FakeAnswers answers;
  const FakeService service(folder.path(), answers);
  const ServiceCalls calls = ServiceCalls::connect(folder.path()).value_or_throw();
  answers.returns = {grpc::StatusCode::NOT_FOUND, "there is no session 5"};
  BOOST_TEST(fails(calls.cancel_job(5), ErrorCode::invalid_argument, {"there is no session 5"}));
  answers.returns = {grpc::StatusCode::PERMISSION_DENIED, "session 5 is another user's"};
  BOOST_TEST(fails(calls.cancel_job(5), ErrorCode::platform, {"session 5 is another user's"}));
  answers.returns = {grpc::StatusCode::UNIMPLEMENTED, ""};
  BOOST_TEST(fails(calls.metrics(), ErrorCode::platform, {"another version"}));
  answers.returns = {grpc::StatusCode::INTERNAL, "a cause"};
  BOOST_TEST(fails(calls.look(), ErrorCode::io, {"a cause"}));
}

BOOST_AUTO_TEST_CASE(a_service_that_goes_fails_the_calls_and_another_can_be_connected_to) {
  const TemporaryFolder folder;
  FakeAnswers answers;
  auto service = std::make_unique<FakeService>(folder.path(), answers);
  const ServiceCalls calls = ServiceCalls::connect(folder.path()).value_or_throw();
  BOOST_TEST(calls.ping().ok());
  service.reset();
  BOOST_TEST(fails(calls.ping(), ErrorCode::io, {folder.path("service.sock")}));
  const FakeService next(folder.path(), answers);
  BOOST_TEST(ServiceCalls::connect(folder.path()).value_or_throw().ping().ok());
}

BOOST_AUTO_TEST_CASE(no_permission_is_said) {
  if (::geteuid() == 0) {
    tests::skip("root may connect to everything");
    return;
  }
  const TemporaryFolder folder;
  const auto socket = bound_socket(folder.path("service.sock"), true);
  BOOST_REQUIRE(::chmod(folder.path("service.sock").c_str(), 0) == 0);
  BOOST_TEST(fails(ServiceCalls::connect(folder.path()), ErrorCode::platform, {"no permission"}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::remote
