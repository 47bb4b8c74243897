// Tests of nested tasks whose kernels run in a service, beside the same in a runtime of the program's own.
#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/remote/nested_places.hpp"

namespace troupe::tests {

BOOST_FIXTURE_TEST_SUITE(nested_in_both_places, NestedPlaces)

namespace {

/// Ten elements in two parts that the program has made.
struct TwoParts {
  explicit TwoParts(Runtime& runtime) : whole(runtime.vector(elements, "x")) {
    const std::array<Block, 2> blocks{Block{0, 0, 5, 1}, Block{5, 0, 5, 1}};
    parts = runtime.partition(whole, blocks);
  }
  std::vector<double> elements = std::vector<double>(10, 1.0);
  Vector<double> whole;
  std::vector<Handle> parts;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_recursion_that_divides_its_data_ends_with_its_last_child) {
  both([this](Runtime& runtime) {
    std::vector<double> elements(1000, 1.0);
    const auto x = runtime.vector(elements);
    const Future task = runtime.submit((*this)["plus_by_halves"], {x}, args(2.0, std::int64_t{3}), {.nested = true});
    runtime.submit((*this)["times"], {x}, args(10.0));
    task.wait();
    runtime.wait();
    for (const double element : elements) BOOST_TEST(element == 30);
  });
}

BOOST_AUTO_TEST_CASE(parts_of_a_kernel_stay_until_a_later_kernel_divides_the_data_anew) {
  both([this](Runtime& runtime) {
    std::vector<double> elements(40, 1.0);
    const auto x = runtime.vector(elements, "x");
    const auto divide = [&](std::int64_t least) {
      runtime.submit((*this)["plus_by_halves"], {x}, args(1.0, least), {.nested = true});
      runtime.wait();
    };
    divide(5);
    const std::array<Block, 2> blocks{Block{0, 0, 10, 1}, Block{10, 0, 30, 1}};
    BOOST_CHECK_THROW(runtime.partition(x, blocks), Error);
    divide(7);
    BOOST_TEST(elements[0] == 3);
    BOOST_TEST(elements[39] == 3);
  });
}

BOOST_AUTO_TEST_CASE(what_follows_on_a_part_waits_for_the_last_child_on_that_part) {
  both([this](Runtime& runtime) {
    TwoParts x(runtime);
    const Future task = runtime.submit((*this)["plus_weak"], {}, args(1.0),
                                       {.nested = true, .weak = {read_write(x.parts[0]), read_write(x.parts[1])}});
    const Future slow = runtime.submit((*this)["times"], {x.parts[0]}, args(10.0));
    const Future quick = runtime.submit((*this)["times"], {x.parts[1]}, args(10.0));
    quick.wait();
    BOOST_TEST((slow.status() == TaskStatus::pending));
    BOOST_TEST((task.status() == TaskStatus::pending));
    gate().open();
    task.wait();
    runtime.wait();
    BOOST_TEST(x.elements.front() == 20);
    BOOST_TEST(x.elements.back() == 20);
  });
}

BOOST_AUTO_TEST_CASE(kernels_wait_for_children_on_temporary_data) {
  both([this](Runtime& runtime) {
    std::vector<double> elements(100, 0.5);
    double sum = 0;
    const auto x = runtime.vector(elements);
    const auto total = runtime.scalar(sum);
    runtime.submit((*this)["sum_by_temporaries"], {x, total}, {}, {.nested = true});
    runtime.wait();
    BOOST_TEST(sum == 50);
  });
}

BOOST_AUTO_TEST_CASE(a_kernel_that_waits_leaves_its_worker_to_others) {
  both([this](Runtime& runtime) {
    std::vector<std::vector<double>> elements(6, std::vector<double>(4, 1.0));
    std::vector<Vector<double>> data;
    for (auto& one : elements) data.push_back(runtime.vector(one));
    // There are more kernels that wait than workers, and their children wait at the gate.
    for (const auto& one : data) runtime.submit((*this)["waits"], {one}, args(1.0), {.nested = true});
    BOOST_TEST(eventually([this] { return gate().waiting() == 2; }));
    gate().open();
    runtime.wait();
    for (const auto& one : elements) BOOST_TEST(one[0] == 4);
  });
}

BOOST_AUTO_TEST_CASE(inline_kernels_are_children) {
  both([this](Runtime& runtime) {
    std::vector<double> elements(8, 1.0);
    const auto x = runtime.vector(elements);
    runtime.submit((*this)["plus_inline"], {x}, args(4.0), {.nested = true});
    runtime.wait();
    BOOST_TEST(elements[7] == 5);
  });
}

BOOST_AUTO_TEST_CASE(the_failure_of_a_child_reaches_the_programs_future_and_what_follows) {
  both([this](Runtime& runtime) {
    std::vector<double> elements(10, 1.0);
    const auto x = runtime.vector(elements, "x");
    const Future task = runtime.submit((*this)["one_fails"], {x}, {}, {.name = "family", .nested = true});
    const Future follows = runtime.submit((*this)["plus"], {x}, args(1.0));
    BOOST_CHECK_EXCEPTION(task.wait(), Error,
                          failure(ErrorCode::numerical, "'family' (codelet one_fails)",
                                  "failed because a task that belongs to it did not succeed", "(codelet fail)",
                                  "the child has failed on purpose"));
    BOOST_CHECK_EXCEPTION(follows.wait(), Error, failure(ErrorCode::cancelled, "the child has failed on purpose"));
    BOOST_CHECK_THROW(runtime.wait(), Error);
    runtime.submit((*this)["fill"], {x}, args(3.0));
    runtime.wait();
    BOOST_TEST(elements[0] == 3);
  });
}

BOOST_AUTO_TEST_CASE(a_cancelled_nested_task_cancels_its_children) {
  both([this](Runtime& runtime) {
    std::vector<double> elements(10, 1.0);
    const auto x = runtime.vector(elements, "x");
    const Future task = runtime.submit((*this)["many"], {x}, args(std::int64_t{20}), {.nested = true});
    // The kernel and its first child wait at the gate.
    BOOST_TEST(eventually([this] { return gate().waiting() == 2; }));
    task.cancel();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate().open();
    BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::cancelled));
    BOOST_CHECK_THROW(runtime.wait(), Error);
  });
}

BOOST_AUTO_TEST_CASE(a_cancelled_program_ends_a_recursion_that_has_no_end) {
  both([this](Runtime& runtime) {
    std::vector<double> elements(1, 1.0);
    const auto x = runtime.vector(elements, "x");
    const int before = codelets().endless();
    const Future task = runtime.submit((*this)["endless"], {x}, {}, {.nested = true});
    BOOST_TEST(eventually([&] { return codelets().endless() > before + 10; }));
    runtime.cancel();
    BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::cancelled));
    BOOST_CHECK_THROW(runtime.wait(), Error);
  });
}

BOOST_AUTO_TEST_CASE(recorded_nested_tasks_run_again) {
  both([this](Runtime& runtime) {
    TwoParts x(runtime);
    gate().open();
    const RecordedGraph graph = runtime.record([&] {
      runtime.submit((*this)["plus_weak"], {}, args(1.0),
                     {.nested = true, .weak = {read_write(x.parts[0]), read_write(x.parts[1])}});
      runtime.submit((*this)["times"], {x.parts[0]}, args(2.0));
      runtime.submit((*this)["plus_inline"], {x.parts[1]}, args(3.0), {.nested = true});
    });
    for (int run = 0; run < 3; ++run) graph.run();
    runtime.wait();
    BOOST_TEST(x.elements.front() == 22);
    BOOST_TEST(x.elements.back() == 13);
    std::vector<double> other(5, 0.0);
    const auto y = runtime.vector(other);
    BOOST_CHECK_EXCEPTION(graph.run({{x.parts[1], y}}), Error,
                          failure(ErrorCode::invalid_argument, "a nested task of the recording declares it"));
  });
}

BOOST_AUTO_TEST_CASE(mistakes_with_weak_data_are_told_where_they_are_made) {
  both([this](Runtime& runtime) {
    TwoParts x(runtime);
    const auto submit = [&](std::vector<Access> weak, bool nested = true) {
      return runtime.submit((*this)["plus_weak"], {}, args(1.0), {.nested = nested, .weak = std::move(weak)});
    };
    BOOST_CHECK_EXCEPTION(submit({read_write(x.parts[0])}, false), Error,
                          failure(ErrorCode::invalid_argument, "set TaskOptions::nested"));
    BOOST_CHECK_EXCEPTION(submit({x.parts[0]}), Error, failure(ErrorCode::invalid_argument, "needs a mode"));
    BOOST_CHECK_EXCEPTION(submit({commute(x.parts[0])}), Error, failure(ErrorCode::invalid_argument, "needs a mode"));
    BOOST_CHECK_EXCEPTION(submit({read(x.whole), read_write(x.parts[0])}), Error,
                          failure(ErrorCode::conflicting_access, "part of, another handle"));
    const auto fresh = runtime.allocate_vector<double>(3, "fresh");
    BOOST_CHECK_EXCEPTION(submit({read_write(fresh)}), Error,
                          failure(ErrorCode::invalid_argument, "weak data: ", "fresh"));
    // A child that writes what its parent declares in mode read fails the parent.
    gate().open();
    const Future task = submit({read(x.parts[0])});
    BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::invalid_argument, "declares it in mode read"));
    BOOST_CHECK_THROW(runtime.wait(), Error);
  });
}

BOOST_AUTO_TEST_CASE(weak_data_that_children_write_come_home) {
  both([this](Runtime& runtime) {
    std::vector<double> elements(5, 1.0);
    gate().open();
    const auto x = runtime.vector(elements);
    for (int i = 0; i < 3; ++i) {
      runtime.submit((*this)["plus_weak"], {}, args(1.0), {.nested = true, .weak = {read_write(x)}});
      runtime.wait();
      BOOST_TEST(elements[4] == 2 + i);
    }
    runtime.submit((*this)["plus_weak"], {}, args(1.0), {.nested = true, .weak = {read_write(x)}});
    const HostAccess access = runtime.acquire(x, AccessMode::read);
    BOOST_TEST(access.vector<const double>()[0] == 5);
  });
}

BOOST_AUTO_TEST_CASE(a_runtime_is_here_in_kernels_and_callbacks_and_nowhere_else) {
  BOOST_CHECK_EXCEPTION(static_cast<void>(Runtime::here()), Error,
                        failure(ErrorCode::invalid_argument, "this thread is in none"));
  both([this](Runtime& runtime) {
    std::atomic<std::size_t> workers{0};
    TaskOptions options;
    options.callback = [&](const TaskOutcome&) { workers = Runtime::here().workers(); };
    std::vector<double> elements(5, 1.0);
    const auto x = runtime.vector(elements);
    runtime.submit((*this)["plus"], {x}, args(1.0), options);
    runtime.wait();
    BOOST_TEST(workers == 2U);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
