#include "actors/scheduler/models/time_law.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <ostream>

#include "proto/random.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(time_law)

namespace {

const auto kClose = boost::test_tools::tolerance(0.02);

TaskMeasures task(double size, std::initializer_list<double> extents = {}) {
  TaskMeasures made{.size = size};
  for (const double extent : extents) made.extents[made.extent_count++] = extent;
  return made;
}

/// An exact rule for times, and a function that draws random sizes. A `TimeLaw` has to learn the rule.
struct Followed {
  const char* name;
  TaskMeasures (*draw)(Random&);
  double (*time_s)(const TaskMeasures&);
  friend std::ostream& operator<<(std::ostream& out, const Followed& law) { return out << law.name; }
};

/// Draws a whole number whose logarithm is evenly distributed.
double drawn(Random& random, double least, double most) {
  return std::round(least * std::pow(most / least, static_cast<double>(random.next() >> 11U) * 0x1p-53));
}
TaskMeasures vector(Random& random) {
  const double rows = drawn(random, 2e4, 2e5);
  return task(8 * rows, {rows, 1});
}
TaskMeasures rectangle(Random& random) {
  const double rows = drawn(random, 64, 512), cols = drawn(random, 64, 512);
  return task(8 * rows * cols, {rows, cols});
}
TaskMeasures product(Random& random) {
  const double m = drawn(random, 64, 512), n = drawn(random, 64, 512), k = drawn(random, 64, 512);
  return task(8 * (m * k + k * n + m * n), {m, k, k, n, m, n});
}
TaskMeasures pair(Random& random) {
  const double first = drawn(random, 1e3, 1e5), second = drawn(random, 1e3, 1e5);
  return task(8 * (first + second), {first, 1, second, 1});
}

const std::initializer_list<Followed> kFollowed{
    {"proportional", vector, [](const TaskMeasures& t) { return t.size * 1e-9; }},
    {"constant", vector, [](const TaskMeasures&) { return 1e-3; }},
    {"constant + linear", vector, [](const TaskMeasures& t) { return 5e-4 + t.size * 1e-9; }},
    {"cubic in one extent", rectangle, [](const TaskMeasures& t) { return std::pow(t.extents[0], 3) * 1e-10; }},
    {"product", product, [](const TaskMeasures& t) { return t.extents[0] * t.extents[1] * t.extents[3] * 1e-10; }},
    {"one argument alone", pair, [](const TaskMeasures& t) { return t.extents[2] * 1e-8; }},
    {"product of two", pair, [](const TaskMeasures& t) { return t.extents[0] * t.extents[2] * 1e-12; }},
};

/// Returns the error after this number of measurements: the root mean square of the errors of the predicted logarithms.
double error_after(const Followed& followed, int measurements) {
  Random random(7);
  TimeLaw law;
  for (int i = 0; i < measurements; ++i) {
    const TaskMeasures one = followed.draw(random);
    law.add(one, followed.time_s(one));
  }
  double squares = 0;
  for (int i = 0; i < 100; ++i) {
    const TaskMeasures one = followed.draw(random);
    const double off = std::log(law.at(one)->time_s / followed.time_s(one));
    squares += off * off / 100;
  }
  return std::sqrt(squares);
}

BOOST_DATA_TEST_CASE(follows_what_times_depend_on_though_no_size_comes_twice, boost::unit_test::data::make(kFollowed)) {
  BOOST_TEST(error_after(sample, 16) < 0.15);
  BOOST_TEST(error_after(sample, 64) < 0.05);
}

BOOST_AUTO_TEST_CASE(begins_with_times_that_are_proportional_to_sizes) {
  TimeLaw law;
  BOOST_TEST(!law.at(task(100)).has_value());
  law.add(task(100), 1);
  BOOST_TEST(law.at(task(300))->time_s == 3, kClose);
  BOOST_TEST(law.at(task(300))->doubt > 0.3);
  law.add(task(200), 2);
  law.add(task(400), 4);
  BOOST_TEST(law.at(task(800))->time_s == 8, kClose);
  BOOST_TEST(law.at(task(50))->time_s == 0.5, kClose);
}

BOOST_AUTO_TEST_CASE(knows_how_sure_it_is) {
  TimeLaw law;
  for (const double size : {100, 110, 120}) law.add(task(size), size);
  const double near = law.at(task(110))->doubt;
  BOOST_TEST(law.at(task(10000))->doubt > 3 * near);
  for (const double size : {100, 110, 120, 105, 115, 95}) law.add(task(size), size);
  BOOST_TEST(law.at(task(110))->doubt < near);
  // If measured times differ by a factor of two, predictions are less certain, so `doubt` is larger.
  TimeLaw vague;
  for (int i = 0; i < 9; ++i) vague.add(task(100 + i), i % 2 == 0 ? 100 : 200);
  BOOST_TEST(vague.at(task(104))->doubt > 2 * law.at(task(110))->doubt);
}

BOOST_AUTO_TEST_CASE(times_that_vary_are_predicted_by_their_mean) {
  TimeLaw law;
  for (int i = 0; i < 200; ++i) law.add(task(100 + i % 10), i % 2 == 0 ? 1 : 4);
  BOOST_TEST(law.at(task(105))->time_s == 2.5, boost::test_tools::tolerance(0.1));
}

BOOST_AUTO_TEST_CASE(beyond_what_was_measured_times_neither_fall_nor_grow_faster_than_the_third_power) {
  TimeLaw falls;
  for (const double size : {100, 200, 400, 800}) falls.add(task(size), 1 / size);
  BOOST_TEST(falls.at(task(8000))->time_s >= falls.at(task(800))->time_s * 0.999);
  BOOST_TEST(falls.at(task(10))->time_s <= falls.at(task(100))->time_s * 1.001);
  TimeLaw steep;
  for (const double size : {100, 200, 400, 800}) steep.add(task(size), std::pow(size, 6));
  BOOST_TEST(steep.at(task(1600))->time_s <= steep.at(task(800))->time_s * 8.001);
  // If only an extent leaves the measured range, the predicted time changes by a factor of three at most.
  TimeLaw extent;
  for (const double rows : {10, 20, 40, 80}) extent.add(task(1000, {rows, 1000 / rows}), std::pow(rows, 3));
  BOOST_TEST(extent.at(task(1000, {1000, 1}))->time_s <= extent.at(task(1000, {80, 12.5}))->time_s * 3.01);
}

BOOST_AUTO_TEST_CASE(what_is_known_elsewhere_is_believed_here_but_for_the_factor) {
  Random random(3);
  TimeLaw known;
  const auto time_s = [](const TaskMeasures& of) { return std::pow(of.extents[0], 3) * 1e-10; };
  for (int i = 0; i < 64; ++i) {
    const TaskMeasures one = rectangle(random);
    known.add(one, time_s(one));
  }
  TimeLaw slower;
  TimeLaw alone;
  for (const double cols : {70, 75, 80}) {
    for (TimeLaw* law : {&slower, &alone}) law->add(task(8 * 64 * cols, {64, cols}), 10 * time_s(task(0, {64})));
  }
  slower.resemble(known);
  const TaskMeasures large = task(8 * 500 * 300, {500, 300});
  BOOST_TEST(slower.at(large)->time_s == 10 * time_s(large), boost::test_tools::tolerance(0.15));
  BOOST_TEST(alone.at(large)->time_s < 5 * time_s(large));
  BOOST_TEST(slower.at(large)->doubt < 0.9 * alone.at(large)->doubt);
  // Measured times count more than the law of another kernel. Here all tasks take equally long, unlike in `known`.
  TimeLaw constant;
  for (int i = 0; i < 40; ++i) constant.add(rectangle(random), 1);
  constant.resemble(known);
  BOOST_TEST(constant.at(large)->time_s == 1, boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(the_first_time_counts_less) {
  TimeLaw law;
  law.add(task(100), 10);
  for (int i = 0; i < 4; ++i) law.add(task(100), 1);
  BOOST_TEST(law.at(task(100))->time_s < 1.3);
}

BOOST_AUTO_TEST_CASE(rare_exceptions_count_for_little_and_another_machine_is_followed) {
  TimeLaw law;
  for (int i = 0; i < 40; ++i) law.add(task(100 + 10 * (i % 7)), (100 + 10 * (i % 7)) * (i % 10 == 9 ? 30 : 1));
  BOOST_TEST(law.at(task(130))->time_s == 130, boost::test_tools::tolerance(0.05));
  for (int i = 0; i < 40; ++i) law.add(task(100 + 10 * (i % 7)), 5 * (100 + 10 * (i % 7)));
  BOOST_TEST(law.at(task(130))->time_s == 650, boost::test_tools::tolerance(0.15));
}

BOOST_AUTO_TEST_CASE(predictions_change_when_there_are_an_eighth_more_times) {
  TimeLaw law;
  std::uint64_t changes = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t before = law.version();
    law.add(task(100 + i), 1);
    changes += law.version() - before;
  }
  BOOST_TEST(changes < 60U);
  BOOST_TEST(changes > 20U);
}

BOOST_AUTO_TEST_CASE(sums_are_all_that_it_is) {
  Random random(3);
  TimeLaw law;
  for (int i = 0; i < 50; ++i) {
    const TaskMeasures one = product(random);
    law.add(one, one.size);
  }
  // Both laws are fitted to equal sums, so they predict equal times.
  const TimeLaw first(law.sums());
  const TimeLaw second(first.sums());
  const TaskMeasures one = product(random);
  BOOST_TEST(first.at(one)->time_s == second.at(one)->time_s);
  BOOST_TEST(first.at(one)->time_s == one.size, kClose);
  BOOST_TEST(first.count() == 50U);
}

BOOST_AUTO_TEST_CASE(data_without_elements_and_tasks_without_time_are_very_small) {
  TimeLaw law;
  for (int i = 0; i < 5; ++i) law.add(task(0, {0, 0}), 0);
  BOOST_TEST(law.at(task(0, {0, 0}))->time_s == 1e-9, kClose);
  BOOST_TEST(std::isfinite(law.at(task(1e30, {1e30, 1e30}))->time_s));
}

BOOST_AUTO_TEST_CASE(a_task_with_more_data_than_all_before_leaves_doubts_that_are_numbers) {
  // Laws are fitted only now and then. For some of these numbers of tasks, `at` is called before the next fit.
  for (int before = 30; before < 60; ++before) {
    TimeLaw law;
    for (int i = 0; i < before; ++i) law.add(task(8, {1, 1}), 1e-6);
    law.add(task(24, {1, 1, 2, 1}), 2e-6);
    for (const TaskMeasures& asked : {task(0), task(8, {1, 1}), task(24, {1, 1, 2, 1}), task(800, {1, 1, 99, 1})}) {
      const auto predicted = law.at(asked);
      BOOST_TEST_REQUIRE(predicted.has_value());
      BOOST_TEST(std::isfinite(predicted->time_s));
      BOOST_TEST(std::isfinite(predicted->doubt));
    }
  }
}

BOOST_AUTO_TEST_CASE(tasks_of_other_numbers_of_data_can_be_measured_together) {
  TimeLaw law;
  for (const double size : {100, 200, 400}) law.add(task(size), size);
  for (const double size : {100, 200, 400}) law.add(task(size, {size, 1}), size);
  BOOST_TEST(law.at(task(300))->time_s == 300, boost::test_tools::tolerance(0.1));
  BOOST_TEST(law.at(task(300, {300, 1}))->time_s == 300, boost::test_tools::tolerance(0.1));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
