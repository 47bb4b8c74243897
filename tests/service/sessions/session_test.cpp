#include "service/sessions/session.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <numeric>

#include "tests/service/sessions/one_client.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(sessions_of_the_service)

namespace {

BOOST_FIXTURE_TEST_CASE(tasks_compute_on_shared_memory, Greeted) {
  BOOST_TEST(!client.open(0, codelet("fill")));
  BOOST_TEST(!client.open(1, codelet("axpy")));
  const MappedSegment segment = client.memory().allocate(1 << 20);
  client.register_vector<double>(10, segment, 1000);
  client.register_vector<double>(11, segment, 1000, 8000);
  client.submit(0, {10}, args(2.0));
  client.submit(0, {11}, args(1.0));
  for (int i = 0; i < 10; ++i) client.submit(1, {10, 11}, args(0.5));
  BOOST_TEST(!client.wait_all());
  BOOST_TEST(client.endings() == 12U);
  BOOST_TEST(segment.at<double>(8000)[0] == 11.0);
  BOOST_TEST(segment.at<double>(8000)[999] == 11.0);
}

BOOST_FIXTURE_TEST_CASE(many_tasks_of_one_message_end_once_each, Greeted) {
  BOOST_TEST(!client.open(0, codelet("empty")));
  constexpr std::uint64_t kTasks = 50'000;
  for (int message = 0; message < 4; ++message) {
    v1::ClientMessage batch;
    v1::Tasks& tasks = *batch.add_operations()->mutable_tasks();
    tasks.set_first(client.next_task());
    for (std::uint64_t i = 0; i < kTasks; ++i) tasks.add_codelet(0);
    client.next_task() += kTasks;
    client.send(batch);
  }
  BOOST_TEST(!client.wait_all());
  BOOST_TEST(client.endings() == 4 * kTasks);
  BOOST_TEST(client.ended(4 * kTasks).status() == v1::Ended::SUCCEEDED);
}

BOOST_FIXTURE_TEST_CASE(ends_that_nobody_waits_for_are_told_together, Greeted) {
  BOOST_TEST(!client.open(0, codelet("empty")));
  BOOST_TEST(!client.open(1, codelet("wait")));
  const std::uint64_t running = client.submit(1, {});
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t last = 0;
  for (int i = 0; i < 300; ++i) last = client.submit(0, {});
  // The client sends nothing more. The service collects the ends of tasks in few messages, but reports all of them.
  BOOST_TEST(client.ended(last).status() == v1::Ended::SUCCEEDED);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  BOOST_TEST(static_cast<double>(client.messages_with_endings()) <= took.count() / 20 + 1);
  // The end of an awaited task is reported while other tasks run, together with the earlier ends.
  const std::uint64_t before = client.submit(0, {});
  const std::uint64_t awaited = client.submit(0, {});
  client.send([&](v1::Operation& operation) { operation.mutable_await()->set_task(awaited); });
  BOOST_TEST(client.ended(awaited).status() == v1::Ended::SUCCEEDED);
  BOOST_TEST(client.ended(before).status() == v1::Ended::SUCCEEDED);
  // If the end of the task has been reported long ago, awaiting it causes no message.
  client.send([&](v1::Operation& operation) { operation.mutable_await()->set_task(awaited); });
  BOOST_TEST(!client.has_ended(running));
  service.gate().open();
  BOOST_TEST(!client.wait_all());
  BOOST_TEST(client.endings() == 303U);
}

BOOST_FIXTURE_TEST_CASE(data_are_partitioned_reduced_acquired_and_released, Greeted) {
  BOOST_TEST(!client.open(0, codelet("fill")));
  BOOST_TEST(!client.open(1, codelet("sum")));
  const MappedSegment segment = client.memory().allocate(1 << 20);
  client.register_vector<double>(1, segment, 100);
  client.register_vector<double>(2, segment, 1, 4096);
  client.submit(0, {1}, args(1.0));
  BOOST_TEST(!client.reply_to(division(1, 20, rows_in_turn(2, 50))));
  BOOST_TEST(!client.reply_to([](v1::Operation& operation, std::uint64_t request) {
    operation.mutable_set_reduction()->set_request(request);
    operation.mutable_set_reduction()->set_handle(2);
    operation.mutable_set_reduction()->set_name("sum");
  }));
  client.submit(0, {20}, args(3.0));
  for (int i = 0; i < 5; ++i) client.submit(1, {20, 2});
  for (int i = 0; i < 5; ++i) client.submit(1, {21, 2});
  const std::uint64_t request = client.next_request();
  client.send([&](v1::Operation& operation) {
    operation.mutable_acquire()->set_request(request);
    operation.mutable_acquire()->set_handle(2);
    operation.mutable_acquire()->set_mode(v1::READ_WRITE);
  });
  BOOST_TEST(!client.reply(request));
  BOOST_TEST(segment.at<double>(4096)[0] == 5 * 50 * 3.0 + 5 * 50 * 1.0);
  const std::uint64_t later = client.submit(0, {2}, args(7.0));
  client.send([&](v1::Operation& operation) { operation.mutable_give_back()->set_request(request); });
  BOOST_TEST(client.ended(later).status() == v1::Ended::SUCCEEDED);
  BOOST_TEST(!client.reply_to([](v1::Operation& operation, std::uint64_t request) {
    operation.mutable_release_data()->set_request(request);
    operation.mutable_release_data()->set_handle(1);
  }));
  BOOST_TEST(segment.at<double>(4096)[0] == 7.0);
  // When the whole is released, its block is released, too.
  client.submit(0, {20}, args(1.0));
  const auto goodbye = client.goodbye();
  BOOST_REQUIRE(goodbye.has_value());
  BOOST_TEST(contains(goodbye->message(), "tasks.handle"));
}

BOOST_FIXTURE_TEST_CASE(held_data_keep_tasks_waiting, Greeted) {
  BOOST_TEST(!client.open(0, codelet("fill")));
  BOOST_TEST(!client.open(1, codelet("empty")));
  const MappedSegment segment = client.memory().allocate(4096);
  client.register_vector<double>(1, segment, 10);
  const std::uint64_t request = client.next_request();
  client.send([&](v1::Operation& operation) {
    operation.mutable_acquire()->set_request(request);
    operation.mutable_acquire()->set_handle(1);
    operation.mutable_acquire()->set_mode(v1::READ_WRITE);
  });
  BOOST_TEST(!client.reply(request));
  const std::uint64_t blocked = client.submit(0, {1}, args(1.0));
  const std::uint64_t free = client.submit(1, {});
  BOOST_TEST(client.ended(free).status() == v1::Ended::SUCCEEDED);
  BOOST_TEST(!client.has_ended(blocked));
  BOOST_TEST(segment.at<double>()[0] == 0.0);
  client.send([&](v1::Operation& operation) { operation.mutable_give_back()->set_request(request); });
  BOOST_TEST(client.ended(blocked).status() == v1::Ended::SUCCEEDED);
}

BOOST_FIXTURE_TEST_CASE(recordings_run_with_other_data, Greeted) {
  BOOST_TEST(!client.open(0, codelet("fill")));
  BOOST_TEST(!client.open(1, codelet("axpy")));
  const MappedSegment segment = client.memory().allocate(1 << 16);
  for (std::uint64_t i = 0; i < 3; ++i) client.register_vector<double>(i, segment, 100, 800 * i);
  for (std::uint64_t i = 0; i < 3; ++i) client.submit(0, {i}, args(static_cast<double>(i)));
  client.send([](v1::Operation& operation) {
    operation.mutable_begin_recording()->set_recording(5);
    operation.mutable_begin_recording()->set_name("step");
  });
  client.send([](v1::Operation& operation) {
    v1::Tasks& tasks = *operation.mutable_tasks();
    tasks.set_first(1);
    ServiceClient::add_task(tasks, 1, {1, 0}, args(1.0));
    ServiceClient::add_task(tasks, 1, {1, 0}, args(1.0));
    tasks.add_details()->set_task(1);
    tasks.mutable_details(0)->add_after(1);
  });
  const std::uint64_t request = client.next_request();
  client.send([&](v1::Operation& operation) { operation.mutable_end_recording()->set_request(request); });
  BOOST_TEST(!client.reply(request));
  BOOST_TEST(client.answer(request).count() == 2U);
  std::uint64_t last = 0;
  for (int run = 0; run < 3; ++run) {
    client.send([&](v1::Operation& operation) {
      operation.mutable_replay()->set_task(last = client.next_task()++);
      operation.mutable_replay()->set_recording(5);
      if (run < 2) return;
      v1::Rebinding& rebinding = *operation.mutable_replay()->add_rebindings();
      rebinding.set_recorded(0);
      rebinding.set_now(2);
    });
  }
  BOOST_TEST(!client.wait_all());
  BOOST_TEST(client.ended(last).status() == v1::Ended::SUCCEEDED);
  BOOST_TEST(segment.at<double>()[0] == 4.0);
  BOOST_TEST(segment.at<double>(1600)[0] == 4.0);
  client.send([](v1::Operation& operation) { operation.mutable_drop_recording()->set_recording(5); });
  BOOST_TEST(!client.wait_all());
}

/// A session with a very high limit, so that a recording may be run very many times.
struct Unlimited : OneClient {
  static service::ServerOptions options() {
    service::ServerOptions options;
    options.limits.tasks = std::uint64_t{1} << 40U;
    return options;
  }
  Unlimited() : OneClient(options()) { client.hello(); }
};

BOOST_FIXTURE_TEST_CASE(a_client_that_goes_leaves_no_work_whatever_it_has_asked_for, Unlimited) {
  client.open(0, codelet("wait"));
  client.open(1, codelet("empty"));
  client.submit(0, {});
  constexpr int kTasks = 20'000;
  constexpr int kRuns = 20'000;
  client.send([](v1::Operation& operation) { operation.mutable_begin_recording(); });
  client.send([&](v1::Operation& operation) {
    operation.mutable_tasks()->set_first(1);
    operation.mutable_tasks()->add_codelet(0);
    for (int i = 1; i < kTasks; ++i) operation.mutable_tasks()->add_codelet(1);
  });
  client.reply_to(
      [](v1::Operation& operation, std::uint64_t request) { operation.mutable_end_recording()->set_request(request); });
  for (int sent = 0; sent < kRuns; sent += 1000) {
    v1::ClientMessage message;
    for (int i = 0; i < 1000; ++i) message.add_operations()->mutable_replay()->set_task(client.next_task()++);
    client.send(message);
  }
  BOOST_REQUIRE(eventually([&] { return service.server().look().sessions.at(0).submitted == kRuns + 1; }));
  const auto begin = std::chrono::steady_clock::now();
  client.disappear();
  service.gate().open();
  BOOST_TEST(eventually([&] { return service.empty(); }));
  // If 400 million tasks were handled one by one, this would take minutes.
  BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)));
}

BOOST_FIXTURE_TEST_CASE(a_failed_task_is_told_with_what_depended_on_it, Greeted) {
  BOOST_TEST(!client.open(0, codelet("fail")));
  BOOST_TEST(!client.open(1, codelet("axpy")));
  const MappedSegment segment = client.memory().allocate(1 << 16);
  client.register_vector<double>(0, segment, 10);
  client.register_vector<double>(1, segment, 10, 800);
  const std::uint64_t failed = client.submit(0, {0});
  const std::uint64_t dependent = client.submit(1, {0, 1}, args(1.0));
  BOOST_TEST(client.ended(failed).status() == v1::Ended::FAILED);
  BOOST_TEST(client.ended(failed).problem().code() == "numerical");
  BOOST_TEST(contains(client.ended(failed).problem().message(), "on purpose"));
  BOOST_TEST(contains(client.ended(failed).problem().message(), "task " + std::to_string(failed)));
  BOOST_TEST(client.ended(dependent).status() == v1::Ended::CANCELLED);
  const auto summary = client.wait_all();
  BOOST_REQUIRE(summary.has_value());
  BOOST_TEST(contains(summary->message(), "on purpose"));
  BOOST_TEST(!client.wait_all());
}

BOOST_FIXTURE_TEST_CASE(a_task_that_its_check_refuses_fails_alone, Greeted) {
  BOOST_TEST(!client.open(0, codelet("fill")));
  BOOST_TEST(!client.open(1, codelet("axpy")));
  const MappedSegment segment = client.memory().allocate(1 << 16);
  client.register_vector<double>(0, segment, 10);
  client.register_vector<double>(1, segment, 20, 800);
  client.submit(0, {0}, args(1.0));
  client.submit(0, {1}, args(1.0));
  const std::uint64_t refused = client.submit(1, {0, 1}, args(1.0));
  const std::uint64_t dependent = client.submit(1, {1, 0}, args(1.0));
  const std::uint64_t other = client.submit(0, {0}, args(5.0));
  BOOST_TEST(client.ended(refused).status() == v1::Ended::FAILED);
  BOOST_TEST(client.ended(refused).problem().code() == "invalid_argument");
  BOOST_TEST(contains(client.ended(refused).problem().message(), "axpy: x is shorter than y"));
  BOOST_TEST(client.ended(dependent).status() == v1::Ended::CANCELLED);
  BOOST_TEST(client.ended(other).status() == v1::Ended::SUCCEEDED);
}

BOOST_FIXTURE_TEST_CASE(an_unknown_codelet_is_refused_and_its_tasks_fail, Greeted) {
  const auto problem = client.open(0, Codelet("mine", {AccessMode::write}).cpu([](VectorView<double>, int) {}));
  BOOST_REQUIRE(problem.has_value());
  BOOST_TEST(problem->code() == "no_implementation");
  BOOST_TEST(contains(problem->message(), "'mine'"));
  BOOST_TEST(contains(problem->message(), "plug-in"));
  const MappedSegment segment = client.memory().allocate(4096);
  client.register_vector<double>(0, segment, 10);
  const std::uint64_t task = client.submit(0, {0}, args(1));
  BOOST_TEST(client.ended(task).status() == v1::Ended::FAILED);
  BOOST_TEST(client.ended(task).problem().code() == "no_implementation");
}

BOOST_FIXTURE_TEST_CASE(a_codelet_of_another_signature_is_refused, Greeted) {
  const auto refused = [&](std::uint32_t number, const Codelet& codelet) {
    const auto problem = client.open(number, codelet);
    return problem && problem->code() == "signature_mismatch";
  };
  BOOST_TEST(refused(0, Codelet("fill", {AccessMode::read_write}).cpu([](VectorView<double>, double) {})));
  BOOST_TEST(refused(1, Codelet("fill", {AccessMode::write}).cpu([](VectorView<float>, double) {})));
  BOOST_TEST(refused(2, Codelet("fill", {AccessMode::write}).cpu([](VectorView<double>, float) {})));
  BOOST_TEST(refused(3, Codelet("fill", {AccessMode::write}).cpu([](MatrixView<double>, double) {})));
  BOOST_TEST(refused(4, Codelet::variadic("fill")));
  BOOST_TEST(!client.open(5, codelet("fill")));
}

BOOST_FIXTURE_TEST_CASE(explicit_dependencies_hold_for_old_and_ended_tasks, Greeted) {
  BOOST_TEST(!client.open(0, codelet("wait")));
  BOOST_TEST(!client.open(1, codelet("empty")));
  BOOST_TEST(!client.open(2, codelet("fail")));
  const MappedSegment segment = client.memory().allocate(4096);
  client.register_vector<double>(0, segment, 10);
  const auto submit_after = [&](std::uint64_t before) {
    client.send([&](v1::Operation& operation) {
      v1::Tasks& tasks = *operation.mutable_tasks();
      tasks.set_first(client.next_task());
      ServiceClient::add_task(tasks, 1, {});
      tasks.add_details()->set_task(0);
      tasks.mutable_details(0)->add_after(before);
    });
    return client.next_task()++;
  };
  const std::uint64_t first = client.submit(0, {});
  const std::uint64_t failed = client.submit(2, {0});
  std::uint64_t last = 0;
  for (int i = 0; i < 70'000; ++i) last = client.submit(1, {});
  BOOST_TEST(client.ended(last).status() == v1::Ended::SUCCEEDED);
  BOOST_TEST(client.ended(failed).status() == v1::Ended::FAILED);
  const std::uint64_t waiting = submit_after(first);
  const std::uint64_t cancelled = submit_after(failed);
  const std::uint64_t free = submit_after(last);
  BOOST_TEST(client.ended(free).status() == v1::Ended::SUCCEEDED);
  BOOST_TEST(client.ended(cancelled).status() == v1::Ended::CANCELLED);
  BOOST_TEST(!client.has_ended(waiting));
  service.gate().open();
  BOOST_TEST(client.ended(waiting).status() == v1::Ended::SUCCEEDED);
}

BOOST_FIXTURE_TEST_CASE(tasks_can_be_cancelled_one_by_one_and_all, Greeted) {
  BOOST_TEST(!client.open(0, codelet("wait_for")));
  const MappedSegment segment = client.memory().allocate(4096);
  client.register_vector<double>(0, segment, 10);
  const std::uint64_t running = client.submit(0, {0});
  BOOST_REQUIRE(eventually([&] { return service.gate().waiting() == 1; }));
  const std::uint64_t one = client.submit(0, {0});
  client.send([&](v1::Operation& operation) { operation.mutable_cancel_task()->set_task(one); });
  const std::uint64_t other = client.submit(0, {0});
  client.send([](v1::Operation& operation) { operation.mutable_cancel_all(); });
  BOOST_TEST(!client.reply_to([](v1::Operation& operation, std::uint64_t request) {
    operation.mutable_open_codelet()->set_request(request);
    operation.mutable_open_codelet()->set_codelet(1);
    operation.mutable_open_codelet()->set_name("empty");
  }));
  service.gate().open();
  BOOST_TEST(client.ended(running).status() == v1::Ended::SUCCEEDED);
  BOOST_TEST(client.ended(one).status() == v1::Ended::CANCELLED);
  BOOST_TEST(client.ended(other).status() == v1::Ended::CANCELLED);
}

BOOST_FIXTURE_TEST_CASE(a_client_that_dies_leaves_nothing, OneClient) {
  BOOST_REQUIRE_GT(client.hello(), 0U);
  BOOST_TEST(!client.open(0, codelet("wait_for")));
  BOOST_TEST(!client.open(1, codelet("fill")));
  {
    const MappedSegment segment = client.memory().allocate(1 << 20);
    client.register_vector<double>(0, segment, 10);
    client.register_vector<double>(1, segment, 10, 800);
    client.submit(0, {0});
    for (int i = 0; i < 1000; ++i) client.submit(0, {0});
    // When the session ends, some requests still wait, and some data are acquired.
    const std::uint64_t held = client.next_request();
    client.send([&](v1::Operation& operation) {
      operation.mutable_acquire()->set_request(held);
      operation.mutable_acquire()->set_handle(1);
      operation.mutable_acquire()->set_mode(v1::READ_WRITE);
    });
    BOOST_TEST(!client.reply(held));
    client.submit(1, {1}, args(1.0));
    client.send([](v1::Operation& operation) {
      operation.mutable_release_data()->set_request(1000);
      operation.mutable_release_data()->set_handle(0);
    });
    client.send([](v1::Operation& operation) {
      operation.mutable_acquire()->set_request(1001);
      operation.mutable_acquire()->set_handle(1);
      operation.mutable_acquire()->set_mode(v1::READ);
    });
    client.send([](v1::Operation& operation) { operation.mutable_wait_all()->set_request(1002); });
    client.send([](v1::Operation& operation) { operation.mutable_begin_recording()->set_recording(1); });
    BOOST_REQUIRE(eventually([&] { return service.gate().waiting() == 1; }));
    BOOST_REQUIRE(eventually([&] { return service.server().look().sessions.at(0).submitted == 1002; }));
    client.disappear();
  }
  BOOST_TEST(eventually([&] { return service.server().look().sessions[0].state == "gone"; }));
  // The running kernel still uses this memory.
  BOOST_TEST(service.server().look().sessions[0].memory.count >= 1U << 20U);
  service.gate().open();
  BOOST_TEST(eventually([&] { return service.empty(); }));
  BOOST_REQUIRE(service.server().ended_sessions().size() == 1U);
  BOOST_TEST(service.server().ended_sessions()[0].submitted == 1002U);
  ServiceClient next(service.folder());
  BOOST_TEST(next.hello() > 0U);
}

BOOST_FIXTURE_TEST_CASE(the_end_of_the_memory_connection_is_the_end_of_the_session, Greeted) {
  BOOST_TEST(!client.open(0, codelet("empty")));
  client.close_memory();
  client.goodbye();
  BOOST_TEST(eventually([&] { return service.empty(); }));
}

BOOST_FIXTURE_TEST_CASE(a_client_that_closes_its_side_has_ended, Greeted) {
  client.half_close();
  BOOST_TEST(!client.goodbye());
  BOOST_TEST(eventually([&] { return service.empty(); }));
  BOOST_TEST(client.finish().ok());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
