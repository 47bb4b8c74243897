// Tests several users of one service: the effects of one user on the service and on other users.
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lab/bench/service/raw_calls.hpp"
#include "service/codelets/codelet_library.hpp"
#include "tests/service/as_user.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/service_client.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/tries.hpp"

namespace troupe::tests {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr gid_t kGroup = 61'000;
constexpr uid_t kA = 61'001;
constexpr uid_t kB = 61'002;

/// A source with the codelets that come with Troupe.
class BuiltIn final : public service::CodeletSource {
 public:
  explicit BuiltIn(Gate& /*gate*/) {}
  [[nodiscard]] const service::ServiceCodelet* find(std::string_view name) const override {
    return library_.find(name);
  }

 private:
  service::CodeletLibrary library_;
};

struct Users {
  static service::ServerOptions with_group(service::ServerOptions options = {}) {
    options.group = std::to_string(kGroup);
    return options;
  }
  explicit Users(const service::ServerOptions& options = {}) : service(with_group(options)) {
    ::chmod(std::filesystem::path(service.folder()).parent_path().c_str(), 0755);
  }
  std::unique_ptr<ServiceClient> client_of(uid_t user) const {
    const AsUser as(user, kGroup);
    auto client = std::make_unique<ServiceClient>(service.folder());
    BOOST_REQUIRE(client->hello() > 0U);
    return client;
  }
  std::unique_ptr<v1::Troupe::Stub> stub_of(uid_t user) const {
    const AsUser as(user, kGroup);
    return stub_at(service.folder());
  }
  static grpc::StatusCode ping(v1::Troupe::Stub& stub) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 60s);
    v1::PingReply reply;
    return stub.Ping(&context, v1::PingRequest(), &reply).error_code();
  }
  /// Submits an empty task. Returns the time until its end is reported.
  static Duration time_of_task(ServiceClient& client, std::uint32_t codelet) {
    const auto start = Clock::now();
    const std::uint64_t task = client.submit(codelet, {});
    BOOST_TEST(client.ended(task).status() == v1::Ended::SUCCEEDED);
    return Clock::now() - start;
  }
  void submit_sleeps(ServiceClient& client, int count, std::int64_t ns) const {
    v1::ClientMessage message;
    v1::Tasks& tasks = *message.add_operations()->mutable_tasks();
    tasks.set_first(client.next_task());
    for (int i = 0; i < count; ++i) ServiceClient::add_task(tasks, 0, {}, args(ns));
    client.next_task() += static_cast<std::uint64_t>(count);
    client.send(message);
  }
  /// The worker times of the users A and B.
  struct WorkerTimes {
    Duration a{};
    Duration b{};
  };
  [[nodiscard]] WorkerTimes worker_times() {
    WorkerTimes times;
    for (const auto& session : service.server().look().sessions) {
      (session.user == kA ? times.a : times.b) += session.worker_time;
    }
    return times;
  }

  ServiceWith<BuiltIn> service;
};

bool only_root(const char* why) {
  if (::geteuid() == 0) return true;
  skip(why);
  BOOST_TEST(true);
  return false;
}

constexpr const char* kOnlyRoot = "only root can be several users";

BOOST_AUTO_TEST_SUITE(users_of_a_service)

BOOST_AUTO_TEST_CASE(eight_programs_of_one_get_no_more_than_one_of_another) {
  if (!only_root(kOnlyRoot)) return;
  Users users;
  std::vector<std::unique_ptr<ServiceClient>> clients;
  for (int i = 0; i < 9; ++i) {
    clients.push_back(users.client_of(i == 0 ? kA : kB));
    BOOST_TEST(!clients.back()->open(0, users.service.codelets().find("sleep")->codelet));
  }
  for (auto& client : clients) users.submit_sleeps(*client, 5000, 500'000);
  BOOST_REQUIRE(eventually([&] { return users.worker_times().a > 100ms && users.worker_times().b > 100ms; }));
  const auto before = users.worker_times();
  // On a busy machine a sleep may take much longer than planned. The service corrects this later, so the shares are
  // right at some time. If each program had an equal share, A would only have a ninth.
  double share_of_a = 0;
  const bool fair = eventually([&] {
    const auto now = users.worker_times();
    share_of_a = seconds(now.a - before.a) / std::max(seconds(now.a - before.a + now.b - before.b), 1e-9);
    return now.a - before.a > 600ms && share_of_a > 0.47 && share_of_a < 0.53;
  });
  BOOST_TEST(fair, "A has " << share_of_a);
}

BOOST_AUTO_TEST_CASE(long_kernels_of_one_leave_a_worker_to_another) {
  if (!only_root(kOnlyRoot)) return;
  Users users;
  const auto a = users.client_of(kA);
  const auto b = users.client_of(kB);
  for (const auto& client : {a.get(), b.get()}) {
    BOOST_TEST(!client->open(0, users.service.codelets().find("sleep")->codelet));
    BOOST_TEST(!client->open(1, users.service.codelets().find("nothing")->codelet));
  }
  // The sleeping tasks occupy both workers until the service has learned how long they take.
  users.submit_sleeps(*b, 20, 600'000'000);
  BOOST_REQUIRE(eventually([&] { return users.worker_times().b > 1250ms; }));
  // If no worker were kept free, half of the tasks would have to wait for a sleep. A busy machine delays only a few
  // tasks.
  std::vector<Duration> times;
  for (int i = 0; i < 11; ++i) {
    times.push_back(Users::time_of_task(*a, 1));
    std::this_thread::sleep_for(10ms);
  }
  std::ranges::sort(times);
  BOOST_TEST(seconds(times[times.size() / 2]) < 0.25);
  // The remaining tasks are cancelled, except those that run already.
  b->disappear();
}

BOOST_AUTO_TEST_CASE(mappings_of_one_are_not_those_of_another) {
  if (!only_root(kOnlyRoot)) return;
  service::ServerOptions options;
  options.budgets_per_user[static_cast<std::size_t>(service::Resource::segments)] = 50;
  Users users(options);
  const auto a = users.client_of(kA);
  const auto b = users.client_of(kB);
  std::vector<MappedSegment> segments;
  for (int i = 0; i < 50; ++i) segments.push_back(b->memory().allocate(4096));
  BOOST_CHECK_EXCEPTION((void)b->memory().allocate(4096), std::runtime_error, [](const std::runtime_error& error) {
    return contains(error.what(), "user 61002 has 50 segments of shared memory");
  });
  BOOST_TEST(a->memory().allocate(4096).size() == 4096U);
}

BOOST_AUTO_TEST_CASE(memory_of_one_is_not_that_of_another) {
  if (!only_root(kOnlyRoot)) return;
  service::ServerOptions options;
  options.limits.memory_per_user = Bytes{16ULL << 20U};
  Users users(options);
  const auto a = users.client_of(kA);
  const auto b = users.client_of(kB);
  constexpr std::uint64_t kSize = 4ULL << 20U;
  std::vector<MappedSegment> segments;
  BOOST_CHECK_THROW(while (segments.size() < 5) segments.push_back(b->memory().allocate(kSize)), std::runtime_error);
  BOOST_TEST(segments.size() >= 3U);
  BOOST_TEST(a->memory().allocate(kSize).size() == kSize);
}

BOOST_AUTO_TEST_CASE(held_data_of_one_leave_another_his_requests) {
  if (!only_root(kOnlyRoot)) return;
  service::ServerOptions options;
  options.budgets_per_user[static_cast<std::size_t>(service::Resource::requests)] = 128;
  Users users(options);
  const auto a = users.client_of(kA);
  const auto b = users.client_of(kB);
  const auto acquire = [](ServiceClient& client) {
    return client.reply_to([](v1::Operation& operation, std::uint64_t request) {
      operation.mutable_acquire()->set_request(request);
      operation.mutable_acquire()->set_handle(1);
      operation.mutable_acquire()->set_mode(v1::READ);
    });
  };
  const MappedSegment of_a = a->memory().allocate(4096);
  const MappedSegment of_b = b->memory().allocate(4096);
  a->register_vector<double>(1, of_a, 8);
  b->register_vector<double>(1, of_b, 8);
  for (int i = 0; i < 128; ++i) BOOST_TEST(!acquire(*b));
  // One more acquisition ends the session.
  (void)acquire(*b);
  const auto why = b->goodbye();
  BOOST_REQUIRE(why);
  BOOST_TEST(contains(why->message(), "requests for data that are held or waited for"));
  BOOST_TEST(!acquire(*a));
}

BOOST_AUTO_TEST_CASE(runs_of_recordings_of_one_let_another_work_and_end_with_him) {
  if (!only_root(kOnlyRoot)) return;
  // The runs have a thousand million tasks. To cancel these one by one would take minutes.
  constexpr int kTasks = 100'000;
  constexpr int kRuns = 10'000;
  service::ServerOptions options;
  options.limits.tasks = std::uint64_t{kTasks} * kRuns;
  Users users(options);
  const auto a = users.client_of(kA);
  const auto b = users.client_of(kB);
  BOOST_TEST(!a->open(1, users.service.codelets().find("nothing")->codelet));
  BOOST_TEST(!b->open(0, users.service.codelets().find("sleep")->codelet));
  b->send([](v1::Operation& operation) { operation.mutable_begin_recording()->set_recording(1); });
  b->send([](v1::Operation& operation) {
    operation.mutable_tasks()->set_first(1);
    for (int i = 0; i < kTasks; ++i) {
      ServiceClient::add_task(*operation.mutable_tasks(), 0, {}, args(std::int64_t{2'000'000}));
    }
  });
  BOOST_TEST(!b->reply_to([](v1::Operation& operation, std::uint64_t request) {
    operation.mutable_end_recording()->set_request(request);
  }));
  v1::ClientMessage runs;
  for (int run = 0; run < kRuns; ++run) {
    v1::Replay& replay = *runs.add_operations()->mutable_replay();
    replay.set_recording(1);
    replay.set_task(b->next_task()++);
  }
  b->send(runs);
  BOOST_REQUIRE(eventually([&] { return users.worker_times().b > 50ms; }));
  const auto start = Clock::now();
  for (int i = 0; i < 20; ++i) (void)Users::time_of_task(*a, 1);
  BOOST_TEST((Clock::now() - start < 10s));
  b->disappear();
  BOOST_TEST(eventually([&] { return users.service.server().look().sessions.size() == 1; }));
}

BOOST_AUTO_TEST_CASE(recorded_tasks_of_all_programs_of_a_user_have_one_budget) {
  if (!only_root(kOnlyRoot)) return;
  service::ServerOptions options;
  options.budgets_per_user[static_cast<std::size_t>(service::Resource::recorded_tasks)] = 128;
  Users users(options);
  const auto record = [&](ServiceClient& client, int tasks) {
    BOOST_TEST(!client.open(0, users.service.codelets().find("nothing")->codelet));
    client.send([](v1::Operation& operation) { operation.mutable_begin_recording()->set_recording(1); });
    client.send([&](v1::Operation& operation) {
      operation.mutable_tasks()->set_first(1);
      for (int i = 0; i < tasks; ++i) ServiceClient::add_task(*operation.mutable_tasks(), 0, {});
    });
    return client.reply_to([](v1::Operation& operation, std::uint64_t request) {
      operation.mutable_end_recording()->set_request(request);
    });
  };
  const auto a = users.client_of(kA);
  const auto b = users.client_of(kB);
  const auto other_of_b = users.client_of(kB);
  BOOST_TEST(!record(*b, 100));
  (void)record(*other_of_b, 100);
  const auto why = other_of_b->goodbye();
  BOOST_REQUIRE(why);
  BOOST_TEST(contains(why->message(), "tasks in recordings"), why->message());
  BOOST_TEST(!record(*a, 100));
}

BOOST_AUTO_TEST_CASE(threads_of_one_are_not_those_of_another) {
  if (!only_root(kOnlyRoot)) return;
  service::ServerOptions options;
  // A memory connection and a session need one thread each.
  options.budgets_per_user[static_cast<std::size_t>(service::Resource::threads)] = 3;
  Users users(options);
  const auto b = users.client_of(kB);
  {
    const AsUser as(kB, kGroup);
    ServiceClient second(users.service.folder());
    BOOST_TEST(second.hello() == 0U);
    const auto why = second.goodbye();
    BOOST_REQUIRE(why);
    BOOST_TEST(contains(why->message(), "threads of the service"), why->message());
  }
  BOOST_TEST(users.client_of(kA)->welcome().has_value());
}

BOOST_AUTO_TEST_CASE(who_says_a_lot_is_read_slowly_while_others_are_there) {
  if (!only_root(kOnlyRoot)) return;
  Users users;
  const auto b = users.client_of(kB);
  const MappedSegment segment = b->memory().allocate(4096);
  b->register_vector<double>(1, segment, 8);
  v1::ClientMessage many;
  for (int i = 0; i < 20'000; ++i) {
    many.add_operations()->mutable_set_reuse()->set_handle(1);
    many.mutable_operations(i)->mutable_set_reuse()->set_index(i);
  }
  constexpr int kMessages = kSanitized ? 4 : 100;
  const auto processor_time = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto say_all = [&] {
    for (int i = 0; i < kMessages; ++i) b->send(many);
    BOOST_TEST(!b->wait_all());
  };
  const Duration before = processor_time();
  say_all();
  const Duration alone = processor_time() - before;
  const auto a = users.client_of(kA);
  const auto start = Clock::now();
  say_all();
  // The user has an eighth of two cores. A busy machine can only make the user slower.
  BOOST_TEST(seconds(Clock::now() - start) > 2 * seconds(alone));
}

BOOST_AUTO_TEST_CASE(answers_that_one_does_not_read_are_counted_as_his) {
  if (!only_root(kOnlyRoot)) return;
  service::ServerOptions options;
  options.metrics_text = [](const service::ServiceViewSource&) { return std::string(std::size_t{1} << 20U, 'm'); };
  options.unread_answers = Bytes{std::uint64_t{3} << 20U};
  Users users(options);
  const auto a = users.stub_of(kA);
  const auto b = users.stub_of(kB);
  platform::FileDescriptor unread;
  {
    const AsUser as(kB, kGroup);
    unread = connect_to(users.service.folder() + "/" + std::string(wire::kServiceSocket), SOCK_STREAM);
  }
  bench::send_raw(unread, bench::raw_calls("Metrics", 10));
  const auto status_of_ping = [](v1::Troupe::Stub& stub) {
    grpc::ClientContext context;
    v1::PingReply reply;
    return stub.Ping(&context, v1::PingRequest(), &reply);
  };
  grpc::Status refused;
  BOOST_TEST(eventually([&] {
    refused = status_of_ping(*b);
    return !refused.ok();
  }));
  BOOST_TEST(contains(refused.error_message(), "(limits.unread_answers)"), refused.error_message());
  BOOST_TEST(status_of_ping(*a).ok());
  // When the connection is closed, its unread replies no longer count.
  unread.reset();
  BOOST_TEST(eventually([&] { return status_of_ping(*b).ok(); }));
}

BOOST_AUTO_TEST_CASE(calls_that_there_are_not_count_as_others_do) {
  if (!only_root(kOnlyRoot)) return;
  service::ServerOptions options;
  options.calls_per_second = 20;
  Users users(options);
  platform::FileDescriptor calling;
  {
    const AsUser as(kB, kGroup);
    calling = connect_to(users.service.folder() + "/" + std::string(wire::kServiceSocket), SOCK_STREAM);
  }
  bench::send_raw(calling, bench::raw_calls("Nothing", 300));
  // After twenty calls and a hundred refusals, the service closes the connection.
  BOOST_TEST(eventually([&] {
    std::array<char, 4096> answer;
    ssize_t got = 0;
    do {
      got = ::recv(calling.get(), answer.data(), answer.size(), MSG_DONTWAIT);
    } while (got > 0);
    return got == 0;
  }));
}

/// A call of the service that is answered at once.
using Call = std::function<grpc::StatusCode(v1::Troupe::Stub&)>;

template <class Request, class Reply>
Call call_of(grpc::Status (v1::Troupe::Stub::*method)(grpc::ClientContext*, const Request&, Reply*)) {
  return [method](v1::Troupe::Stub& stub) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + 60s);
    Reply reply;
    return (stub.*method)(&context, Request(), &reply).error_code();
  };
}

BOOST_AUTO_TEST_CASE(who_calls_without_end_is_told_and_loses_the_connection) {
  if (!only_root(kOnlyRoot)) return;
  service::ServerOptions options;
  options.calls_per_second = 10;
  Users users(options);
  using Stub = v1::Troupe::Stub;
  const std::vector<Call> calls{call_of(&Stub::Ping),      call_of(&Stub::Status), call_of(&Stub::Jobs),
                                call_of(&Stub::CancelJob), call_of(&Stub::Why),    call_of(&Stub::Metrics),
                                call_of(&Stub::Look)};
  const auto a = users.stub_of(kA);
  for (std::size_t which = 0; which < calls.size(); ++which) {
    // Each call is tested with another user, because the service remembers for a while what a user has used.
    const auto b = users.stub_of(kB + static_cast<uid_t>(which));
    int refused = 0;
    grpc::StatusCode last = grpc::StatusCode::OK;
    // A user may be refused twenty times a second before the connection is closed. So this takes a while if calls are
    // slow.
    const bool ended = eventually([&] {
      for (int i = 0; i < 200 && last != grpc::StatusCode::UNAVAILABLE; ++i) {
        last = calls[which](*b);
        refused += last == grpc::StatusCode::RESOURCE_EXHAUSTED ? 1 : 0;
      }
      return last == grpc::StatusCode::UNAVAILABLE;
    });
    BOOST_TEST_INFO("call " << which);
    BOOST_TEST(refused > 50);
    BOOST_TEST(ended);
    BOOST_TEST(Users::ping(*a) == grpc::StatusCode::OK);
  }
}

BOOST_AUTO_TEST_CASE(who_connects_without_end_waits_for_himself) {
  if (!only_root(kOnlyRoot)) return;
  service::ServerOptions options;
  options.connections_per_second = 5;
  Users users(options);
  std::vector<platform::FileDescriptor> flood;
  {
    const AsUser as(kB, kGroup);
    for (int i = 0; i < 100; ++i) {
      flood.push_back(connect_to(users.service.folder() + "/" + std::string(wire::kServiceSocket), SOCK_STREAM));
    }
  }
  const auto start = Clock::now();
  const auto a = users.stub_of(kA);
  BOOST_TEST(Users::ping(*a) == grpc::StatusCode::OK);
  // The eighty connections of B that still wait would take sixteen seconds, so A did not wait for them.
  BOOST_TEST((Clock::now() - start < 8s));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
