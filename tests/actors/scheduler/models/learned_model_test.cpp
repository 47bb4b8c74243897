#include "actors/scheduler/models/learned_model.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "troupe/codelet.hpp"

namespace troupe::scheduler {

namespace learned_model {

using namespace std::chrono_literals;
using Change = ExecutionModel::Change;
const auto kClose = boost::test_tools::tolerance(0.02);
constexpr WorkerId kCore(0);
constexpr WorkerId kOtherCore(1);
constexpr WorkerId kGpu(2);

struct Fixture {
  graph::SizeClass size_class(const Codelet& codelet, double flops, std::uint64_t shapes,
                              std::uint64_t element_bytes = 8) {
    graph::SizeClass made;
    made.id = SizeClassId(next++);
    made.codelet = &codelet.definition();
    made.flops = flops;
    made.bytes = Bytes{static_cast<std::uint64_t>(flops) + 800};
    made.shapes = shapes;
    made.element_bytes = element_bytes;
    return made;
  }
  double predicted_us(const graph::SizeClass& of, WorkerId worker) const {
    return 1e6 * seconds(model.predict(of, worker).value());
  }
  void measure(const graph::SizeClass& of, WorkerId worker, Duration time, int times = 3) {
    for (int i = 0; i < times; ++i) (void)model.measured(of, worker, time);
  }

  std::shared_ptr<ExecutionHistory> history = std::make_shared<ExecutionHistory>();
  LearnedModel model{history, {DeviceKind::cpu_core, DeviceKind::cpu_core, DeviceKind::cuda}};
  Codelet gemm = Codelet("gemm", {}).cpu([](const KernelContext&) {});
  Codelet timed = Codelet("gemm_nt", {}).cpu([](const KernelContext&) {}).timed_as("gemm");
  std::uint32_t next = 0;
};

}  // namespace learned_model

BOOST_FIXTURE_TEST_SUITE(learned_model, Fixture)

BOOST_AUTO_TEST_CASE(a_time_makes_a_guess_and_three_a_prediction_for_all_devices_of_the_kind) {
  const auto large = size_class(gemm, 1e6, 1);
  BOOST_TEST(!model.predict(large, kCore).has_value());
  BOOST_TEST(model.measurements_missing(large, kCore) == 3U);
  BOOST_TEST((model.measured(large, kCore, 10us) == Change::kernel));
  BOOST_TEST(predicted_us(large, kCore) == 10, kClose);
  BOOST_TEST(!model.is_sure(large, kCore));
  BOOST_TEST((model.measured(large, kOtherCore, 11us) == Change::kernel));
  BOOST_TEST(model.measurements_missing(large, kOtherCore) == 1U);
  BOOST_TEST((model.measured(large, kCore, 12us) == Change::kernel));
  BOOST_TEST(model.measurements_missing(large, kOtherCore) == 0U);
  BOOST_TEST((model.predict(large, kCore) == 11us));
  BOOST_TEST((model.predict(large, kOtherCore) == 11us));
  BOOST_TEST(!model.predict(large, kGpu).has_value());
}

BOOST_AUTO_TEST_CASE(small_changes_are_not_told_until_they_add_up) {
  const auto large = size_class(gemm, 1e6, 1);
  measure(large, kCore, 1000us, 50);
  BOOST_TEST((model.predict(large, kCore) == 1000us));
  int told = 0;
  // Each measurement moves the mean by 0.4 % at first. Only after some measurements is the change large enough to
  // report.
  BOOST_TEST((model.measured(large, kCore, 1200us) != Change::size_class));
  BOOST_TEST((model.measured(large, kCore, 1200us) != Change::size_class));
  for (int i = 0; i < 3; ++i) told += model.measured(large, kCore, 1200us) == Change::size_class ? 1 : 0;
  BOOST_TEST(told > 0);
  (void)model.predict(large, kCore);
  BOOST_TEST((model.measured(large, kCore, 1020us) == Change::nothing));
}

BOOST_AUTO_TEST_CASE(sizes_that_were_not_measured_are_predicted_by_the_law_through_all_others) {
  // The three measured tasks have three different sizes, and their times are proportional to the size.
  for (std::uint64_t i = 1; i <= 3; ++i) measure(size_class(gemm, 1e6 * static_cast<double>(i), i), kCore, 10us * i, 1);
  const auto between = size_class(gemm, 2.5e6, 10);
  BOOST_TEST(predicted_us(between, kCore) == 25, kClose);
  BOOST_TEST(predicted_us(size_class(gemm, 5e6, 11), kCore) == 50, kClose);
  BOOST_TEST(!model.predict(between, kGpu).has_value());
  // Measurements of the size itself count more than the law.
  measure(between, kCore, 30us);
  BOOST_TEST((model.predict(between, kCore) == 30us));
}

BOOST_AUTO_TEST_CASE(equal_sizes_of_other_shapes_are_told_apart) {
  const auto square = size_class(gemm, 1e6, 1);
  const auto narrow = size_class(gemm, 1e6, 2);
  measure(square, kCore, 10us);
  BOOST_TEST(predicted_us(narrow, kCore) == 10, kClose);
  measure(narrow, kCore, 90us);
  BOOST_TEST((model.predict(square, kCore) == 10us));
  BOOST_TEST((model.predict(narrow, kCore) == 90us));
}

BOOST_AUTO_TEST_CASE(how_times_go_with_sizes_is_learned_from_the_other_kind_of_device_too) {
  // On the GPU, the times grow with the square of the size.
  for (std::uint64_t i = 1; i <= 12; ++i)
    measure(size_class(gemm, 1e6 * static_cast<double>(i), i), kGpu, 1us * i * i, 1);
  for (std::uint64_t i = 1; i <= 3; ++i)
    measure(size_class(gemm, 1e6 + static_cast<double>(i), 20 + i), kCore, 50us, 1);
  const auto large = size_class(gemm, 1e7, 10);
  BOOST_TEST(predicted_us(large, kCore) == 5000, boost::test_tools::tolerance(0.3));
  BOOST_TEST(model.doubt(large, kCore) > model.doubt(large, kGpu));
}

BOOST_AUTO_TEST_CASE(precisions_are_not_mixed) {
  measure(size_class(gemm, 1e6, 1, 8), kCore, 10us);
  measure(size_class(gemm, 4e6, 2, 8), kCore, 40us);
  BOOST_TEST(!model.predict(size_class(gemm, 2e6, 3, 4), kCore).has_value());
  BOOST_TEST(model.predict(size_class(gemm, 2e6, 3, 8), kCore).has_value());
}

BOOST_AUTO_TEST_CASE(where_operations_are_not_counted_bytes_are_the_size) {
  auto small = size_class(gemm, 0, 1);
  auto large = size_class(gemm, 0, 2);
  auto between = size_class(gemm, 0, 3);
  small.bytes = Bytes{100};
  large.bytes = Bytes{400};
  between.bytes = Bytes{200};
  measure(small, kCore, 10us);
  measure(large, kCore, 80us);
  // For four times the size the time is eight times as long, so the exponent of the law is 3/2.
  BOOST_TEST(predicted_us(between, kCore) == 28.284, boost::test_tools::tolerance(0.03));
}

BOOST_AUTO_TEST_CASE(a_prediction_is_sure_when_the_law_is_or_when_many_tasks_were_measured) {
  Codelet odd = Codelet("odd", {}).cpu([](const KernelContext&) {});
  // The times alternate between 10 and 90 us, whatever the size.
  const auto one = [&](std::uint64_t i) { return size_class(odd, 1e6 + static_cast<double>(i), i); };
  const auto asked = one(1'000'000);
  std::uint64_t next = 0;
  for (; next < 8; ++next) measure(one(next), kCore, next % 2 == 0 ? 10us : 90us, 1);
  BOOST_TEST(!model.is_sure(asked, kCore));
  for (; next < LearnedModel::kMany; ++next) measure(one(next), kCore, next % 2 == 0 ? 10us : 90us, 1);
  BOOST_TEST(model.is_sure(asked, kCore));
  // Only three tasks are measured on the GPU, too few for a sure prediction.
  measure(one(next++), kGpu, 10us, 1);
  measure(one(next++), kGpu, 90us, 1);
  measure(one(next++), kGpu, 90us, 1);
  BOOST_TEST(!model.is_sure(asked, kGpu));
  for (; next < LearnedModel::kManyInAll; ++next) measure(one(next), kCore, 10us, 1);
  BOOST_TEST(model.is_sure(asked, kGpu));
  measure(size_class(gemm, 1e6, 1), kGpu, 10us);
  BOOST_TEST(model.is_sure(size_class(gemm, 1e6, 1), kGpu));
}

BOOST_AUTO_TEST_CASE(classes_of_one_kernel_have_one_number) {
  const std::size_t number = model.kernel(size_class(gemm, 1e6, 1));
  BOOST_TEST(model.kernel(size_class(gemm, 2e6, 2)) == number);
  BOOST_TEST(model.kernel(size_class(timed, 2e6, 2)) == number);
  BOOST_TEST(model.kernel(size_class(gemm, 1e6, 1, 4)) != number);
  BOOST_TEST(model.kernel(size_class(gemm, 0, 1)) != number);
}

BOOST_AUTO_TEST_CASE(tables_of_times_of_one_kernel_learn_together) {
  const auto named = [](const char* timed_as) {
    return learned_name(Codelet("k", {}).timed_as(timed_as).definition());
  };
  BOOST_TEST(named("program/dot#1/any") == "program/dot/any");
  BOOST_TEST(named("program/dot#27") == "program/dot");
  BOOST_TEST(named("program/a#b#3/any") == "program/a#b/any");
  BOOST_TEST(named("program/dot#/any") == "program/dot#/any");
  BOOST_TEST(named("program/dot#1x/any") == "program/dot#1x/any");
  BOOST_TEST(learned_name(Codelet("k#1", {}).definition()) == "k#1");
}

BOOST_AUTO_TEST_CASE(codelets_that_are_timed_alike_learn_together) {
  measure(size_class(timed, 1e6, 1), kCore, 10us);
  BOOST_TEST((model.predict(size_class(gemm, 1e6, 1), kCore) == 10us));
}

BOOST_AUTO_TEST_CASE(another_model_goes_on_with_the_history) {
  measure(size_class(gemm, 1e6, 1), kCore, 10us);
  const LearnedModel next_run(history, {DeviceKind::cpu_core});
  BOOST_TEST((next_run.predict(size_class(gemm, 1e6, 1), kCore) == 10us));
}

BOOST_AUTO_TEST_CASE(devices_of_other_models_or_with_other_numbers_of_cores_learn_apart) {
  LearnedModel mixed(history, {{DeviceKind::cuda, 1, "fast"},
                               {DeviceKind::cuda, 1, "slow"},
                               {DeviceKind::cpu_core, 1},
                               {DeviceKind::cpu_core, 4},
                               {DeviceKind::cuda, 1, "fast"}});
  const Codelet team = Codelet("gemm", {}).cpu_team([](const KernelContext&) {}).cuda([](const KernelContext&) {});
  const auto large = size_class(team, 1e6, 1);
  for (std::uint32_t worker = 0; worker < 4; ++worker) {
    for (int i = 0; i < 3; ++i) (void)mixed.measured(large, WorkerId(worker), 10us * (worker + 1));
  }
  for (std::uint32_t worker = 0; worker < 4; ++worker) {
    BOOST_TEST((mixed.predict(large, WorkerId(worker)) == 10us * (worker + 1)), worker);
  }
  BOOST_TEST((mixed.predict(large, WorkerId(4)) == 10us));
  // The other model has the same history, so it uses the time of the single core, too.
  BOOST_TEST((model.predict(large, kCore) == 30us));
}

BOOST_AUTO_TEST_CASE(what_takes_no_time_is_predicted_so) {
  const auto none = size_class(gemm, 0, 1);
  measure(none, kCore, 0us);
  BOOST_TEST((model.predict(none, kCore) == 0us));
  BOOST_TEST((model.predict(size_class(gemm, 0, 3), kCore) <= 1ns));
}

/// A core, clusters of two, four and eight, and a GPU.
struct Clusters : Fixture {
  enum : std::uint32_t { one, two, four, eight, gpu };
  static constexpr auto nothing = [](const KernelContext&) {};

  LearnedModel of_clusters{history,
                           {DeviceKind::cpu_core,
                            {DeviceKind::cpu_core, 2},
                            {DeviceKind::cpu_core, 4},
                            {DeviceKind::cpu_core, 8},
                            DeviceKind::cuda}};
  Codelet team = Codelet("syrk", {}).cpu_team(nothing);
  void measure_on(const graph::SizeClass& of, std::uint32_t worker, Duration time, int times = 3) {
    for (int i = 0; i < times; ++i) (void)of_clusters.measured(of, WorkerId(worker), time);
  }
  auto predicted(const graph::SizeClass& of, std::uint32_t worker) { return of_clusters.predict(of, WorkerId(worker)); }
};

BOOST_FIXTURE_TEST_CASE(two_numbers_of_cores_predict_the_others, Clusters) {
  const auto large = size_class(team, 1e6, 1);
  measure_on(large, one, 90us);
  for (const std::uint32_t worker : {two, four, eight}) BOOST_TEST(!predicted(large, worker).has_value());
  // 10 us of the time cannot be divided among the cores; 80 us can.
  measure_on(large, four, 30us, 2);
  for (const std::uint32_t worker : {two, eight}) BOOST_TEST(!predicted(large, worker).has_value());
  measure_on(large, four, 30us, 1);
  BOOST_TEST((predicted(large, four) == 30us));
  BOOST_TEST((predicted(large, two) == 50us));
  BOOST_TEST((predicted(large, eight) == 20us));
  BOOST_TEST(!predicted(large, gpu).has_value());
  // Times that were measured on eight cores replace the prediction when there are three of them.
  measure_on(large, eight, 35us, 2);
  BOOST_TEST((predicted(large, eight) == 20us));
  measure_on(large, eight, 35us, 1);
  BOOST_TEST((predicted(large, eight) == 35us));
}

BOOST_FIXTURE_TEST_CASE(what_other_numbers_of_cores_change_is_told, Clusters) {
  const auto large = size_class(team, 1e6, 1);
  measure_on(large, one, 90us, 50);
  measure_on(large, four, 30us, 3);
  for (const std::uint32_t worker : {one, two, four, eight, gpu}) (void)predicted(large, worker);
  BOOST_TEST((of_clusters.measured(large, WorkerId(four), 30us) != Change::size_class));
  BOOST_TEST((of_clusters.measured(large, WorkerId(four), 40us) != Change::nothing));
}

BOOST_FIXTURE_TEST_CASE(sizes_that_were_not_measured_on_a_cluster_are_predicted_from_power_laws, Clusters) {
  for (const auto& [flops, shapes] : {std::pair{1e6, 1}, std::pair{4e6, 2}}) {
    const auto measured = size_class(team, flops, static_cast<std::uint64_t>(shapes));
    measure_on(measured, one, std::chrono::duration_cast<Duration>(90us * (flops / 1e6)));
    measure_on(measured, four, std::chrono::duration_cast<Duration>(30us * (flops / 1e6)));
  }
  const auto between = size_class(team, 2e6, 3);
  BOOST_TEST(seconds(predicted(between, four).value()) == 60e-6, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(seconds(predicted(between, eight).value()) == 40e-6, boost::test_tools::tolerance(1e-3));
}

BOOST_FIXTURE_TEST_CASE(a_codelet_without_a_version_for_teams_takes_as_long_as_on_one_core, Clusters) {
  const auto large = size_class(gemm, 1e6, 1);
  measure_on(large, one, 90us, 2);
  // The codelet has no version for teams, so only one of the cluster's cores runs the task.
  measure_on(large, eight, 90us, 1);
  for (const std::uint32_t worker : {one, two, four, eight}) BOOST_TEST((predicted(large, worker) == 90us));
  BOOST_TEST(history->kernels().size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(no_more_cores_count_than_a_codelet_can_use, Clusters) {
  const Codelet pair = Codelet("trsm", {}).cpu_team(nothing, 2);
  const auto large = size_class(pair, 1e6, 1);
  measure_on(large, one, 90us);
  measure_on(large, eight, 50us);
  for (const std::uint32_t worker : {two, four, eight}) BOOST_TEST((predicted(large, worker) == 50us));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
