// Tests of the guarantees for data: who owns the memory, and who may use it when.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/support/thread_checks.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(runtime_data)

namespace {

BOOST_AUTO_TEST_CASE(data_may_be_scalars_vectors_and_matrices_of_the_program) {
  Runtime runtime(with_workers(2));
  int scalar = 3;
  std::array<float, 4> fixed{1, 2, 3, 4};
  std::vector<double> block(12, 1);
  const Data s = runtime.scalar(scalar, "s");
  const Data a = runtime.vector(fixed);
  const Data m = runtime.matrix(block.data() + 1, 2, 3, 4, "m");
  const Codelet fill = Codelet("fill", {AccessMode::read, AccessMode::read, AccessMode::write})
                           .cpu([](const int& s, VectorView<const float> a, MatrixView<double> m) {
                             for (std::int64_t j = 0; j < m.cols; ++j) {
                               for (std::int64_t i = 0; i < m.rows; ++i) m(i, j) = s + a[3];
                             }
                           });
  runtime.submit(fill, {s, a, m});
  runtime.wait();
  const std::vector<double> expected{1, 7, 7, 1, 1, 7, 7, 1, 1, 7, 7, 1};
  BOOST_TEST(block == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(data_may_be_empty) {
  ThreadChecks checks;
  Runtime runtime(with_workers(1));
  std::vector<double> nothing;
  const Data v = runtime.vector(nothing);
  const Data m = runtime.allocate_matrix<double>(0, 7);
  const Codelet look = Codelet("look", {AccessMode::read, AccessMode::write})
                           .cpu([&checks](VectorView<const double> v, MatrixView<double> m) {
                             checks.expect(v.empty());
                             checks.expect(m.rows == 0 && m.cols == 7);
                           });
  runtime.submit(look, {v, m});
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(the_runtime_may_own_the_memory) {
  Runtime runtime(with_workers(2));
  const Data m = runtime.allocate_matrix<double>(3, 2, "m");
  const Data v = runtime.allocate_vector<int>(5);
  const Data s = runtime.allocate_scalar<float>();
  const Codelet set = Codelet("set", {AccessMode::write, AccessMode::write, AccessMode::write})
                          .cpu([](MatrixView<double> m, VectorView<int> v, float& s) {
                            m(2, 1) = 21;
                            std::iota(v.begin(), v.end(), 0);
                            s = 0.5F;
                          });
  runtime.submit(set, {m, v, s});
  BOOST_TEST(runtime.acquire(m, AccessMode::read).matrix<double>()(2, 1) == 21);
  BOOST_TEST(runtime.acquire(v, AccessMode::read).vector<const int>()[4] == 4);
  BOOST_TEST(runtime.acquire(s, AccessMode::read).vector<float>()[0] == 0.5F);
}

BOOST_AUTO_TEST_CASE(an_owner_lives_as_long_as_the_registration) {
  Runtime runtime(with_workers(1));
  auto owner = std::make_shared<std::vector<double>>(4, 1.0);
  const std::weak_ptr<void> watch = owner;
  double* const memory = owner->data();
  {
    Data data = runtime.matrix(memory, 2, 2, 2, {}, std::move(owner));
    BOOST_TEST(!watch.expired());
    const Data moved = std::move(data);
    BOOST_TEST(!watch.expired());
  }
  BOOST_TEST(watch.expired());
}

BOOST_AUTO_TEST_CASE(a_whole_and_its_blocks_are_ordered) {
  Runtime runtime(with_workers(3));
  std::vector<double> memory(16, 1);
  const Data whole = runtime.matrix(memory.data(), 4, 4, 4, "A");
  const auto blocks = runtime.partition(whole, std::array{Block{0, 0, 2, 4}, Block{2, 0, 2, 2}, Block{2, 2, 2, 2}});
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](MatrixView<double> m, double a) {
    for (std::int64_t j = 0; j < m.cols; ++j) {
      for (std::int64_t i = 0; i < m.rows; ++i) m(i, j) += a;
    }
  });
  const Codelet scale = Codelet("scale", {AccessMode::read_write}).cpu([](MatrixView<double> m, double a) {
    for (std::int64_t j = 0; j < m.cols; ++j) {
      for (std::int64_t i = 0; i < m.rows; ++i) m(i, j) *= a;
    }
  });
  for (int round = 0; round < 10; ++round) {
    for (const Handle& block : blocks) runtime.submit(add, {block}, args(1.0));
    runtime.submit(scale, {whole}, args(2.0));
  }
  runtime.wait();
  double expected = 1;
  for (int round = 0; round < 10; ++round) expected = (expected + 1) * 2;
  for (const double element : memory) BOOST_TEST(element == expected);
}

BOOST_AUTO_TEST_CASE(the_program_and_tasks_take_turns_with_data) {
  Runtime runtime(with_workers(2));
  double x = 1;
  const Data data = runtime.scalar(x);
  runtime.submit(twice(), {data});
  HostAccess access = runtime.acquire(data, AccessMode::read_write);
  BOOST_TEST(x == 2);
  const Future later = runtime.submit(twice(), {data});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  BOOST_TEST(!later.done());
  BOOST_TEST(access.vector<double>()[0] == 2);
  x = 10;
  HostAccess moved = std::move(access);
  moved.give_back();
  moved.give_back();
  later.wait();
  BOOST_TEST(x == 20);
}

BOOST_AUTO_TEST_CASE(readers_in_the_program_and_in_tasks_run_together) {
  Runtime runtime(with_workers(2));
  double x = 1;
  const Data data = runtime.scalar(x);
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](const double&) {});
  const HostAccess first = runtime.acquire(data, AccessMode::read);
  const HostAccess second = runtime.acquire(data, AccessMode::read);
  runtime.submit(look, {data}).wait();
}

BOOST_AUTO_TEST_CASE(waiting_for_a_handle_waits_for_its_writers_only) {
  Runtime runtime(with_workers(2));
  std::atomic<bool> go{false};
  double x = 1;
  double y = 1;
  const Data dx = runtime.scalar(x);
  const Data dy = runtime.scalar(y);
  const Codelet waits = Codelet("waits", {AccessMode::read_write}).cpu([&](double&) {
    while (!go.load()) std::this_thread::yield();
  });
  const Future slow = runtime.submit(waits, {dy});
  runtime.submit(twice(), {dx});
  runtime.wait(dx);
  BOOST_TEST(x == 2);
  BOOST_TEST(!slow.done());
  go = true;
  runtime.wait(dy);
  BOOST_TEST(slow.done());
}

BOOST_AUTO_TEST_CASE(a_registration_waits_for_the_last_use_when_it_ends) {
  Runtime runtime(with_workers(2));
  for (int round = 0; round < 20; ++round) {
    double x = 1;
    {
      const Data data = runtime.scalar(x);
      for (int i = 0; i < 10; ++i) runtime.submit(twice(), {data});
    }
    BOOST_TEST(x == 1024);
    Data first = runtime.scalar(x);
    runtime.submit(twice(), {first});
    first = Data();
    BOOST_TEST(x == 2048);
  }
}

BOOST_AUTO_TEST_CASE(reductions_have_one_partial_result_per_worker) {
  Runtime runtime(with_workers(4));
  std::vector<std::int64_t> histogram(8, 1000);
  const Data data = runtime.vector(histogram);
  std::mutex mutex;
  int initialized = 0;
  int combined = 0;
  ReductionMethods methods = sum_reduction<std::int64_t>();
  runtime.set_reduction(data, {[&, initialize = methods.initialize](const DataView& view) {
                                 initialize(view);
                                 const std::lock_guard lock(mutex);
                                 ++initialized;
                               },
                               [&, combine = methods.combine](const DataView& into, const DataView& from) {
                                 combine(into, from);
                                 const std::lock_guard lock(mutex);
                                 ++combined;
                               }});
  const Codelet count = Codelet("count", {AccessMode::reduce}).cpu([](VectorView<std::int64_t> h, int i) {
    ++h[static_cast<std::size_t>(i % 8)];
  });
  for (int i = 0; i < 800; ++i) runtime.submit(count, {data}, args(i));
  runtime.wait();
  for (const std::int64_t bin : histogram) BOOST_TEST(bin == 1100);
  BOOST_TEST(initialized == combined);
  BOOST_TEST(combined >= 1);
  BOOST_TEST(combined <= 4);
}

BOOST_AUTO_TEST_CASE(commuting_tasks_never_run_at_the_same_time) {
  Runtime runtime(with_workers(4));
  std::array<std::int64_t, 3> counts{};
  std::array<std::atomic<int>, 3> inside{};
  std::vector<Data> data;
  for (std::int64_t& count : counts) data.push_back(runtime.scalar(count));
  std::atomic<int> collisions{0};
  const Codelet pair = Codelet("pair", {AccessMode::commute, AccessMode::commute})
                           .cpu([&](std::int64_t& x, std::int64_t& y, int i, int j) {
                             if (inside[static_cast<std::size_t>(i)]++ + inside[static_cast<std::size_t>(j)]++ != 0)
                               ++collisions;
                             ++x;
                             ++y;
                             --inside[static_cast<std::size_t>(i)];
                             --inside[static_cast<std::size_t>(j)];
                           });
  for (int i = 0; i < 900; ++i) {
    const int first = i % 3;
    const int second = (i + 1 + i / 3 % 2) % 3;
    runtime.submit(pair, {data[static_cast<std::size_t>(first)], data[static_cast<std::size_t>(second)]},
                   args(first, second));
  }
  runtime.wait();
  BOOST_TEST(collisions.load() == 0);
  BOOST_TEST(counts[0] + counts[1] + counts[2] == 1800);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
