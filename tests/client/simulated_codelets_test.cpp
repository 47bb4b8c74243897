// Tests of programs in virtual time with codelets without implementations, data without memory, and times that the
// program gives.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "troupe/troupe.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(simulated_codelets)

namespace {

using namespace std::chrono_literals;

/// Returns a machine with four cores. With two GPUs, two of the cores drive the GPUs. A copy of 10^6 bytes takes 1 ms.
std::shared_ptr<SimulationOptions> machine(int gpus = 0) {
  auto options = std::make_shared<SimulationOptions>();
  options->machine = plain_machine({.cores = 4, .gpus = gpus, .bandwidth_mb_per_s = 1000, .latency = {}});
  for (int gpu = 0; gpu < gpus; ++gpu) options->gpus.push_back(gpu);
  return options;
}

Duration time_of(const Runtime& runtime) { return runtime.report().virtual_time.value(); }

std::string refusal(const std::function<void()>& submits) {
  try {
    submits();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "";
}

bool says(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (text.find(part) == std::string::npos) {
      BOOST_TEST_MESSAGE("'" << text << "' does not say '" << part << "'");
      return false;
    }
  }
  return true;
}

BOOST_AUTO_TEST_CASE(run_without_implementations_as_long_as_the_program_says) {
  const auto options = machine();
  options->times["first"] = {.core = 3ms};
  options->times["second"] = {.core = [](const TimedTask& task) { return task.data[0].rows * Duration(1ms); }};
  Runtime runtime({.policy = "heft", .trace = true, .simulation = options});
  const Codelet first("first", {AccessMode::write});
  const Codelet second("second", {AccessMode::read, AccessMode::read_write});
  // The data would need 8 * 10^14 bytes of memory.
  const Data large = runtime.allocate_matrix<double>(10'000'000, 10'000'000);
  const Data five = runtime.allocate_vector<double>(5);
  const Data seven = runtime.allocate_vector<double>(7);
  runtime.submit(first, {five});
  runtime.submit(first, {seven});
  runtime.submit(second, {five, large});
  runtime.submit(second, {seven, large});
  runtime.wait();
  BOOST_TEST(time_of(runtime).count() == Duration(3ms + 5ms + 7ms).count());
  BOOST_TEST(runtime.take_trace().events.size() == 4U);
  BOOST_TEST(says(refusal([&] { (void)runtime.acquire(five, AccessMode::read); }), {"without memory"}));
}

BOOST_AUTO_TEST_CASE(run_on_gpus_where_there_are_times_for_them) {
  for (const char* policy : {"heft", "dada", "homeward", "ws"}) {
    const auto options = machine(2);
    options->times["on core"] = {.core = 10ms};
    options->times["on gpu"] = {.gpu = [](const TimedTask& task) { return task.gpu == 0 ? 2ms : 4ms; }};
    Runtime runtime({.policy = policy, .simulation = options});
    const Data x = runtime.allocate_vector<double>(125'000);
    runtime.submit(Codelet("on core", {AccessMode::read_write}), {x});
    runtime.submit(Codelet("on gpu", {AccessMode::read_write}), {x});
    runtime.wait();
    // One copy of 10^6 bytes to one of the two GPUs is expected.
    const auto ms = time_of(runtime) / 1ms;
    BOOST_TEST((ms == 13 || ms == 15), policy << ": " << ms << " ms");
    BOOST_TEST(runtime.report().transfers.host_to_device.count == 1'000'000U);
  }
}

BOOST_AUTO_TEST_CASE(with_an_implementation_for_cores_run_on_gpus_where_the_program_times_them_there) {
  const auto options = machine(1);
  options->times["scale"] = {.core = 100ms, .gpu = 1ms};
  Runtime runtime({.policy = "heft", .simulation = options});
  bool called = false;
  const Codelet scale = Codelet("scale", {AccessMode::read_write}).cpu([&](VectorView<double>) { called = true; });
  const Data x = runtime.allocate_vector<double>(125'000);
  runtime.submit(scale, {x});
  runtime.wait();
  BOOST_TEST(!called);
  BOOST_TEST(time_of(runtime).count() == Duration(2ms).count());
}

BOOST_AUTO_TEST_CASE(use_a_descriptions_times_by_what_they_are_timed_as) {
  auto options = std::make_shared<SimulationOptions>();
  options->machine = load_machine("idgraf-double").value_or_throw();
  options->gpus = {0};
  Runtime runtime({.policy = "heft", .simulation = options});
  const Codelet gemm = Codelet("mine", {AccessMode::read, AccessMode::read_write})
                           .timed_as("cholesky/gemm/double")
                           .flops([](const KernelContext&) { return 2.0 * 512 * 512 * 512; });
  const Data a = runtime.allocate_matrix<double>(512, 512);
  const Data b = runtime.allocate_matrix<double>(512, 512);
  runtime.submit(gemm, {a, b});
  runtime.wait();
  BOOST_TEST(time_of(runtime).count() > 0);
}

BOOST_AUTO_TEST_CASE(of_a_described_kernel_take_the_time_of_their_operations_or_of_its_largest_tile) {
  const auto options = std::make_shared<SimulationOptions>();
  options->machine = load_machine("idgraf-double").value_or_throw();
  Runtime runtime({.simulation = options});
  const Data x = runtime.allocate_matrix<double>(512, 512);
  const auto time_with = [&](double edge) {
    Codelet update = Codelet("update", {AccessMode::read_write}).timed_as("cholesky/gemm/double");
    if (edge > 0) update.flops([edge](const KernelContext&) { return 2 * edge * edge * edge; });
    const Duration before = runtime.report().virtual_time.value_or(Duration{});
    runtime.submit(update, {x});
    runtime.wait();
    return time_of(runtime) - before;
  };
  const Duration small = time_with(256);
  BOOST_TEST(small.count() > 0);
  BOOST_TEST(time_with(512).count() > 4 * small.count());
  BOOST_TEST(time_with(0).count() == time_with(960).count());
}

BOOST_AUTO_TEST_CASE(take_as_long_as_a_function_of_operations_says_whatever_the_arguments) {
  const auto options = machine();
  options->times["count"] = {.core = [](const TimedTask& task) { return Duration(std::llround(task.flops * 1e6)); }};
  Runtime runtime({.simulation = options});
  const Codelet count = Codelet("count", {AccessMode::read_write}).flops([](const KernelContext& context) {
    return static_cast<double>(context.argument<int>(0));
  });
  const Data x = runtime.allocate_scalar<double>();
  for (const int ms : {1, 20, 300}) runtime.submit(count, {x}, args(ms));
  runtime.wait();
  BOOST_TEST(time_of(runtime).count() == Duration(321ms).count());
}

BOOST_AUTO_TEST_CASE(make_use_of_clusters_as_far_as_the_program_says) {
  const auto options = machine();
  options->clusters = "1x4";
  options->times["wide"] = {.core = [](const TimedTask& task) { return Duration(12ms) / task.cores; }, .most_cores = 3};
  options->times["narrow"] = {.core = 12ms};
  Runtime runtime({.policy = "heft", .simulation = options});
  const Data x = runtime.allocate_scalar<double>();
  runtime.submit(Codelet("wide", {AccessMode::read_write}), {x});
  runtime.submit(Codelet("narrow", {AccessMode::read_write}), {x});
  runtime.wait();
  BOOST_TEST(time_of(runtime).count() == Duration(16ms).count());
}

BOOST_AUTO_TEST_CASE(are_refused_without_a_time_whatever_the_policy_with_codelet_sizes_and_devices) {
  for (const char* policy : {"heft", "homeward", "ws"}) {
    Runtime runtime({.policy = policy, .simulation = machine(1)});
    const Data x = runtime.allocate_matrix<double>(30, 20);
    const Codelet bare("bare", {AccessMode::read_write});
    const std::string text = refusal([&] { runtime.submit(bare, {x}); });
    BOOST_TEST(says(text, {"bad_input", "codelet 'bare' on data of 30 x 20", "cpu core or a CUDA GPU", "timed_as",
                           "SimulationOptions::times[\"bare\"]", "4 cores and 1 GPU"}));
    BOOST_TEST(text.find("policy") == std::string::npos);
    const Codelet on_core = Codelet("core", {AccessMode::read_write}).cpu([](MatrixView<double>) {});
    BOOST_TEST(says(refusal([&] { runtime.submit(on_core, {x}); }), {"for a cpu core in virtual time"}));
    // Recording such a task is refused, too, and has no effect.
    BOOST_TEST(!refusal([&] { (void)runtime.record([&] { runtime.submit(bare, {x}); }); }).empty());
    runtime.wait();
  }
}

BOOST_AUTO_TEST_CASE(fail_with_what_their_times_throw) {
  const auto options = machine();
  options->times["throws"] = {.core = [](const TimedTask&) -> Duration { throw std::runtime_error("no idea"); }};
  options->times["backwards"] = {.core = -1ms};
  options->times["vague"] = {.core = 1ms, .deviation = std::numeric_limits<double>::infinity()};
  Runtime runtime({.simulation = options});
  const Data x = runtime.allocate_vector<double>(40);
  runtime.submit(Codelet("throws", {AccessMode::write}), {x});
  BOOST_TEST(says(refusal([&] { runtime.wait(); }), {"codelet 'throws'", "'no idea'", "cpu core", "40 x 1"}));
  runtime.submit(Codelet("backwards", {AccessMode::write}), {x});
  BOOST_TEST(says(refusal([&] { runtime.wait(); }), {"codelet 'backwards'", "-1000 us", "at least 0"}));
  runtime.submit(Codelet("vague", {AccessMode::write}), {x});
  BOOST_TEST(says(refusal([&] { runtime.wait(); }), {"codelet 'vague'", "deviation of inf"}));
}

BOOST_AUTO_TEST_CASE(need_an_implementation_where_kernels_are_executed) {
  const auto options = machine();
  options->real_buffers = true;
  options->times["bare"] = {.core = 1ms};
  Runtime runtime({.simulation = options});
  double value = 0;
  const Data x = runtime.scalar(value);
  const std::string text = refusal([&] { runtime.submit(Codelet("bare", {AccessMode::write}), {x}); });
  BOOST_TEST(says(text, {"no_implementation", "codelet 'bare'"}));
  const Codelet full = Codelet("bare", {AccessMode::write}).cpu([](double& to) { to = 3; });
  runtime.submit(full, {x});
  runtime.wait();
  BOOST_TEST(value == 3);
  BOOST_TEST(time_of(runtime).count() == Duration(1ms).count());
}

BOOST_AUTO_TEST_CASE(vary_with_noise_by_the_deviation_given) {
  const auto options = machine();
  options->noise = true;
  options->times["noisy"] = {.core = 10ms, .deviation = 0.2};
  Runtime runtime({.simulation = options});
  const Data x = runtime.allocate_scalar<double>();
  for (int i = 0; i < 100; ++i) runtime.submit(Codelet("noisy", {AccessMode::read_write}), {x});
  runtime.wait();
  const double mean_ms = static_cast<double>(time_of(runtime).count()) / 1e8;
  BOOST_TEST(mean_ms != 10);
  BOOST_TEST(mean_ms > 9);
  BOOST_TEST(mean_ms < 11);
}

BOOST_AUTO_TEST_CASE(plain_machines_say_what_is_wrong_with_them) {
  BOOST_TEST(says(refusal([] { (void)plain_machine({.cores = 0}); }), {"0 cores"}));
  BOOST_TEST(says(refusal([] { (void)plain_machine({.cores = 1, .gpus = -1}); }), {"-1 GPUs"}));
  BOOST_TEST(
      says(refusal([] { (void)plain_machine({.cores = 1, .gpus = 1, .bandwidth_mb_per_s = 0}); }), {"bandwidth"}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
