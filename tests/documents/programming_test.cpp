// Compiles and runs the code of docs/programming.md in small programs.
#include <document_blocks/programming/include.inc>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <iostream>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace troupe::documents {

BOOST_AUTO_TEST_SUITE(fragments_of_programming)

namespace {

/// Captures the text that is written to the standard error stream while the object lives.
class Captured {
 public:
  Captured() : before_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~Captured() { std::cerr.rdbuf(before_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

BOOST_AUTO_TEST_CASE(axpy_adds_up) {
  std::vector<double> x{1, 2}, y{10, 20};
  Runtime runtime;
  const Data hx = runtime.vector(x), hy = runtime.vector(y);
#include <document_blocks/programming/axpy.inc>
  runtime.wait();
  BOOST_TEST(y == (std::vector<double>{10.5, 21}), boost::test_tools::per_element());
}

void refine(double& value) { value += 1; }

BOOST_AUTO_TEST_CASE(a_stop_reaches_the_tasks_that_carry_the_token) {
  std::vector<double> x(1000), y(1000);
  Runtime runtime;
  std::vector<Vector<double>> parts;
  parts.push_back(runtime.vector(x));
  parts.push_back(runtime.vector(y));
#include <document_blocks/programming/stop.inc>
  // The tasks may have ended before the stop.
  try {
    runtime.wait();
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::cancelled));
  }
}

BOOST_AUTO_TEST_CASE(lambdas_are_submitted) {
  std::vector<double> x(5);
  double sum = 0;
  Runtime runtime;
#include <document_blocks/programming/lambdas.inc>
  runtime.wait();
  BOOST_TEST(sum == 15);
  BOOST_TEST(x == (std::vector<double>{-2, -1, 0, 1, 2}), boost::test_tools::per_element());
}

long sequential(int n) { return n < 2 ? n : sequential(n - 1) + sequential(n - 2); }

BOOST_AUTO_TEST_CASE(functions_return_values) {
  Runtime runtime;
#include <document_blocks/programming/values.inc>
  BOOST_TEST(result == 832040);
}

BOOST_AUTO_TEST_CASE(a_vector_is_sorted_by_nested_tasks) {
  std::vector<double> x(10000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7919 % x.size());
  Runtime runtime;
  const Vector<double> hx = runtime.vector(x);
#include <document_blocks/programming/nested.inc>
  runtime.wait();
  BOOST_TEST(x.front() == 0);
  BOOST_TEST(x.back() == 9999);
  BOOST_TEST(std::ranges::is_sorted(x));
}

#include <document_blocks/programming/coroutines.inc>

BOOST_AUTO_TEST_CASE(a_coroutine_awaits_tasks_and_values) {
  std::vector<double> x{1, 2, 3};
  std::vector<double> y{1, 5, 7};
  Runtime runtime;
  const auto a = runtime.vector(x);
  const auto b = runtime.vector(y);
  BOOST_TEST(runtime.start(distance(runtime, a, b)).get() == 5);
}

BOOST_AUTO_TEST_CASE(a_stencil_reads_halo_parts) {
  constexpr int n = 600;
  constexpr int steps = 3;
  std::vector<double> old(n * n);
  std::vector<double> fresh(n * n);
  old[0] = old[n * n - 1] = 64;
  Runtime runtime;
  const auto relax = [](MatrixView<const double> around, MatrixView<double> block, std::int64_t row, std::int64_t col) {
    for (std::int64_t j = 0; j < block.cols; ++j) {
      for (std::int64_t i = 0; i < block.rows; ++i) {
        block(i, j) = around(std::max<std::int64_t>(row + i - 1, 0), std::max<std::int64_t>(col + j - 1, 0));
      }
    }
  };
#include <document_blocks/programming/halos.inc>
  runtime.wait();
  BOOST_TEST(fresh[3 + 3 * n] == 64);
  BOOST_TEST(fresh[3 + 4 * n] == 0);
}

BOOST_AUTO_TEST_CASE(a_volume_is_divided_into_boxes) {
  constexpr std::int64_t n = 70;
  std::vector<double> old(n * n * n);
  std::vector<double> fresh(n * n * n);
  old[(31 * n + 64) * n + 63] = 5;
  Runtime runtime;
#include <document_blocks/programming/volumes.inc>
  runtime.wait();
  BOOST_TEST(fresh[(32 * n + 64) * n + 63] == 5);
  BOOST_TEST(fresh[(31 * n + 64) * n + 63] == 0);
}

BOOST_AUTO_TEST_CASE(memory_outlives_the_tasks_on_it_when_something_is_thrown) {
  Runtime runtime;
  std::atomic<double> sum{0};
  const Codelet work = Codelet("work", {AccessMode::read_write}).cpu([&](VectorView<double> x) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (double& value : x) sum = sum + (value += 1);
  });
  const auto program = [&](std::size_t n) {
    const auto might_throw = [] { throw std::runtime_error("on purpose"); };
#include <document_blocks/programming/unwinding.inc>
  };
  BOOST_CHECK_THROW(program(100), std::runtime_error);
  BOOST_TEST(sum == 100);
}

BOOST_AUTO_TEST_CASE(why_is_said) {
  std::vector<double> x(3);
  Runtime runtime;
  const Data data = runtime.vector(x, "temperatures");
  const Captured captured;
  {
    const HostAccess held = runtime.acquire(data, AccessMode::write);
    runtime.submit(Codelet("cool", {AccessMode::read_write}).cpu([](VectorView<double>) {}), {data});
#include <document_blocks/programming/why.inc>
  }
  runtime.wait();
  BOOST_TEST(captured.text().find("temperatures") != std::string::npos, captured.text());
}

BOOST_AUTO_TEST_CASE(the_watchdog_has_its_options) {
#include <document_blocks/programming/watchdog.inc>
  const Captured captured;
  options.observation.on_stall(WhyReport{});
  BOOST_TEST(!captured.text().empty());
  BOOST_TEST((options.observation.why_after == std::chrono::seconds(5)));
}

}  // namespace

/// This code is compiled but not run, because it needs a service.
inline void connecting() {
#include <document_blocks/programming/connect.inc>
  runtime.wait();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::documents
