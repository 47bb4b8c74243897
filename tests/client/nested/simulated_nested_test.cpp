// Tests of nested tasks in virtual time.
#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/nested/nested_support.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(simulated_nested)

namespace {

using namespace std::chrono_literals;

/// A machine whose cores, and perhaps a GPU, run the codelet "step" in 4 ms, on the GPU in 1 ms.
std::shared_ptr<SimulationOptions> machine(int cores, int gpus = 0) {
  auto options = std::make_shared<SimulationOptions>();
  options->machine = plain_machine({.cores = cores, .gpus = gpus, .bandwidth_mb_per_s = 1e6, .latency = {}});
  if (gpus > 0) options->gpus = {0};
  options->times["step"] = {.core = 4ms, .gpu = 1ms};
  return options;
}

RuntimeOptions on(const std::shared_ptr<SimulationOptions>& machine, const std::string& policy = "heft") {
  RuntimeOptions options;
  options.policy = policy;
  options.simulation = machine;
  return options;
}

Duration time_of(const Runtime& runtime) { return runtime.report().virtual_time.value(); }

/// Eight elements, divided in two again and again. A nested task for each part has one for each half, and then a step
/// on the part.
struct Recursion {
  explicit Recursion(Runtime& on) : runtime(on), whole(on.allocate_vector<double>(8)) { divide(whole, 8); }

  void run() { run(0); }

 private:
  /// Part i has the halves 2 i + 1 and 2 i + 2.
  void divide(const Handle& part, std::int64_t size) {
    parts = {part};
    for (std::size_t i = 0; i < 7; ++i) {
      if (i == 1 || i == 3) size /= 2;
      const std::array<Block, 2> halves{Block{0, 0, size / 2, 1}, Block{size / 2, 0, size / 2, 1}};
      for (const Handle& half : runtime.partition(parts[i], halves)) parts.push_back(half);
    }
  }
  void run(std::size_t i) {
    runtime.submit(with_weak({read_write(parts[i])}), [this, i] {
      if (i < 7) {
        run(2 * i + 1);
        run(2 * i + 2);
      }
      runtime.submit(step, {parts[i]});
    });
  }

  Runtime& runtime;
  Data whole;
  std::vector<Handle> parts;
  Codelet step{"step", {AccessMode::read_write}};
};

}  // namespace

BOOST_AUTO_TEST_CASE(kernels_are_called_and_their_children_take_the_time) {
  for (const char* policy : {"heft", "mct", "homeward"}) {
    BOOST_TEST_INFO(policy);
    Runtime runtime(on(machine(8), policy));
    Recursion recursion(runtime);
    recursion.run();
    runtime.wait();
    // Four levels of 8, 4, 2 and 1 steps, each level at once.
    BOOST_TEST(time_of(runtime).count() == Duration(16ms).count());
    BOOST_TEST(runtime.report().ended == 30U);
  }
}

BOOST_AUTO_TEST_CASE(one_core_takes_the_sum) {
  Runtime runtime(on(machine(1)));
  Recursion recursion(runtime);
  recursion.run();
  runtime.wait();
  BOOST_TEST(time_of(runtime).count() == Duration(15 * 4ms).count());
}

BOOST_AUTO_TEST_CASE(what_follows_waits_for_the_last_child_on_its_part) {
  Runtime runtime(on(machine(2)));
  const Data x = runtime.allocate_vector<double>(8);
  const std::array<Block, 2> halves{Block{0, 0, 4, 1}, Block{4, 0, 4, 1}};
  const auto parts = runtime.partition(x, halves);
  const Codelet step("step", {AccessMode::read_write});
  runtime.submit(with_weak({read_write(x)}), [&] {
    for (int i = 0; i < 4; ++i) runtime.submit(step, {parts[0]});
    runtime.submit(step, {parts[1]});
  });
  runtime.submit(step, {parts[1]}).wait();
  BOOST_TEST(time_of(runtime).count() == Duration(8ms).count());
  runtime.wait();
  BOOST_TEST(time_of(runtime).count() == Duration(16ms).count());
}

BOOST_AUTO_TEST_CASE(children_run_on_gpus) {
  Runtime runtime(on(machine(2, 1)));
  const Data x = runtime.allocate_vector<double>(8);
  const Codelet step("step", {AccessMode::read_write});
  runtime.submit(with_weak({read_write(x)}), [&] {
    for (int i = 0; i < 3; ++i) runtime.submit(step, {x});
  });
  runtime.wait();
  BOOST_TEST(time_of(runtime).count() >= Duration(3ms).count());
  BOOST_TEST(time_of(runtime).count() < Duration(4ms).count());
}

BOOST_AUTO_TEST_CASE(a_nested_task_takes_the_time_that_the_program_gives_it) {
  const auto timed = machine(1);
  timed->times["outer"] = {.core = 7ms};
  Runtime runtime(on(timed));
  const Data x = runtime.allocate_vector<double>(8);
  const Codelet step("step", {AccessMode::read_write});
  const Codelet outer = Codelet("outer", {}).cpu([&](const KernelContext&) { runtime.submit(step, {x}); });
  runtime.submit(outer, {}, kNoArguments, with_weak({read_write(x)}));
  runtime.wait();
  BOOST_TEST(time_of(runtime).count() == Duration(11ms).count());
}

BOOST_AUTO_TEST_CASE(kernels_get_their_data_if_there_are_real_buffers) {
  const auto real = machine(2);
  real->real_buffers = true;
  Runtime runtime(on(real));
  std::vector<double> elements{3, 4};
  const auto x = runtime.vector(elements, "x");
  const Codelet step = Codelet("step", {AccessMode::read_write}).cpu([](VectorView<double> x) {
    for (double& element : x) element *= 2;
  });
  runtime.submit(
      nested(),
      [&](VectorView<double> own) {
        own[0] += 1;
        runtime.submit(step, {x});
      },
      x);
  runtime.wait();
  BOOST_TEST(elements == (std::vector<double>{8, 8}), boost::test_tools::per_element());
  BOOST_TEST(time_of(runtime).count() == Duration(4ms).count());
}

BOOST_AUTO_TEST_CASE(a_kernel_that_throws_fails_its_task_and_cancels_the_children) {
  Runtime runtime(on(machine(1)));
  const Data x = runtime.allocate_vector<double>(8);
  const Codelet step("step", {AccessMode::read_write});
  const Future task = runtime.submit(with_weak({read_write(x)}), [&] {
    runtime.submit(step, {x});
    throw std::runtime_error("no more");
  });
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::cancelled, "1 task failed, 1 task was", "no more"));
  BOOST_TEST((task.status() == TaskStatus::failed));
  BOOST_TEST(time_of(runtime).count() == 0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused) {
  Runtime runtime(on(machine(1)));
  const Data x = runtime.allocate_vector<double>(8);
  const auto invalid = [](auto... parts) { return failure(ErrorCode::invalid_argument, parts...); };
  const Codelet outer = Codelet("outer", {AccessMode::read_write}).cpu([](VectorView<double>) {});
  BOOST_CHECK_EXCEPTION(runtime.submit(outer, {x}, kNoArguments, nested()), Error,
                        invalid("'outer'", "TaskOptions::weak", "real_buffers"));
  BOOST_CHECK_EXCEPTION((void)runtime.async([] { return 1; }), Error, invalid("virtual time"));
  BOOST_CHECK_EXCEPTION(runtime.submit(Codelet("step", {}), {}, kNoArguments, nested()), Error,
                        failure(ErrorCode::no_implementation, "'step'"));
  std::string message;
  runtime.submit(with_weak({read_write(x)}), [&] {
    runtime.submit(Codelet("step", {AccessMode::read_write}), {x});
    message = message_of([&] { runtime.wait(); });
  });
  runtime.wait();
  BOOST_TEST(contains(message, "cannot wait in virtual time"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
