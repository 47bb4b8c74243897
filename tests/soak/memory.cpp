/// Runs ten million tasks with the default window. The use of memory must not grow with the number of tasks.
#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>

#include "troupe/troupe.hpp"

namespace {

using namespace troupe;

constexpr std::int64_t kTasks = 10'000'000;
constexpr double kLimitMib = 500;

double peak_resident_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory)

BOOST_AUTO_TEST_CASE(ten_million_tasks_take_less_than_500_mb) {
  Runtime runtime;
  const Codelet count = Codelet("count", {AccessMode::read_write}).cpu([](std::int64_t& value) { ++value; });
  const Codelet look =
      Codelet("look", {AccessMode::read, AccessMode::read_write}).cpu([](const std::int64_t& from, std::int64_t& to) {
        to += from > 0 ? 1 : 0;
      });
  std::int64_t first = 0;
  std::int64_t second = 0;
  const Data a = runtime.scalar(first);
  const Data b = runtime.scalar(second);
  runtime.submit(count, {a});
  for (std::int64_t i = 1; i < kTasks; ++i) {
    if (i % 2 == 0) {
      runtime.submit(count, {a});
    } else {
      runtime.submit(look, {a, b});
    }
  }
  runtime.wait();
  BOOST_TEST(first == kTasks / 2);
  BOOST_TEST(second == kTasks / 2);
  const double peak = peak_resident_mib();
  BOOST_TEST_MESSAGE("peak resident memory: " << peak << " MiB");
  BOOST_TEST(peak < kLimitMib);
}

BOOST_AUTO_TEST_SUITE_END()
