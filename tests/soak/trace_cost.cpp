/// Measures how much processor time a trace costs for tasks of 50 us that each wait for three other tasks. Runs with
/// and without a trace alternate. To compare numbers of instructions, run each of the cases `without` and `with` under
/// callgrind.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <ctime>
#include <vector>

#include "troupe/troupe.hpp"

namespace {

using namespace troupe;

constexpr int kWidth = 8;
constexpr int kSteps = 500;
/// With this number of rounds, a kernel takes about 50 us on a core of 3 to 4 GHz.
constexpr int kRounds = 40'000;
constexpr int kPairs = 9;
constexpr double kLimit = 0.03;

double processor_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Runs a one-dimensional stencil: each task reads both neighbours from the step before. Returns the used processor
/// time in seconds.
double run(bool trace, int steps) {
  RuntimeOptions options;
  options.trace = trace;
  Runtime runtime(options);
  std::vector<std::uint64_t> cells(2 * kWidth, 1);
  std::vector<Data> data;
  for (std::uint64_t& cell : cells) data.push_back(runtime.scalar(cell));
  const Codelet step = Codelet("step", {AccessMode::read, AccessMode::read, AccessMode::write})
                           .cpu([](const std::uint64_t& a, const std::uint64_t& b, std::uint64_t& out) {
                             std::uint64_t x = a ^ (b << 1U) ^ 0x9e3779b97f4a7c15ULL;
                             for (int i = 0; i < kRounds; ++i) {
                               x ^= x << 13U;
                               x ^= x >> 7U;
                               x ^= x << 17U;
                             }
                             out = x;
                           });
  const double begin = processor_s();
  for (int t = 0; t < steps; ++t) {
    Data* const from = &data[t % 2 == 0 ? 0 : kWidth];
    Data* const to = &data[t % 2 == 0 ? kWidth : 0];
    for (int i = 0; i < kWidth; ++i) runtime.submit(step, {from[i], from[(i + 1) % kWidth], to[i]});
  }
  runtime.wait();
  const double seconds = processor_s() - begin;
  if (trace) {
    const Trace taken = runtime.take_trace();
    BOOST_TEST(taken.events.size() == static_cast<std::size_t>(kWidth * steps));
    // Each task waits for three tasks of the step before: the writers of the two cells that it reads, and a reader of
    // the cell that it writes.
    BOOST_TEST(taken.dependencies.size() == static_cast<std::size_t>(3 * kWidth * (steps - 1)));
    BOOST_TEST(taken.dropped == 0U);
  }
  return seconds;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(trace_cost)

BOOST_AUTO_TEST_CASE(without) { run(false, kSteps / 5); }

BOOST_AUTO_TEST_CASE(with) { run(true, kSteps / 5); }

BOOST_AUTO_TEST_CASE(is_less_than_3_percent_of_the_processor_time) {
  std::vector<double> ratios;
  for (int i = 0; i < kPairs; ++i) {
    // The first and the second run of a pair may find the caches in different states, so the order changes from pair to
    // pair.
    const double first = run(i % 2 == 0, kSteps);
    const double second = run(i % 2 != 0, kSteps);
    ratios.push_back(i % 2 == 0 ? first / second : second / first);
  }
  std::sort(ratios.begin(), ratios.end());
  const double median = ratios[ratios.size() / 2];
  BOOST_TEST_MESSAGE("processor time with a trace / without: median " << median << ", from " << ratios.front() << " to "
                                                                      << ratios.back());
  BOOST_TEST(median < 1 + kLimit);
}

BOOST_AUTO_TEST_SUITE_END()
