// Tests of data that are made in loops and in kernels, and of content that is discarded, on cores and accelerators.
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/tries.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(temporaries)

namespace {

std::uint64_t resident_bytes() {
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

const Codelet& one() {
  static const Codelet codelet = Codelet("one", {AccessMode::write}).cpu([](VectorView<double> x) {
    for (double& value : x) value = 1;
  });
  return codelet;
}

RuntimeOptions with_accelerator() {
  RuntimeOptions options = with_workers(1);
  options.accelerators.emulated_gpus.resize(1);
  return options;
}

/// Returns a codelet for accelerators only.
Codelet fill_there() {
  Codelet codelet("fill", {AccessMode::write});
  codelet.implement(DeviceKind::emulated, [](const KernelContext& context) {
    for (double& element : context.vector<double>(0)) element = 5;
  });
  return codelet;
}

BOOST_AUTO_TEST_CASE(temporaries_may_wait_for_the_thread_that_makes_them) {
  Runtime runtime(with_workers(1));
  Gate gate;
  double closed = 0;
  const auto behind = runtime.scalar(closed);
  runtime.submit([&](double&) { gate.pass(); }, behind);
  // More than 16 MiB in more than 32 pieces have ended before the first task has.
  for (int i = 0; i < 100; ++i) {
    const auto large = runtime.allocate_vector<double>(1 << 16);
    runtime.submit([](const double&, VectorView<double> x) { x[0] = 1; }, read(behind), write(large));
    const auto small = runtime.allocate_scalar<double>();
    runtime.submit([](const double&, double& x) { x = 1; }, read(behind), write(small));
  }
  gate.open();
  runtime.wait();
  BOOST_TEST(runtime.progress().ended >= 201U);
}

BOOST_AUTO_TEST_CASE(temporaries_in_a_loop_take_the_memory_of_a_few) {
  constexpr int kAll = 50'000;
  RuntimeOptions options = with_workers(1);
  options.window = 64;
  Runtime runtime(options);
  std::uint64_t early = 0;
  for (int i = 0; i < kAll; ++i) {
    if (i == kAll / 10) early = resident_bytes();
    const Data x = runtime.allocate_vector<double>(1024);
    runtime.submit(one(), {x});
  }
  runtime.wait();
  const std::uint64_t late = resident_bytes();
  BOOST_TEST_MESSAGE("resident after a tenth: " << early << " bytes, after all: " << late);
  if (!kSanitized) BOOST_TEST(late < early + early / 10);
}

BOOST_AUTO_TEST_CASE(temporaries_of_one_size_share_their_memory) {
  if (kSanitized) return skip("a sanitizer looks for uses of released memory, so that memory is not used again");
  for (const std::int64_t size : {1024, 1024 * 1024}) {
    Runtime runtime(with_workers(2));
    std::set<const double*> places;
    for (int i = 0; i < 100; ++i) {
      const Data x = runtime.allocate_vector<double>(size);
      runtime.submit(one(), {x});
      places.insert(runtime.acquire(x, AccessMode::read).vector<const double>().data());
    }
    BOOST_TEST(places.size() <= 2U);
  }
}

BOOST_AUTO_TEST_CASE(temporaries_of_kernels_share_their_memory) {
  if (kSanitized) return skip("a sanitizer looks for uses of released memory, so that memory is not used again");
  RuntimeOptions options = with_workers(2);
  options.window = 64;
  Runtime runtime(options);
  std::atomic<std::int64_t> sum{0};
  const Codelet use = Codelet("use", {AccessMode::read}).cpu([&](VectorView<const double> x) {
    sum += static_cast<std::int64_t>(x[0] + x[x.size() - 1]);
  });
  const Codelet makes = Codelet("makes", {}).cpu([&](int /*number*/) {
    const Data x = runtime.allocate_vector<double>(4096);
    runtime.submit(one(), {x});
    runtime.submit(use, {x});
  });
  std::uint64_t early = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (i == 2'000) early = resident_bytes();
    runtime.submit(makes, {}, args(i));
    if (i % 64 == 0) runtime.wait();
  }
  runtime.wait();
  BOOST_TEST(sum == 40'000);
  BOOST_TEST(resident_bytes() < early + early / 10);
}

BOOST_AUTO_TEST_CASE(memory_outlives_the_runtime_that_lent_it) {
  client::Memory memory;
  {
    Runtime runtime(with_workers(1));
    memory = runtime.allocate_bytes({100'000});
  }
  memory.data.get()[99'999] = std::byte{1};
  memory.data.reset();
}

BOOST_AUTO_TEST_CASE(memory_that_is_used_again_has_no_content) {
  Runtime runtime(with_workers(1));
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](VectorView<const double>) {});
  for (int i = 0; i < 3; ++i) {
    const Data x = runtime.allocate_vector<double>(1024, "x");
    BOOST_CHECK_EXCEPTION(runtime.submit(look, {x}), Error, failure(ErrorCode::invalid_argument, "'x' has no valid"));
    runtime.submit(one(), {x});
    runtime.submit(look, {x});
  }
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(content_is_discarded_by_data_and_by_handles) {
  for (const RuntimeOptions& options : {with_workers(2), with_accelerator(), deterministic(2)}) {
    Runtime runtime(options);
    std::vector<double> memory(100, 3);
    Data x = runtime.vector(memory, "x");
    x.discard();
    const auto refused = failure(ErrorCode::invalid_argument, "'x' has no valid content: the program has discarded it");
    BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(x, AccessMode::read), Error, refused);
    runtime.submit(one(), {x});
    runtime.wait();
    BOOST_TEST(memory[99] == 1);
    runtime.discard(x);
    BOOST_CHECK_EXCEPTION(runtime.wait(x), Error, refused);
    x.release();
    BOOST_CHECK_EXCEPTION(runtime.discard(x), Error, failure(ErrorCode::invalid_handle, "released"));
    x.discard();  // The object refers to nothing any more.
  }
}

BOOST_AUTO_TEST_CASE(what_is_discarded_on_an_accelerator_is_not_copied_home) {
  for (const bool discards : {false, true}) {
    Runtime runtime(with_accelerator());
    std::vector<double> memory(1000, 3);
    const Data x = runtime.vector(memory);
    for (int i = 0; i < 5; ++i) {
      runtime.submit(fill_there(), {x});
      if (discards) runtime.discard(x);
      runtime.wait();
    }
    BOOST_TEST(runtime.report().transfers.device_to_host.count == (discards ? 0U : 5 * 8000U));
    // Content that is written afterwards comes home as always.
    runtime.submit(fill_there(), {x});
    runtime.wait();
    BOOST_TEST(memory[999] == 5);
  }
}

BOOST_AUTO_TEST_CASE(kernels_discard_what_they_have_used) {
  Runtime runtime(with_workers(2));
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](VectorView<const double> x) {
    if (x[0] != 1) throw std::runtime_error("the content was gone too early");
  });
  const Codelet makes = Codelet("makes", {}).cpu([&](int /*number*/) {
    const Data x = runtime.allocate_vector<double>(100, "x");
    for (int round = 0; round < 3; ++round) {
      runtime.submit(one(), {x});
      runtime.submit(look, {x});
      runtime.discard(x);
    }
    if (message_of([&] { runtime.submit(look, {x}); }).empty()) throw std::runtime_error("it was read");
  });
  for (int i = 0; i < 200; ++i) runtime.submit(makes, {}, args(i));
  runtime.wait();
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
