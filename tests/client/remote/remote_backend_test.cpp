// Tests of the client of a service. The test takes the place of the service and sends the messages of a service.
#include "client/remote/remote_backend.hpp"

#include <atomic>
#include <chrono>
#include <numeric>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/remote/scripted_service.hpp"

namespace troupe::tests {

namespace remote_backend {

using remote::RemoteBackend;

/// Waits until the condition is true. Returns false after a minute.
template <class Done>
bool comes_true(const Done& done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

struct Fixture {
  std::shared_ptr<ScriptedMemory::Account> account = std::make_shared<ScriptedMemory::Account>();
  ScriptedService service;
  const Codelet nothing = Codelet("nothing", {});
  const Codelet change = Codelet("change", {AccessMode::read_write});
  const Codelet look = Codelet("look", {AccessMode::read});

  void connect() {
    RemoteBackend::Connections connections;
    connections.memory = std::make_unique<ScriptedMemory>(account);
    connections.stream = service.stream();
    connections.name = "test";
    runtime = std::make_unique<Runtime>(RemoteBackend::start(std::move(connections)).value_or_throw());
  }

  /// Replies to every request, but ends no task.
  void answer_only() {
    service.on_operation = [this](const v1::Operation& operation, const ScriptedService::Say& say) {
      service.answer(operation, say);
    };
  }

  /// The location of registered data, as the client has described it.
  struct Registered {
    std::uint64_t segment = 0;
    std::uint64_t offset = 0;
    Layout layout;
  };
  std::map<std::uint64_t, Registered> registered;
  std::atomic<std::uint64_t> changes{0};
  /// Makes each task add 1 to the first column of the data that its accesses name.
  void run_changes() {
    service.on_operation = [this](const v1::Operation& operation, const ScriptedService::Say& say) {
      if (operation.has_register_data()) {
        const v1::RegisterData& r = operation.register_data();
        registered[r.handle()] = {r.segment(), r.offset(), {r.rows(), r.cols(), r.ld(), r.element_size(), 0}};
      }
      if (operation.has_tasks()) {
        for (const std::uint64_t handle : operation.tasks().handle()) add_one(registered.at(handle));
      }
      service.end_tasks(operation, say);
      service.answer(operation, say);
    };
  }
  void add_one(const Registered& data) {
    std::byte* memory = nullptr;
    {
      const std::lock_guard lock(account->mutex);
      memory = account->segments.at(data.segment) + data.offset;
    }
    auto* values = reinterpret_cast<double*>(memory);
    for (std::int64_t i = 0; i < data.layout.rows; ++i) values[i] += 1;
    ++changes;
  }

  // Values that some tests record in the thread that acts as the service. This thread ends when the runtime is
  // destroyed.
  std::atomic<std::uint64_t> ended{0};
  std::atomic<bool> too_many{false};
  std::atomic<int> asked{0};
  std::vector<v1::Operation> said;
  /// The last member, so that the runtime is destroyed before the other members.
  std::unique_ptr<Runtime> runtime;
};

}  // namespace remote_backend

BOOST_FIXTURE_TEST_SUITE(remote_backend, Fixture)

BOOST_AUTO_TEST_CASE(what_the_service_says_of_itself_is_known) {
  connect();
  BOOST_TEST(runtime->workers() == 3U);
  BOOST_TEST(runtime->policy() == "ws");
  BOOST_TEST(runtime->numa_nodes() == 1U);
}

BOOST_AUTO_TEST_CASE(many_small_tasks_share_messages) {
  service.most_tasks = 100'000;
  connect();
  constexpr std::uint64_t kTasks = 300'000;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < kTasks; ++i) runtime->submit(nothing, {});
  const std::chrono::duration<double> submitted = std::chrono::steady_clock::now() - begin;
  runtime->wait();
  BOOST_TEST_MESSAGE("ns per submission: " << submitted.count() * 1e9 / kTasks << ", messages: " << service.messages());
  BOOST_TEST(service.tasks() == kTasks);
  BOOST_TEST(service.messages() < kTasks / 4);
  BOOST_TEST(runtime->progress().submitted == kTasks);
  BOOST_TEST(runtime->progress().ended == kTasks);
}

BOOST_AUTO_TEST_CASE(submit_blocks_while_the_window_is_full) {
  service.most_tasks = 50;
  answer_only();
  connect();
  std::atomic<int> submitted{0};
  std::thread program([&] {
    for (int i = 0; i < 120; ++i) {
      runtime->submit(nothing, {});
      ++submitted;
    }
  });
  BOOST_TEST(comes_true([&] { return service.tasks() == 50; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST(submitted.load() == 50);
  BOOST_TEST(service.tasks() == 50U);
  service.say_ended(1, 50);
  BOOST_TEST(comes_true([&] { return service.tasks() == 100; }));
  service.say_ended(51, 50);
  program.join();
  BOOST_TEST(comes_true([&] { return service.tasks() == 120; }));
  service.say_ended(101, 20);
  runtime->wait();
}

BOOST_AUTO_TEST_CASE(callbacks_submit_beyond_the_window_without_blocking_and_the_service_never_gets_too_many) {
  service.most_tasks = 10;
  service.on_operation = [&](const v1::Operation& operation, const ScriptedService::Say& say) {
    if (service.tasks() > ended + 10) too_many = true;
    if (operation.has_tasks()) ended += static_cast<std::uint64_t>(operation.tasks().codelet_size());
    service.end_tasks(operation, say);
    service.answer(operation, say);
  };
  connect();
  std::atomic<int> called{0};
  TaskOptions options;
  options.callback = [&](const TaskOutcome&) {
    for (int i = 0; i < 1000; ++i) runtime->submit(nothing, {});
    ++called;
  };
  runtime->submit(nothing, {}, {}, options);
  runtime->wait();
  BOOST_TEST(called.load() == 1);
  BOOST_TEST(service.tasks() == 1001U);
  BOOST_TEST(!too_many.load());
}

BOOST_AUTO_TEST_CASE(a_codelet_that_the_service_does_not_know_is_asked_for_once_and_the_error_says_what_to_do) {
  service.on_operation = [&](const v1::Operation& operation, const ScriptedService::Say& say) {
    if (!operation.has_open_codelet()) return service.answer(operation, say);
    ++asked;
    v1::Event event;
    event.mutable_reply()->set_request(operation.open_codelet().request());
    event.mutable_reply()->mutable_problem()->set_code("no_implementation");
    event.mutable_reply()->mutable_problem()->set_message("there is no codelet 'nothing'");
    say(event);
  };
  connect();
  for (int i = 0; i < 3; ++i) {
    BOOST_CHECK_EXCEPTION(runtime->submit(nothing, {}), Error,
                          failure(ErrorCode::no_implementation, "'nothing'", "plug-in", "docs/plugins.md"));
  }
  BOOST_TEST(asked.load() == 1);
  BOOST_TEST(runtime->progress().submitted == 0U);
  runtime->wait();
}

BOOST_AUTO_TEST_CASE(failures_of_tasks_come_with_the_services_code_and_text) {
  answer_only();
  connect();
  const Future failed = runtime->submit(nothing, {});
  const Future cancelled = runtime->submit(nothing, {});
  const Future good = runtime->submit(nothing, {});
  BOOST_TEST(comes_true([&] { return service.tasks() == 3; }));
  service.say_failed(1, v1::Ended::FAILED, "numerical", "task 1 'potrf': not positive definite");
  service.say_failed(2, v1::Ended::CANCELLED, "cancelled", "task 2 did not run");
  service.say_ended(3, 1);
  BOOST_CHECK_EXCEPTION(failed.wait(), Error, failure(ErrorCode::numerical, "'potrf'", "not positive definite"));
  BOOST_CHECK_EXCEPTION(cancelled.wait(), Error, failure(ErrorCode::cancelled, "did not run"));
  good.wait();
  BOOST_TEST((failed.status() == TaskStatus::failed));
  BOOST_TEST((cancelled.status() == TaskStatus::cancelled));
  BOOST_TEST((good.status() == TaskStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_callback_runs_before_those_who_wait_go_on_and_its_failure_is_in_the_summary) {
  connect();
  std::atomic<bool> called{false};
  TaskOptions options;
  options.name = "step 7";
  options.callback = [&](const TaskOutcome& outcome) {
    BOOST_TEST((outcome.status == TaskStatus::succeeded));
    BOOST_CHECK_EXCEPTION(runtime->wait(), Error, failure(ErrorCode::wait_in_kernel));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    called = true;
    throw std::runtime_error("no more ink");
  };
  const Future future = runtime->submit(nothing, {}, {}, options);
  future.wait();
  BOOST_TEST(called.load());
  BOOST_CHECK_EXCEPTION(runtime->wait(), Error, failure(ErrorCode::callback_failed, "'step 7'", "no more ink"));
  runtime->wait();
}

BOOST_AUTO_TEST_CASE(data_of_the_program_are_copied_in_and_out_as_the_contract_says) {
  run_changes();
  connect();
  std::vector<double> x(1000, 1.0);
  {
    const Data data = runtime->vector(x, "x");
    runtime->submit(change, {data});
    runtime->wait();
    BOOST_TEST(x[999] == 2);
    runtime->submit(change, {data});
    runtime->wait(data);
    BOOST_TEST(x[0] == 3);
    runtime->submit(change, {data});
    {
      const HostAccess access = runtime->acquire(data, AccessMode::read_write);
      BOOST_TEST(x[0] == 4);
      access.vector<double>()[0] = 10;
    }
    runtime->submit(change, {data});
  }
  BOOST_TEST(x[0] == 11);
  BOOST_TEST(x[999] == 5);
}

BOOST_AUTO_TEST_CASE(memory_of_the_runtime_is_used_in_place) {
  run_changes();
  connect();
  const Data data = runtime->allocate_vector<double>(10);
  {
    const HostAccess access = runtime->acquire(data, AccessMode::write);
    for (double& value : access.vector<double>()) value = 5;
  }
  BOOST_TEST(account->segments.size() == 1U);
  runtime->submit(change, {data});
  runtime->wait();
  const HostAccess access = runtime->acquire(data, AccessMode::read);
  BOOST_TEST(access.vector<double>()[3] == 6);
}

BOOST_AUTO_TEST_CASE(columns_that_lie_apart_are_packed_and_come_back_apart) {
  run_changes();
  connect();
  std::vector<double> all(20, 7.0);
  std::iota(all.begin(), all.end(), 0.0);
  {
    const Data block = runtime->matrix(all.data(), 3, 2, 10);
    runtime->submit(change, {block});
  }
  BOOST_TEST(registered.at(0).layout.ld == 3);
  BOOST_TEST(all[0] == 1);
  BOOST_TEST(all[3] == 3);
  BOOST_TEST(all[10] == 10);
  BOOST_TEST(all[13] == 13);
}

BOOST_AUTO_TEST_CASE(wrong_submissions_are_found_here_with_the_same_codes_as_ever) {
  connect();
  double x = 0;
  Data data = runtime->scalar(x, "x");
  const Codelet typed = Codelet("typed", {AccessMode::read_write}).cpu([](double&, int) {});
  BOOST_CHECK_EXCEPTION(runtime->submit(change, {}), Error, failure(ErrorCode::signature_mismatch, "1 handles"));
  BOOST_CHECK_EXCEPTION(runtime->submit(typed, {data}, args(2.0)), Error,
                        failure(ErrorCode::signature_mismatch, "argument 0"));
  BOOST_CHECK_EXCEPTION(runtime->submit(change, {Handle()}), Error, failure(ErrorCode::invalid_handle, "empty"));
  const Codelet two = Codelet("two", {AccessMode::read, AccessMode::write});
  BOOST_CHECK_EXCEPTION(runtime->submit(two, {data, data}), Error, failure(ErrorCode::conflicting_access, "'x'"));
  const TaskOptions late{.deadline = std::chrono::steady_clock::now()};
  const std::stop_source source;
  for (const TaskOptions& options : {late, TaskOptions{.stop = source.get_token()}}) {
    BOOST_CHECK_EXCEPTION(runtime->submit(change, {data}, {}, options), Error,
                          failure(ErrorCode::invalid_argument, "codelet 'change'", "is not carried to a service"));
  }
  const Handle old = data;
  data.release();
  BOOST_CHECK_EXCEPTION(runtime->submit(change, {old}), Error, failure(ErrorCode::invalid_handle, "released"));
  BOOST_TEST(service.tasks() == 0U);
}

BOOST_AUTO_TEST_CASE(a_recording_is_sent_as_a_whole_whatever_others_submit_meanwhile) {
  service.on_operation = [&](const v1::Operation& operation, const ScriptedService::Say& say) {
    said.push_back(operation);
    service.end_tasks(operation, say);
    service.answer(operation, say);
  };
  connect();
  double x = 0, y = 0;
  const Data a = runtime->scalar(x), b = runtime->scalar(y);
  const RecordedGraph graph = runtime->record(
      [&] {
        const Future first = runtime->submit(change, {a});
        std::thread other([&] { runtime->submit(look, {b}); });
        other.join();
        runtime->submit(look, {a}, {}, {.after = {first}});
        BOOST_CHECK_EXCEPTION(runtime->wait(), Error, failure(ErrorCode::invalid_argument, "recording"));
        BOOST_CHECK_EXCEPTION(first.wait(), Error, failure(ErrorCode::invalid_argument, "recording"));
      },
      "loop");
  BOOST_TEST(graph.tasks() == 2U);
  const Future run = graph.run();
  run.wait();
  const Rebinding exchange{a, b};
  graph.run(std::span(&exchange, 1)).wait();
  BOOST_CHECK_EXCEPTION(graph.run({{b, a}}), Error, failure(ErrorCode::invalid_argument, "no task of the recording"));
  runtime->wait();
  BOOST_TEST(runtime->progress().submitted == 1U + 2 * 3U);
  BOOST_TEST(runtime->progress().ended == 1U + 2 * 3U);
  const auto begins = std::find_if(said.begin(), said.end(), [](const auto& o) { return o.has_begin_recording(); });
  BOOST_REQUIRE(begins != said.end());
  BOOST_REQUIRE((begins + 1)->has_tasks());
  BOOST_TEST((begins + 1)->tasks().codelet_size() == 2);
  BOOST_TEST((begins + 1)->tasks().first() == 1U);
  BOOST_TEST((begins + 1)->tasks().details(0).after(0) == 1U);
  BOOST_TEST((begins + 2)->has_end_recording());
}

BOOST_AUTO_TEST_CASE(a_recording_may_go_after_its_runtime) {
  service.on_operation = [&](const v1::Operation& operation, const ScriptedService::Say& say) {
    service.end_tasks(operation, say);
    service.answer(operation, say);
  };
  connect();
  double x = 0;
  Data data = runtime->scalar(x);
  auto graph = std::make_unique<RecordedGraph>(runtime->record([&] { runtime->submit(change, {data}); }));
  graph->run().wait();
  data.release();
  runtime.reset();
  graph.reset();  // The backend has been destroyed with the runtime, so the graph must not access it.
}

BOOST_AUTO_TEST_CASE(when_the_service_dies_all_that_waits_and_all_that_comes_later_says_so) {
  service.most_tasks = 20;
  service.on_operation = [&](const v1::Operation& operation, const ScriptedService::Say& say) {
    if (operation.has_open_codelet()) service.answer(operation, say);
  };
  connect();
  double x = 1;
  Data data = runtime->scalar(x);
  const Future future = runtime->submit(change, {data});
  std::atomic<int> told{0};
  const auto expect = [&](const std::function<void()>& call) {
    return std::thread([&told, call] {
      try {
        call();
      } catch (const Error& error) {
        if (error.code() == ErrorCode::service_lost && contains(error.what(), "service has gone")) ++told;
      }
    });
  };
  std::vector<std::thread> threads;
  threads.push_back(expect([&] { future.wait(); }));
  threads.push_back(expect([&] { runtime->wait(); }));
  threads.push_back(expect([&] { runtime->wait(data); }));
  threads.push_back(expect([&] { std::ignore = runtime->acquire(data, AccessMode::write); }));
  threads.push_back(expect([&] {
    for (int i = 0; i < 100; ++i) runtime->submit(change, {data});
  }));
  BOOST_TEST(comes_true([&] { return service.tasks() == 20; }));
  service.die();
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(told.load() == 5);
  const auto lost = failure(ErrorCode::service_lost, "the service has gone");
  BOOST_CHECK_EXCEPTION(runtime->submit(change, {data}), Error, lost);
  BOOST_CHECK_EXCEPTION(runtime->wait(), Error, lost);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime->scalar(x), Error, lost);
  BOOST_CHECK_EXCEPTION(data.release(), Error, lost);
  BOOST_TEST((future.status() == TaskStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(callbacks_that_submit_while_the_runtime_ends_after_a_loss_are_told_of_it) {
  answer_only();
  connect();
  Runtime& ending = *runtime;
  std::atomic<bool> called{false};
  std::atomic<int> told{0};
  TaskOptions options;
  options.callback = [&](const TaskOutcome& outcome) {
    BOOST_TEST((outcome.code == ErrorCode::service_lost));
    called = true;
    // Sleep until the destructor of the runtime has begun.
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    // The client knows the first codelet. For the second one it would have to send a request to the service.
    const Codelet other("other", {});
    for (const Codelet* codelet : {&nothing, &other}) {
      try {
        ending.submit(*codelet, {});
      } catch (const Error& error) {
        if (error.code() == ErrorCode::service_lost) ++told;
      }
    }
  };
  ending.submit(nothing, {}, {}, options);
  service.die();
  BOOST_TEST(comes_true([&] { return called.load(); }));
  runtime.reset();
  BOOST_TEST(told.load() == 2);
}

BOOST_AUTO_TEST_CASE(what_a_program_does_not_ask_after_is_a_warning_at_its_end) {
  const auto warnings_after = [this](const std::function<void(ScriptedService&, Runtime&, const Future&)>& look) {
    ScriptedService short_lived;
    short_lived.on_operation = [&](const v1::Operation& operation, const ScriptedService::Say& say) {
      short_lived.answer(operation, say);
    };
    RemoteBackend::Connections connections;
    connections.memory = std::make_unique<ScriptedMemory>(account);
    connections.stream = short_lived.stream();
    auto backend = RemoteBackend::start(std::move(connections)).value_or_throw();
    std::string warnings;
    backend->warn_with([&](const std::string& what) { warnings += what; });
    auto program = std::make_unique<Runtime>(std::move(backend));
    const Future future = program->submit(nothing, {});
    BOOST_TEST(comes_true([&] { return short_lived.tasks() == 1; }));
    look(short_lived, *program, future);
    program.reset();
    return warnings;
  };
  const auto fail = [](ScriptedService& of) { of.say_failed(1, v1::Ended::FAILED, "numerical", "disk on fire"); };
  const auto lost = [&](ScriptedService& of, Runtime&, const Future&) { of.die(); };
  const auto failed = [&](ScriptedService& of, Runtime&, const Future&) { fail(of); };
  const auto failed_and_told = [&](ScriptedService& of, Runtime&, const Future& future) {
    fail(of);
    BOOST_CHECK_THROW(future.wait(), Error);
  };
  const auto lost_and_told = [&](ScriptedService& of, Runtime& program, const Future&) {
    of.die();
    BOOST_CHECK_THROW(program.wait(), Error);
  };
  BOOST_TEST(contains(warnings_after(lost), "the service has gone"));
  BOOST_TEST(contains(warnings_after(failed), "disk on fire"));
  BOOST_TEST(warnings_after(failed_and_told) == "");
  BOOST_TEST(warnings_after(lost_and_told) == "");
}

BOOST_AUTO_TEST_CASE(every_callback_of_an_accepted_task_is_called_whenever_the_service_is_lost) {
  for (int round = 0; round < 20; ++round) {
    ScriptedService short_lived;
    RemoteBackend::Connections connections;
    connections.memory = std::make_unique<ScriptedMemory>(account);
    connections.stream = short_lived.stream();
    auto program = std::make_unique<Runtime>(RemoteBackend::start(std::move(connections)).value_or_throw());
    std::atomic<int> called{0};
    std::atomic<int> accepted{0};
    std::thread submitter([&] {
      TaskOptions options;
      options.callback = [&](const TaskOutcome&) { ++called; };
      try {
        for (;; ++accepted) program->submit(nothing, {}, {}, options);
      } catch (const Error& error) {
        BOOST_TEST((error.code() == ErrorCode::service_lost), error.what());
      }
    });
    BOOST_TEST(comes_true([&] { return accepted.load() > 10 * round; }));
    short_lived.die();
    submitter.join();
    program.reset();
    BOOST_TEST(called.load() == accepted.load());
  }
}

BOOST_AUTO_TEST_CASE(what_the_service_says_at_the_end_is_in_the_error) {
  answer_only();
  connect();
  runtime->submit(nothing, {});
  service.say_goodbye("it was stopped by its administrator");
  BOOST_CHECK_EXCEPTION(
      while (true) runtime->wait(), Error,
      failure(ErrorCode::service_lost, "ended this program's session", "stopped by its administrator"));
}

BOOST_AUTO_TEST_CASE(held_data_and_registrations_end_quietly_when_the_service_has_gone) {
  connect();
  std::vector<double> x(10);
  const Data data = runtime->vector(x);
  const Data own = runtime->allocate_vector<double>(10);
  const KeptData kept = runtime->keep(data);
  const HostAccess access = runtime->acquire(data, AccessMode::read_write);
  const RecordedGraph graph = runtime->record([&] { runtime->submit(change, {data}); });
  service.die();
}

BOOST_AUTO_TEST_CASE(memory_goes_back_when_its_data_have_been_released) {
  connect();
  { const Data large = runtime->allocate_vector<double>(4 << 20); }
  runtime->wait();
  BOOST_TEST(comes_true([&] {
    const std::lock_guard lock(account->mutex);
    return account->segments.empty();
  }));
}

BOOST_AUTO_TEST_CASE(a_lambda_is_refused_even_if_the_service_has_a_codelet_of_its_name) {
  connect();
  runtime->submit(nothing, {});
  for (const char* name : {"nothing", "other"}) {
    BOOST_CHECK_EXCEPTION(runtime->submit(named(name, [] {})), Error,
                          failure(ErrorCode::no_implementation, name, "lambda of this program", "docs/plugins.md"));
  }
  BOOST_CHECK_EXCEPTION(runtime->submit([kept = std::vector<int>(3)] {}), Error,
                        failure(ErrorCode::no_implementation, "remote_backend_test.cpp:"));
  runtime->wait();
  BOOST_TEST(service.tasks() == 1U);
}

BOOST_AUTO_TEST_CASE(what_only_an_embedded_runtime_has_is_refused_with_a_hint) {
  connect();
  BOOST_CHECK_EXCEPTION(std::ignore = runtime->take_trace(), Error, failure(ErrorCode::invalid_argument, "embedded"));
  double x = 0;
  const Data data = runtime->scalar(x);
  ReductionMethods own = sum_reduction<double>();
  own.name.clear();
  BOOST_CHECK_EXCEPTION(runtime->set_reduction(data, own), Error,
                        failure(ErrorCode::no_implementation, "sum_reduction", "docs/plugins.md"));
  BOOST_CHECK_EXCEPTION(std::ignore = runtime->matrix<double>(nullptr, 2, 2, 2), Error,
                        failure(ErrorCode::invalid_argument, "without memory"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
