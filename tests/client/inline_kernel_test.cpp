#include "troupe/inline_kernel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(inline_kernels)

namespace {

void double_all(VectorView<double> x) {
  for (double& element : x) element *= 2;
}
void halve_all(VectorView<double> x) {
  for (double& element : x) element /= 2;
}

RuntimeOptions traced() {
  RuntimeOptions options = with_workers(2);
  options.trace = true;
  return options;
}

/// Returns the names of the codelets whose tasks the runtime has run since the last call.
std::multiset<std::string> codelets_of(Runtime& runtime) {
  runtime.wait();
  std::multiset<std::string> names;
  const Trace trace = runtime.take_trace();
  for (const TraceEvent& event : trace.events) names.insert(trace.codelet_of(event));
  return names;
}

BOOST_AUTO_TEST_CASE(a_lambda_runs_with_views_of_its_data_and_with_values) {
  std::vector<double> x(100);
  double sum = 1;
  Runtime runtime;
  const Vector<double> a = runtime.vector(x);
  const Scalar<double> total = runtime.scalar(sum);
  runtime.submit([](VectorView<double> x, double first) { std::iota(x.begin(), x.end(), first); }, write(a), 1);
  runtime.submit(
      [](double factor, VectorView<double> x, int from) {  // values and data in any order
        for (std::size_t i = static_cast<std::size_t>(from); i < x.size(); ++i) x[i] *= factor;
      },
      10, a, 99);
  runtime.submit([](VectorView<const double> x, double& sum) { sum += std::accumulate(x.begin(), x.end(), 0.0); }, a,
                 total);
  runtime.wait();
  BOOST_TEST(sum == 1 + 99 * 100 / 2 + 1000);
}

BOOST_AUTO_TEST_CASE(modes_follow_from_the_parameters) {
  // If a kernel with a const parameter were ordered behind the other reader, this would never end.
  double value = 2;
  std::atomic<int> here{0};
  Runtime runtime(with_workers(2));
  const auto data = runtime.scalar(value);
  const auto meet = [&here](const double&) {
    ++here;
    while (here < 2) std::this_thread::yield();
  };
  runtime.submit(meet, data);
  runtime.submit(meet, data);
  runtime.submit([](double& x) { x *= 3; }, data);
  runtime.submit([](double& x) { x += 1; }, data);
  runtime.wait();
  BOOST_TEST(value == 7);
}

BOOST_AUTO_TEST_CASE(other_modes_are_named) {
  double sum = 0;
  Runtime runtime;
  const auto total = runtime.scalar(sum);
  runtime.set_reduction(total, sum_reduction<double>());
  for (int i = 1; i <= 10; ++i) runtime.submit([](double& s, int i) { s += i; }, reduce(total), i);
  for (int i = 1; i <= 10; ++i) runtime.submit([](double& s) { s += 1; }, commute(total));
  const auto fresh = runtime.allocate_scalar<double>();
  runtime.submit([](double& x) { x = 5; }, write(fresh));
  runtime.submit([](const double& x, double& s) { s += x; }, read(fresh), read_write(total));
  runtime.wait();
  BOOST_TEST(sum == 70);
}

BOOST_AUTO_TEST_CASE(a_value_may_be_the_content_of_data) {
  double factor = 3;
  double result = 2;
  Runtime runtime;
  const auto one = runtime.scalar(factor);
  const auto other = runtime.scalar(result);
  runtime.submit([](double& f) { f = 4; }, one);
  runtime.submit([](double f, double& r) { r *= f; }, one, other);
  runtime.wait();
  BOOST_TEST(result == 8);
}

BOOST_AUTO_TEST_CASE(captures_live_until_their_task_has_ended) {
  double sum = 0;
  auto counted = std::make_shared<int>(5);
  {
    Runtime runtime;
    const auto total = runtime.scalar(sum);
    const double small = 1;                     // goes into the task
    const std::array<double, 20> large{2};      // does not fit there
    const std::vector<double> vector(100, 3);   // cannot be copied byte by byte
    auto unique = std::make_unique<double>(4);  // can only be moved
    runtime.submit([small](double& s) { s += small; }, total);
    runtime.submit([large](double& s, double x) { s += large[0] * x; }, total, 1);
    runtime.submit([vector](double& s) { s += vector[99]; }, total);
    runtime.submit([unique = std::move(unique)](double& s) { s += *unique; }, total);
    runtime.submit([counted](double& s) { s += *counted; }, total);
    const auto kept = [counted](double& s) { s += *counted; };
    runtime.submit(kept, total);  // is copied
    runtime.submit(kept, total);
    runtime.wait();
    BOOST_TEST(counted.use_count() == 2);
  }
  BOOST_TEST(sum == 25);
  BOOST_TEST(counted.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(captures_go_when_a_task_is_refused_fails_or_is_cancelled) {
  auto counted = std::make_shared<int>(5);
  std::vector<double> x(3);
  Runtime runtime(with_workers(1));
  const Vector<double> a = runtime.vector(x);
  std::atomic<bool> go{false};
  runtime.submit(
      [&go](VectorView<double>) {
        while (!go) std::this_thread::yield();
        throw std::runtime_error("wanted");
      },
      a);
  runtime.submit([counted](VectorView<double>) {}, a);  // is cancelled by the failure before it
  BOOST_CHECK_EXCEPTION(runtime.submit([counted](float&) {}, a.handle()), Error,
                        failure(ErrorCode::signature_mismatch, "the kernel takes"));
  go = true;
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_TEST(counted.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(captures_live_in_tasks_that_are_restricted_to_devices) {
  double sum = 0;
  auto counted = std::make_shared<int>(5);
  RuntimeOptions options = with_workers(1);
  options.placement.restrict = "pinned:cores";
  Runtime runtime(options);
  const auto total = runtime.scalar(sum);
  std::atomic<bool> go{false};
  runtime.submit([&go](double&) { go.wait(false); }, total);
  runtime.submit(named("pinned", [counted](double& s) { s += *counted; }), total);
  BOOST_TEST(counted.use_count() == 2);
  go = true;
  go.notify_all();
  runtime.wait();
  BOOST_TEST(sum == 5);
  BOOST_TEST(counted.use_count() == 1);
}

BOOST_AUTO_TEST_CASE(a_task_has_options_and_a_kernel_its_context) {
  std::atomic<bool> called{false};
  double x = 0;
  Runtime runtime(traced());
  const auto data = runtime.scalar(x);
  TaskOptions options;
  options.name = "special";
  options.callback = [&called](const TaskOutcome& outcome) { called = outcome.status == TaskStatus::succeeded; };
  const std::vector<double> keeps_its_callback(10, 1);
  runtime.submit(
      options,
      [keeps_its_callback](const KernelContext& context, double& x) {
        x = static_cast<double>(context.size()) + keeps_its_callback[3];
      },
      data);
  runtime.wait();
  BOOST_TEST(x == 2);
  BOOST_TEST(called.load());
  const Trace trace = runtime.take_trace();
  BOOST_REQUIRE(trace.events.size() == 1U);
  BOOST_TEST(trace.name_of(trace.events[0]) == "special");
}

BOOST_AUTO_TEST_CASE(names_are_places_in_the_source_or_given) {
  std::vector<double> x(4, 1);
  Runtime runtime(traced());
  const auto a = runtime.vector(x);
  const int line = __LINE__ + 1;
  runtime.submit([](VectorView<double>) {}, a);
  BOOST_TEST(codelets_of(runtime) == std::multiset<std::string>{"inline_kernel_test.cpp:" + std::to_string(line)},
             boost::test_tools::per_element());
  for (int i = 0; i < 3; ++i) runtime.submit(named("mine", [](VectorView<double>) {}), a);
  BOOST_TEST(codelets_of(runtime) == (std::multiset<std::string>{"mine", "mine", "mine"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(functions_of_one_type_are_told_apart) {
  std::vector<double> x(4, 1);
  Runtime runtime(traced());
  const auto a = runtime.vector(x);
  for (int i = 0; i < 2; ++i) {
    runtime.submit(double_all, a);
    runtime.submit(&halve_all, a);
    runtime.submit(&double_all, a);
  }
  const auto names = codelets_of(runtime);
  BOOST_TEST(x[0] == 4);
  BOOST_TEST(std::set<std::string>(names.begin(), names.end()).size() == 2U);
  std::function<void(VectorView<double>)> either = double_all;
  runtime.submit(either, a);
  either = halve_all;
  runtime.submit(either, a);
  const auto two = codelets_of(runtime);
  BOOST_TEST(x[0] == 4);
  BOOST_TEST(std::set<std::string>(two.begin(), two.end()).size() == 2U);
}

BOOST_AUTO_TEST_CASE(kernels_of_one_name_and_signature_are_told_apart) {
  double x = 1, y = 1;
  Runtime runtime(with_workers(1));
  const auto a = runtime.scalar(x), b = runtime.scalar(y);
  for (int i = 0; i < 2; ++i) {
    runtime.submit(named("k", [](double& one) { one += 1; }), a);
    runtime.submit(named("k", [](double& one) { one *= 10; }), a);
  }
  long ten = 10;
  const long* const pointer = &ten;
  runtime.submit(named("c", [pointer](double& one) { one += static_cast<double>(*pointer); }), b);
  runtime.submit(named("c", [ten](double& one) { one *= static_cast<double>(ten); }), b);
  runtime.wait();
  BOOST_TEST(x == 210);
  BOOST_TEST(y == 110);
}

BOOST_AUTO_TEST_CASE(a_lambda_has_one_codelet_whatever_it_is_given) {
  std::vector<double> x(4, 1);
  Runtime runtime(traced());
  const auto a = runtime.vector(x);
  const auto fill = [](VectorView<double> x, double value) { std::fill(x.begin(), x.end(), value); };
  runtime.submit(fill, write(a), 1.0);
  runtime.submit(fill, write(a), 2);
  runtime.submit(fill, write(a.handle()), 3.0F);
  const auto names = codelets_of(runtime);
  BOOST_TEST(names.size() == 3U);
  BOOST_TEST(std::set<std::string>(names.begin(), names.end()).size() == 1U);
  BOOST_TEST(x[3] == 3);
  // A name may be given to a lambda that the program keeps, and one lambda may have several names.
  const auto first = named("first", fill);
  runtime.submit(first, write(a), 4);
  runtime.submit(named("second", fill), write(a), 5);
  runtime.submit(first, write(a), 6);
  BOOST_TEST(codelets_of(runtime) == (std::multiset<std::string>{"first", "first", "second"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_failure_that_nobody_asked_for_is_a_warning_with_and_without_captures) {
  for (const bool large : {false, true}) {
    std::string warned;
    RuntimeOptions options = with_workers(1);
    options.observation.on_warning = [&warned](const std::string& text) { warned += text; };
    {
      Runtime runtime(options);
      if (large) {
        runtime.submit(
            [kept = std::vector<int>(5)] { throw std::runtime_error("unheard " + std::to_string(kept[0])); });
      } else {
        runtime.submit([] { throw std::runtime_error("unheard"); });
      }
    }
    BOOST_TEST(contains(warned, "unheard"), large << ": " << warned);
  }
}

BOOST_AUTO_TEST_CASE(values_of_every_size_arrive) {
  Runtime runtime;
  std::array<double, 2> seen{};
  const auto data = runtime.vector(seen);
  const std::array<char, 3> three{1, 2, 3};
  runtime.submit([](char a, double b, short c, std::array<char, 3> d, VectorView<double> out, int e,
                    bool f) { out[0] = a + b + c + d[2] + e + (f ? 1 : 0); },
                 'a', 0.5, 7, three, data, 100000, true);
  const auto seven = +[](int a, int b, int c, int d, int e, int f, int g, VectorView<double> out) {
    out[1] = a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g;
  };
  runtime.submit(seven, 1, 2, 3, 4, 5, 6, 7, data);
  runtime.wait();
  BOOST_TEST(seen[0] == 97 + 0.5 + 7 + 3 + 100000 + 1);
  BOOST_TEST(seen[1] == 7654321);
}

BOOST_AUTO_TEST_CASE(data_of_unknown_type_are_checked_when_a_task_is_submitted) {
  std::vector<double> x(3);
  Runtime runtime;
  const Data a = runtime.vector(x);
  runtime.submit([](VectorView<double> x) { x[0] = 1; }, a);
  runtime.submit([](VectorView<double> x) { x[1] = 1; }, a.handle());
  BOOST_CHECK_EXCEPTION(runtime.submit([](VectorView<float>) {}, a), Error,
                        failure(ErrorCode::signature_mismatch, "element type double"));
  BOOST_CHECK_EXCEPTION(runtime.submit([](double&) {}, a), Error,
                        failure(ErrorCode::signature_mismatch, "has 3 elements"));
  runtime.wait();
  BOOST_TEST(x[0] + x[1] == 2);
}

BOOST_AUTO_TEST_CASE(the_blocks_of_a_collection_have_their_type) {
  std::vector<double> x{1, 2, 3, 4, 5, 6};
  Runtime runtime(with_workers(2));
  const auto numbers = runtime.vector(x);
  const Collection blocks(runtime, numbers, {2, 1}, 1);
  static_assert(std::is_same_v<decltype(blocks), const Collection<double>>);
  static_assert(std::is_same_v<decltype(blocks(0)), Part<double>>);
  static_assert(std::is_same_v<decltype(blocks.halo(0))::Element, const double>);
  runtime.submit([](VectorView<const double> with_rim, VectorView<double> own) { own[0] = with_rim[0] + with_rim[3]; },
                 blocks.halo(1), blocks(2));
  // A part with one element is a scalar, and a collection of parts divides these.
  const Collection ones(runtime, blocks(0), {1, 1});
  runtime.submit([](double& one, double value) { one = value; }, write(ones(1)), 9.0);
  const Handle untyped = blocks(1);
  runtime.submit([](VectorView<double> own) { own[1] = 8; }, untyped);
  runtime.wait();
  BOOST_TEST(x == (std::vector<double>{1, 9, 3, 8, 7, 6}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_null_pointer_is_no_function) {
  Runtime runtime(with_workers(1));
  std::vector<double> x(3, 1.0);
  const Vector<double> v = runtime.vector(x);
  void (*kernel)(VectorView<double>) = nullptr;
  int (*called)() = nullptr;
  const auto refused = failure(ErrorCode::invalid_argument, "a null pointer was given in place of a function");
  BOOST_CHECK_EXCEPTION(runtime.submit(kernel, v), Error, refused);
  BOOST_CHECK_EXCEPTION((void)runtime.async(called), Error, refused);
}

BOOST_AUTO_TEST_CASE(recordings_run_lambdas_again) {
  double x = 1;
  Runtime runtime;
  const auto data = runtime.scalar(x);
  const std::vector<double> by(3, 2);
  RecordedGraph graph = runtime.record([&] {
    runtime.submit([](double& x) { x += 1; }, data);
    runtime.submit([by](double& x, double y) { x = x * by[2] + y; }, data, 0);
  });
  graph.run();
  graph.run();
  runtime.wait();
  BOOST_TEST(x == 10);
}

BOOST_AUTO_TEST_CASE(kernels_submit_lambdas) {
  std::atomic<int> calls{0};
  Runtime runtime;
  for (int i = 0; i < 10; ++i) {
    runtime.submit([&runtime, &calls] {
      for (int j = 0; j < 10; ++j) runtime.submit([&calls] { ++calls; });
    });
  }
  runtime.wait();
  BOOST_TEST(calls == 100);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
