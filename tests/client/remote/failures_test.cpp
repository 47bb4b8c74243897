// Tests that failures and cancellations are the same on workers of the program and on a service.
#include <vector>

#include "tests/client/remote/places.hpp"

namespace troupe::tests {

namespace failures_in_both_places {}  // namespace failures_in_both_places

BOOST_FIXTURE_TEST_SUITE(failures_in_both_places, Places)

BOOST_AUTO_TEST_CASE(failures_name_task_codelet_and_cause_and_cancel_what_depends_on_them) {
  both([this](Runtime& runtime) {
    std::vector<double> x(10, 1.0), y(10, 1.0), z(10, 1.0);
    const Data dx = runtime.vector(x, "x"), dy = runtime.vector(y, "y"), dz = runtime.vector(z, "z");
    const Future failed = runtime.submit((*this)["fail"], {dx}, {}, {.name = "root"});
    const Future dependent = runtime.submit((*this)["axpy"], {dx, dy}, args(1.0), {.name = "leaf"});
    const Future independent = runtime.submit((*this)["fill"], {dz}, args(4.0));
    BOOST_CHECK_EXCEPTION(failed.wait(), Error, failure(ErrorCode::numerical, "'root'", "fail", "on purpose"));
    BOOST_CHECK_EXCEPTION(dependent.wait(), Error, failure(ErrorCode::cancelled, "'leaf'", "'x'", "'root'"));
    independent.wait();
    BOOST_CHECK_EXCEPTION(runtime.wait(dx), Error, failure(ErrorCode::cancelled, "'x' has no valid content"));
    BOOST_CHECK_EXCEPTION(runtime.wait(), Error,
                          failure(ErrorCode::numerical, "1 task failed, 1 task was cancelled", "on purpose"));
    BOOST_TEST((failed.status() == TaskStatus::failed));
    BOOST_TEST((dependent.status() == TaskStatus::cancelled));
    BOOST_TEST(z[5] == 4);
    runtime.submit((*this)["fill"], {dx}, args(2.0));
    runtime.wait();
    BOOST_TEST(x[5] == 2);
  });
}

BOOST_AUTO_TEST_CASE(cancelled_tasks_do_not_run_and_say_so) {
  both([this](Runtime& runtime) {
    gate().close();
    std::vector<double> x(10, 1.0);
    const Data dx = runtime.vector(x, "x");
    const Future first = runtime.submit((*this)["wait_for"], {dx});
    std::vector<Future> others;
    for (int i = 0; i < 20; ++i) others.push_back(runtime.submit((*this)["fill"], {dx}, args(5.0)));
    BOOST_TEST(eventually([this] { return gate().waiting() == 1; }));
    runtime.cancel();
    // A service handles operations in their order. So when this wait returns, the service has handled the cancellation.
    double other = 0;
    const Data flush = runtime.scalar(other);
    runtime.wait(flush);
    gate().open();
    first.wait();
    for (const Future& future : others) BOOST_CHECK_EXCEPTION(future.wait(), Error, failure(ErrorCode::cancelled));
    BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::cancelled, "20 tasks were cancelled"));
    runtime.submit((*this)["fill"], {dx}, args(5.0));
    runtime.wait();
    BOOST_TEST(x[0] == 5);
  });
}

BOOST_AUTO_TEST_CASE(a_task_can_be_cancelled_alone_and_explicit_dependencies_follow) {
  both([this](Runtime& runtime) {
    gate().close();
    std::vector<double> x(10, 1.0), y(10, 1.0), z(10, 1.0);
    const Data dx = runtime.vector(x), dy = runtime.vector(y), dz = runtime.vector(z);
    const Future first = runtime.submit((*this)["wait_for"], {dx});
    const Future second = runtime.submit((*this)["fill"], {dx}, args(5.0));
    const Future third = runtime.submit((*this)["fill"], {dy}, args(6.0), {.after = {first, second}});
    const Future fourth = runtime.submit((*this)["fill"], {dz}, args(7.0), {.after = {first}});
    second.cancel();
    double other = 0;
    const Data flush = runtime.scalar(other);
    runtime.wait(flush);
    gate().open();
    BOOST_CHECK_EXCEPTION(second.wait(), Error, failure(ErrorCode::cancelled));
    BOOST_CHECK_EXCEPTION(third.wait(), Error, failure(ErrorCode::cancelled));
    fourth.wait();
    BOOST_CHECK_THROW(runtime.wait(), Error);
    // The predecessor `second` ended a long time ago.
    const Future late = runtime.submit((*this)["fill"], {dy}, args(8.0), {.after = {second}});
    BOOST_CHECK_EXCEPTION(late.wait(), Error, failure(ErrorCode::cancelled));
    BOOST_CHECK_THROW(runtime.wait(), Error);
    BOOST_TEST(z[0] == 7);
  });
}

BOOST_AUTO_TEST_CASE(a_task_after_one_that_failed_long_ago_still_orders_the_tasks_that_use_its_data) {
  both([this](Runtime& runtime) {
    gate().close();
    std::vector<double> w(10), x(10), y(10), z(10);
    const Data dw = runtime.vector(w), dx = runtime.vector(x), dy = runtime.vector(y), dz = runtime.vector(z);
    const Future failed = runtime.submit((*this)["fail"], {dz});
    BOOST_CHECK_THROW(failed.wait(), Error);
    for (int worker = 0; worker < 2; ++worker) runtime.submit((*this)["wait"], {});
    BOOST_TEST(eventually([this] { return gate().waiting() == 2; }));
    const Future before = runtime.submit((*this)["touch"], {commute(dy), write(dx)});
    const Future reader = runtime.submit((*this)["touch"], {read(dy), write(dw)}, {}, {.after = {failed}});
    // This task does not run, as `dz` has no valid content, and then `dy` has none. Without the reader it may come
    // before the first task.
    const Future behind = runtime.submit((*this)["touch"], {read(dz), commute(dy)}, {}, {.priority = 9});
    double other = 0;
    runtime.wait(runtime.scalar(other));
    gate().open();
    BOOST_CHECK_THROW(runtime.wait(), Error);
    BOOST_TEST((before.status() == TaskStatus::succeeded));
    BOOST_TEST((reader.status() == TaskStatus::cancelled));
    BOOST_TEST((behind.status() == TaskStatus::cancelled));
    runtime.wait(dx);
  });
}

BOOST_AUTO_TEST_CASE(kernels_that_run_learn_of_their_cancellation_wherever_they_run) {
  both([this](Runtime& runtime) {
    for (const bool all : {false, true}) {
      gate().close();
      std::vector<double> x(10, 1.0), y(10, 1.0);
      const Data dx = runtime.vector(x, "x"), dy = runtime.vector(y);
      const Future running = runtime.submit((*this)["wait_or_cancelled"], {dx});
      const Future next = runtime.submit((*this)["axpy"], {dx, dy}, args(1.0));
      BOOST_TEST(eventually([this] { return gate().waiting() == 1; }));
      all ? runtime.cancel() : running.cancel();
      BOOST_CHECK_EXCEPTION(
          running.wait(), Error,
          failure(ErrorCode::cancelled, "while it ran, and its kernel was told: the program cancelled"));
      BOOST_CHECK_EXCEPTION(next.wait(), Error, failure(ErrorCode::cancelled));
      BOOST_CHECK_EXCEPTION(runtime.wait(dx), Error, failure(ErrorCode::cancelled, "'x' has no valid content"));
      BOOST_CHECK_THROW(runtime.wait(), Error);
      gate().open();
    }
  });
}

BOOST_AUTO_TEST_CASE(failures_inside_of_a_recording_fail_its_run) {
  both([this](Runtime& runtime) {
    std::vector<double> a(10, 1.0), b(10, 1.0);
    const Data da = runtime.vector(a, "a"), db = runtime.vector(b, "b");
    const RecordedGraph graph = runtime.record(
        [&] {
          runtime.submit((*this)["fail"], {da}, {}, {.name = "inner"});
          runtime.submit((*this)["axpy"], {da, db}, args(1.0));
        },
        "loop");
    BOOST_CHECK_EXCEPTION(graph.run().wait(), Error, failure(ErrorCode::numerical, "'loop'", "'inner'", "on purpose"));
    BOOST_CHECK_THROW(runtime.wait(), Error);
    runtime.wait();
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
