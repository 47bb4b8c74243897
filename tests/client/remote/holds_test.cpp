// Tests, in both places, of threads that hold data and wait.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/client/remote/places.hpp"

namespace troupe::tests {

BOOST_FIXTURE_TEST_SUITE(holds_in_both_places, Places)

BOOST_AUTO_TEST_CASE(a_thread_that_holds_data_is_told_that_it_waits_for_itself) {
  both([this](Runtime& runtime) {
    std::vector<double> x(100, 1.0), y(100, 1.0);
    const Data dx = runtime.vector(x, "x"), dy = runtime.vector(y, "y");
    const auto refused = failure(ErrorCode::invalid_argument, "would never end", "'x' in mode read_write");
    HostAccess access = runtime.acquire(dx, AccessMode::read_write);
    runtime.submit((*this)["fill"], {dy}, args(1.0));
    runtime.wait();
    BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(dx, AccessMode::read), Error, refused);
    runtime.submit((*this)["axpy"], {dx, dy}, args(1.0));
    BOOST_CHECK_EXCEPTION(runtime.wait(), Error, refused);
    access.give_back();
    runtime.wait();
    BOOST_TEST(y[0] == 2);
    HostAccess again = runtime.acquire(dx, AccessMode::read);
    runtime.submit((*this)["axpy"], {dx, dy}, args(1.0));
    runtime.wait();
    runtime.submit((*this)["fill"], {dx}, args(1.0));
    HostAccess moved = std::move(again);
    std::thread giver([&] { moved.give_back(); });
    runtime.wait();
    giver.join();
  });
}

BOOST_AUTO_TEST_CASE(a_thread_is_told_where_a_future_or_other_data_wait_for_what_it_holds) {
  both([this](Runtime& runtime) {
    std::vector<double> x(100, 1.0), y(100, 1.0), z(100, 1.0);
    const Data dx = runtime.vector(x, "x"), dy = runtime.vector(y, "y"), dz = runtime.vector(z, "z");
    const auto refused = failure(ErrorCode::invalid_argument, "would never end", "'x' in mode read_write");
    HostAccess access = runtime.acquire(dx, AccessMode::read_write);
    const Future directly = runtime.submit((*this)["axpy"], {dx, dy}, args(1.0));
    const Future by_data = runtime.submit((*this)["axpy"], {dy, dz}, args(1.0));
    std::vector<double> w(100, 1.0), v(100, 1.0);
    const Data dw = runtime.vector(w, "w"), dv = runtime.vector(v, "v");
    const Future by_order = runtime.submit((*this)["fill"], {dw}, args(7.0), {.after = {by_data}});
    const Future free = runtime.submit((*this)["fill"], {dv}, args(5.0));
    for (const Future& future : {directly, by_data, by_order}) BOOST_CHECK_EXCEPTION(future.wait(), Error, refused);
    for (const Data* data : {&dy, &dz, &dw}) {
      BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(*data, AccessMode::read), Error, refused);
    }
    free.wait();
    BOOST_TEST(runtime.acquire(dv, AccessMode::read).vector<double>()[0] == 5);
    access.give_back();
    by_order.wait();
    BOOST_TEST(runtime.acquire(dz, AccessMode::read).vector<double>()[0] == 3);
    BOOST_TEST(runtime.acquire(dw, AccessMode::read).vector<double>()[0] == 7);
  });
}

BOOST_AUTO_TEST_CASE(readers_and_other_threads_do_not_wait_for_a_hold) {
  both([this](Runtime& runtime) {
    std::vector<double> x(100, 1.0), y(100, 1.0);
    const Data dx = runtime.vector(x, "x"), dy = runtime.vector(y, "y");
    HostAccess access = runtime.acquire(dx, AccessMode::read);
    const Future reader = runtime.submit((*this)["axpy"], {dx, dy}, args(1.0));
    reader.wait();
    const Future writer = runtime.submit((*this)["fill"], {dx}, args(3.0));
    BOOST_CHECK_EXCEPTION(writer.wait(), Error, failure(ErrorCode::invalid_argument, "'x' in mode read"));
    std::thread waiter([&] { writer.wait(); });
    access.give_back();
    waiter.join();
    BOOST_TEST(runtime.acquire(dx, AccessMode::read).vector<double>()[0] == 3);
  });
}

BOOST_AUTO_TEST_CASE(blocks_beside_a_held_block_do_not_change) {
  both([](Runtime& runtime) {
    std::vector<double> x(100, 0.0);
    const Data whole = runtime.vector(x, "x");
    const std::vector<Block> blocks{{0, 0, 50, 1}, {50, 0, 50, 1}}, halves{{0, 0, 25, 1}, {25, 0, 25, 1}};
    const std::vector<Handle> parts = runtime.partition(whole, blocks);
    HostAccess access = runtime.acquire(parts[0], AccessMode::read_write);
    const auto refused = failure(ErrorCode::invalid_argument, "would never end");
    BOOST_CHECK_EXCEPTION((void)runtime.partition(parts[1], halves), Error, refused);
    access.give_back();
    BOOST_TEST(runtime.partition(parts[1], halves).size() == 2U);
  });
}

struct SmallWindow : Places {
  static constexpr std::uint64_t kTasks = 16;
  SmallWindow() : Places(limits()) {}
  static service::ServerOptions limits() {
    service::ServerOptions options;
    options.limits.tasks = kTasks;
    return options;
  }
  /// Runs the program in both places, each with a window of `kTasks`.
  template <class Program>
  void both(const Program& program) {
    BOOST_TEST_CONTEXT("embedded") {
      RuntimeOptions options = with_workers(2);
      options.window = kTasks;
      Runtime runtime(options);
      program(runtime);
    }
    gate().close();
    BOOST_TEST_CONTEXT("on the service") {
      Runtime runtime = connect();
      program(runtime);
    }
  }
};

BOOST_FIXTURE_TEST_CASE(a_submission_that_waits_for_room_is_told_if_all_tasks_wait_for_what_its_thread_holds,
                        SmallWindow) {
  const auto program = [this](Runtime& runtime) {
    std::vector<double> x(100, 0.0), y(100, 0.0);
    const Data dx = runtime.vector(x, "x"), dy = runtime.vector(y, "y");
    HostAccess access = runtime.acquire(dx, AccessMode::read_write);
    // Tasks that do not need the held data make room for others.
    for (int i = 0; i < 100; ++i) runtime.submit((*this)["fill"], {dy}, args(1.0));
    for (std::uint64_t i = 0; i < kTasks; ++i)
      runtime.submit((*this)["fill"], {dx}, args(1.0 + static_cast<double>(i)));
    BOOST_CHECK_EXCEPTION(runtime.submit((*this)["fill"], {dx}, args(99.0)), Error,
                          failure(ErrorCode::invalid_argument, "would never end", "'x' in mode read_write"));
    access.give_back();
    runtime.submit((*this)["axpy"], {dx, dy}, args(0.0));
    runtime.wait();
    BOOST_TEST(x[0] == static_cast<double>(kTasks));
  };
  both(program);
}

BOOST_FIXTURE_TEST_CASE(a_submission_that_waits_for_room_is_told_if_a_run_waits_for_what_its_thread_holds,
                        SmallWindow) {
  both([this](Runtime& runtime) {
    std::vector<double> x(100, 0.0), y(100, 0.0);
    const Data dx = runtime.vector(x, "x"), dy = runtime.vector(y, "y");
    const RecordedGraph graph = runtime.record([&] {
      for (std::uint64_t i = 0; i < kTasks; ++i) runtime.submit((*this)["fill"], {dx}, args(2.0));
    });
    HostAccess access = runtime.acquire(dx, AccessMode::read_write);
    graph.run();
    BOOST_CHECK_EXCEPTION(runtime.submit((*this)["fill"], {dy}, args(1.0)), Error,
                          failure(ErrorCode::invalid_argument, "would never end", "'x' in mode read_write"));
    access.give_back();
    runtime.submit((*this)["fill"], {dy}, args(1.0));
    runtime.wait();
    BOOST_TEST(x[0] == 2);
    BOOST_TEST(y[0] == 1);
  });
}

BOOST_FIXTURE_TEST_CASE(a_thread_is_told_that_the_window_is_full_behind_threads_that_all_wait_for_room, SmallWindow) {
  both([this](Runtime& runtime) {
    std::vector<double> x(100, 0.0), y(100, 0.0);
    const Data dx = runtime.vector(x, "x"), dy = runtime.vector(y, "y");
    std::atomic<int> filled{0}, told{0};
    const auto fill = [&](const Data& data) {
      HostAccess access = runtime.acquire(data, AccessMode::read_write);
      for (std::uint64_t i = 0; i < kTasks / 2; ++i) runtime.submit((*this)["fill"], {data}, args(1.0));
      for (++filled; filled < 2;) std::this_thread::yield();
      try {
        runtime.submit((*this)["fill"], {data}, args(2.0));
      } catch (const Error& error) {
        const std::string said = error.what();
        BOOST_TEST(said.find("which this thread and others hold (acquire)") != std::string::npos, said);
        ++told;
      }
    };
    std::thread other([&] { fill(dx); });
    fill(dy);
    other.join();
    runtime.wait();
    // The thread that is told gives its data back, and the other one goes on. Both can be told at once.
    BOOST_TEST((told == 1 || told == 2));
    BOOST_TEST(x[0] + y[0] == 4 - told);
  });
}

BOOST_AUTO_TEST_CASE(a_submission_is_told_in_a_window_of_the_usual_size_too) {
  Runtime runtime(with_workers(1));
  std::vector<double> x(1, 0.0);
  const Data dx = runtime.vector(x, "x");
  HostAccess access = runtime.acquire(dx, AccessMode::read_write);
  const auto submit_many = [&] {
    for (int i = 0; i < 70'000; ++i) runtime.submit((*this)["fill"], {dx}, args(1.0));
  };
  BOOST_CHECK_EXCEPTION(submit_many(), Error, failure(ErrorCode::invalid_argument, "would never end"));
  access.give_back();
  runtime.wait();
  // A nested task ends after its children, so it counts, too.
  RuntimeOptions options = with_workers(1);
  options.window = 64;
  Runtime narrow(options);
  std::vector<double> y(1, 0.0);
  const auto dy = narrow.vector(y, "y");
  HostAccess again = narrow.acquire(dy, AccessMode::read_write);
  const auto add_one = [](VectorView<double> one) { one[0] += 1; };
  const auto submit_nested = [&] {
    for (int i = 0; i < 100; ++i) {
      narrow.submit({.nested = true, .weak = {read_write(dy)}}, [&] {
        for (int child = 0; child < 4; ++child) narrow.submit(add_one, dy);
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  BOOST_CHECK_EXCEPTION(submit_nested(), Error, failure(ErrorCode::invalid_argument, "would never end"));
  again.give_back();
  narrow.wait();
}

BOOST_AUTO_TEST_CASE(functions_of_a_reduction_go_with_its_data) {
  both([](Runtime& runtime) {
    const auto owned = std::make_shared<int>();
    double x = 0;
    ReductionMethods methods = sum_reduction<double>();
    methods.initialize = [owned, initialize = methods.initialize](const DataView& view) { initialize(view); };
    const Data data = runtime.scalar(x);
    runtime.set_reduction(data, std::exchange(methods, {}));
    runtime.release(data);
    BOOST_TEST(owned.use_count() == 1);
  });
}

BOOST_AUTO_TEST_CASE(a_reduction_is_for_elements_of_its_type) {
  both([](Runtime& runtime) {
    double x = 0;
    std::int64_t count = 0;
    const Data dx = runtime.scalar(x, "x"), dcount = runtime.scalar(count, "count");
    BOOST_CHECK_EXCEPTION(runtime.set_reduction(dx, sum_reduction<float>()), Error,
                          failure(ErrorCode::signature_mismatch, "'x' has elements of type double", "float"));
    BOOST_CHECK_EXCEPTION(runtime.set_reduction(dcount, sum_reduction<double>()), Error,
                          failure(ErrorCode::signature_mismatch, "'count'", "double"));
    runtime.set_reduction(dx, sum_reduction<double>());
    runtime.set_reduction(dcount, sum_reduction<std::int64_t>());
  });
}

BOOST_AUTO_TEST_CASE(functions_of_a_reduction_may_hold_other_data) {
  both([this](Runtime& runtime) {
    std::vector<double> y(100, 0.0);
    const Data dy = runtime.vector(y, "y");
    auto held = std::make_shared<HostAccess>(runtime.acquire(dy, AccessMode::read_write));
    std::optional<Data> dx = runtime.allocate_vector<double>(100);
    ReductionMethods methods = sum_reduction<double>();
    methods.initialize = [held, initialize = methods.initialize](const DataView& view) { initialize(view); };
    runtime.set_reduction(*dx, std::exchange(methods, {}));
    HostAccess last = runtime.acquire(*dx, AccessMode::write);
    dx.reset();
    held.reset();
    const Future fill = runtime.submit((*this)["fill"], {dy}, args(3.0));
    // The thread is the last user of `dx`, so the functions end here, and with them the hold of `dy`.
    last.give_back();
    fill.wait();
    runtime.wait();
    BOOST_TEST(y[0] == 3);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
