// Tests of nested tasks that call what they submit, because they are known to be short (`PlacementOptions::cutoff`).
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graph/data/subtree_times.hpp"
#include "tests/client/fixture.hpp"
#include "tests/client/nested/divided_data.hpp"
#include "tests/client/nested/nested_support.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(cutoff)

namespace {

using namespace std::chrono_literals;

RuntimeOptions with_cutoff(Duration cutoff, int workers = 2) {
  RuntimeOptions options = with_workers(workers);
  options.placement.cutoff = cutoff;
  return options;
}

/// Adds one to each element by halves, down to single elements.
void add_by_halves(Runtime& runtime, const Handle& x) {
  runtime.submit(
      nested(),
      [&runtime, x](VectorView<double> own) {
        const auto size = static_cast<std::int64_t>(own.size());
        if (size == 1) {
          own[0] += 1;
          return;
        }
        const std::array<Block, 2> halves{Block{0, 0, size / 2, 1}, Block{size / 2, 0, size - size / 2, 1}};
        for (const Handle& half : runtime.partition(x, halves)) add_by_halves(runtime, half);
      },
      read_write(x));
}

/// Returns the number of tasks that one more run of `program` takes.
template <class Program>
std::size_t tasks_of(Runtime& runtime, const Program& program) {
  const std::size_t before = runtime.report().submitted;
  program();
  runtime.wait();
  return runtime.report().submitted - before;
}

}  // namespace

BOOST_AUTO_TEST_CASE(tasks_that_are_known_to_be_short_call_what_they_submit) {
  Runtime runtime(with_cutoff(1min));
  const auto sum_of_a_new_vector = [&] {
    std::vector<double> elements(64, 1.0);
    const auto x = runtime.vector(elements);
    add_by_halves(runtime, x);
    runtime.wait();
    return std::accumulate(elements.begin(), elements.end(), 0.0);
  };
  // Each run learns the times of one more size at least, the first one some while it runs.
  BOOST_TEST(tasks_of(runtime, [&] { BOOST_TEST(sum_of_a_new_vector() == 128); }) > 1U);
  for (int run = 0; run < 8; ++run) BOOST_TEST(sum_of_a_new_vector() == 128);
  BOOST_TEST(tasks_of(runtime, [&] { BOOST_TEST(sum_of_a_new_vector() == 128); }) == 1U);
}

BOOST_AUTO_TEST_CASE(longer_tasks_do_not) {
  Runtime runtime(with_cutoff(1ns));
  for (int run = 0; run < 10; ++run) {
    std::vector<double> elements(16, 1.0);
    const auto x = runtime.vector(elements);
    BOOST_TEST(tasks_of(runtime, [&] { add_by_halves(runtime, x); }) == 31U);
  }
}

namespace {

/// A recursion on data that do not get smaller: each nested task of depth n has `branches` tasks of depth n - 1, and
/// adds 1 to the first element.
struct Deeper {
  Runtime& runtime;
  Handle x;
  int branches = 2;

  /// The depth is an argument of the tasks.
  void operator()(int depth) const {
    runtime.submit(
        nested(), [*this](VectorView<double> own, int left) { go_on(own, left, *this); }, read_write(x), depth);
  }
  /// The kernels have captured the depth.
  void with_captured_depth(int depth) const {
    const auto again = [*this](int left) { with_captured_depth(left); };
    runtime.submit(
        nested(), [*this, depth, again](VectorView<double> own) { go_on(own, depth, again); }, read_write(x));
  }

 private:
  template <class Again>
  void go_on(VectorView<double> own, int left, const Again& again) const {
    // The space that it takes on the stack is what bounds a deep recursion.
    std::array<volatile double, 1000> local{};
    local[static_cast<std::size_t>(left) % local.size()] = 1;
    own[0] += local[static_cast<std::size_t>(left) % local.size()];
    for (int i = 0; i < branches && left > 0; ++i) again(left - 1);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_recursion_that_only_its_captures_show_is_not_trusted) {
  Runtime runtime(with_cutoff(1min));
  std::vector<double> elements(4, 0.0);
  const auto x = runtime.vector(elements);
  const Deeper deeper{runtime, x};
  for (int run = 0; run < 10; ++run) BOOST_TEST(tasks_of(runtime, [&] { deeper.with_captured_depth(3); }) == 15U);
  BOOST_TEST(elements[0] == 150);
}

BOOST_AUTO_TEST_CASE(arguments_distinguish_tasks) {
  Runtime runtime(with_cutoff(1min));
  std::vector<double> elements(4, 0.0);
  const auto x = runtime.vector(elements);
  const Deeper deeper{runtime, x};
  for (int run = 0; run < 10; ++run) deeper(3);
  runtime.wait();
  BOOST_TEST(tasks_of(runtime, [&] { deeper(3); }) == 1U);
  BOOST_TEST(elements[0] == 165);
}

namespace {

/// A nested task on two parts whose kernel does what a test wants. Its time is known after `learn`.
struct Short {
  explicit Short(Runtime& on) : runtime(on), x(on.vector(elements, "x")) {
    const std::array<Block, 2> halves{Block{0, 0, 2, 1}, Block{2, 0, 2, 1}};
    parts = runtime.partition(x, halves);
  }
  template <class Kernel>
  Future submit(const Kernel& kernel) {
    return runtime.submit(
        nested("outer"), [&kernel](VectorView<double> own) { kernel(own); }, read_write(x));
  }
  /// Runs tasks of the same class that submit nothing.
  template <class Kernel>
  void learn(const Kernel& kernel, bool& learning) {
    learning = true;
    for (int i = 0; i < 3; ++i) submit(kernel);
    runtime.wait();
    learning = false;
  }

  Runtime& runtime;
  std::vector<double> elements = std::vector<double>(4, 1.0);
  Vector<double> x;
  std::vector<Handle> parts;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_call_that_fails_is_a_task_that_fails) {
  Runtime runtime(with_cutoff(1min));
  Short one(runtime);
  bool learning = false;
  bool before = false;
  bool after = false;
  const auto kernel = [&](VectorView<double>) {
    if (learning) return;
    const Future first = runtime.submit([&](VectorView<double> part) { part[0] = 5; }, write(one.parts[1]));
    before = first.status() == TaskStatus::succeeded;
    const Future failed = runtime.submit(
        nested("inner"), [](VectorView<double>) { throw std::runtime_error("inner trouble"); },
        read_write(one.parts[0]));
    TaskOptions behind;
    behind.after = {failed};
    runtime.submit(behind, [] {});
    runtime.submit([&](VectorView<double> part) { part[1] = 6; }, read_write(one.parts[1]));
    after = true;
  };
  one.learn(kernel, learning);
  const Future task = one.submit(kernel);
  BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::kernel_failed, "'outer'", "'inner'", "inner trouble"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_TEST(before);
  BOOST_TEST(after);
  BOOST_TEST(one.elements[2] == 5);
  BOOST_TEST(one.elements[3] == 6);
  BOOST_CHECK_EXCEPTION((void)runtime.acquire(one.parts[0], AccessMode::read), Error,
                        failure(ErrorCode::cancelled, "no valid content", "inner trouble"));
  runtime.acquire(one.parts[1], AccessMode::read).give_back();
}

BOOST_AUTO_TEST_CASE(calls_are_checked_as_tasks_are) {
  Runtime runtime(with_cutoff(1min));
  Short one(runtime);
  std::vector<double> other(4, 1.0);
  const auto undeclared = runtime.vector(other, "undeclared");
  bool learning = false;
  std::string messages;
  const auto note = [&](const auto& call) { messages += message_of(call) + '\n'; };
  const Handle released = [&] { return Handle(runtime.allocate_vector<double>(2)); }();
  const auto kernel = [&](VectorView<double>) {
    if (learning) return;
    note([&] { runtime.submit([](VectorView<double>) {}, read_write(undeclared)); });
    note([&] { runtime.submit([](VectorView<double>, VectorView<double>) {}, one.x, write(one.parts[0])); });
    note([&] { runtime.submit([](VectorView<float>) {}, read_write(one.parts[0])); });
    note([&] { runtime.submit([](VectorView<double>) {}, read_write(released)); });
    const auto temporary = runtime.allocate_vector<double>(3, "temporary");
    note([&] { runtime.submit([](VectorView<const double>) {}, temporary); });
    runtime.submit([](VectorView<double> y) { y[0] = 7; }, write(temporary));
    runtime.submit([](VectorView<const double> y, VectorView<double> x) { x[0] = y[0]; }, temporary,
                   read_write(one.parts[0]));
  };
  one.learn(kernel, learning);
  const std::size_t tasks = tasks_of(runtime, [&] { one.submit(kernel); });
  BOOST_TEST_MESSAGE(messages);
  for (const char* part :
       {"'undeclared' is not among the data", "same data", "element type", "released", "'temporary'"}) {
    BOOST_TEST(contains(messages, part), part);
  }
  BOOST_TEST(one.elements[0] == 7);
  BOOST_TEST(tasks == 1U);
}

BOOST_AUTO_TEST_CASE(calls_use_what_their_own_caller_declares) {
  Runtime runtime(with_cutoff(1min));
  Short one(runtime);
  std::vector<double> fixed(2, 1.0);
  bool learning = false;
  std::string messages;
  const auto note = [&](const auto& call) { messages += message_of(call) + '\n'; };
  const auto kernel = [&](VectorView<double>) {
    if (learning) return;
    const auto constant = runtime.vector(std::as_const(fixed), "constant");
    note([&] { runtime.submit(Codelet("write", {AccessMode::write}).cpu([](VectorView<double>) {}), {constant}); });
    runtime.submit(
        nested("inner"),
        [&](VectorView<const double>) {
          const auto write = [](VectorView<double> x) { x[0] = 100; };
          note([&] { runtime.submit(write, read_write(one.parts[0])); });
          note([&] { runtime.submit(write, read_write(one.parts[1])); });
          note([&] { runtime.submit(write, commute(one.parts[1])); });
          const auto made = runtime.allocate_vector<double>(2);
          runtime.submit(write, troupe::write(made));
        },
        read(one.parts[0]));
  };
  one.learn(kernel, learning);
  BOOST_TEST(tasks_of(runtime, [&] { one.submit(kernel); }) == 1U);
  BOOST_TEST_MESSAGE(messages);
  BOOST_TEST(contains(messages, "'constant'"));
  BOOST_TEST(contains(messages, "the task 'inner' (codelet"));
  BOOST_TEST(contains(messages, "declares it in mode read"));
  BOOST_TEST(std::ranges::count(messages, '\n') == 4);
  BOOST_TEST(!contains(messages, "\n\n"));
  BOOST_TEST(one.elements[0] == 1);
  BOOST_TEST(one.elements[2] == 1);
  BOOST_TEST(fixed[0] == 1);
}

BOOST_AUTO_TEST_CASE(a_deep_recursion_of_calls_ends_with_tasks) {
  Runtime runtime(with_cutoff(1min));
  std::vector<double> elements(4, 0.0);
  const auto x = runtime.vector(elements);
  const Deeper deeper{runtime, x, 1};
  // All depths are learned, the least first; the stack has no room for the calls of the deepest.
  double expected = 0;
  for (int depth = 0; depth < 3000; ++depth) {
    if (depth > 100 && depth != 2999) continue;
    deeper(depth);
    runtime.wait();
    expected += depth + 1;
  }
  for (int run = 0; run < 3; ++run) deeper(2999);
  runtime.wait();
  BOOST_TEST(elements[0] == expected + 3 * 3000);
}

BOOST_AUTO_TEST_CASE(kernels_wait_and_acquire_in_calls) {
  Runtime runtime(with_cutoff(1min));
  Short one(runtime);
  bool learning = false;
  double seen = 0;
  const auto kernel = [&](VectorView<double> own) {
    if (learning) return;
    const Future first = runtime.submit([](VectorView<double> part) { part[0] += 1; }, read_write(one.parts[0]));
    first.wait();
    runtime.wait();
    own[0] *= 10;
    runtime.submit(
        nested(),
        [&](VectorView<double> part) {
          runtime.submit([](VectorView<double> part) { part[0] += 1; }, read_write(one.parts[0]));
          runtime.wait();
          part[0] *= 2;
        },
        read_write(one.parts[0]));
    const HostAccess access = runtime.acquire(one.parts[0], AccessMode::read);
    seen = access.vector<double>()[0];
  };
  one.learn(kernel, learning);
  one.submit(kernel).wait();
  BOOST_TEST(seen == 42);
}

BOOST_AUTO_TEST_CASE(what_must_be_a_task_becomes_one) {
  Runtime runtime(with_cutoff(1min));
  Short one(runtime);
  bool learning = false;
  std::atomic<int> ended{0};
  const Codelet asking =
      Codelet("asking", {AccessMode::read_write}).cpu([](const KernelContext& context, VectorView<double> part) {
        part[0] += context.cancelled() ? 100 : 1;
      });
  const Codelet variadic = Codelet::variadic("variadic").cpu([](VectorView<double> part) { part[0] += 1; });
  const auto kernel = [&](VectorView<double>) {
    if (learning) return;
    const auto add = [](VectorView<double> part) { part[0] += 1; };
    runtime.submit(add, read_write(one.parts[0]));  // a call
    TaskOptions with_callback;
    with_callback.callback = [&](const TaskOutcome&) { ++ended; };
    runtime.submit(with_callback, add, read_write(one.parts[0]));
    runtime.submit(add, commute(one.parts[0]));
    runtime.submit(asking, {one.parts[0]});
    runtime.submit(variadic, {read_write(one.parts[0])});
    // A task that follows on the same data waits.
    runtime.submit([](VectorView<double> part) { part[0] *= 10; }, read_write(one.parts[0]));
  };
  one.learn(kernel, learning);
  BOOST_TEST(tasks_of(runtime, [&] { one.submit(kernel); }) == 6U);
  BOOST_TEST(ended == 1);
  BOOST_TEST(one.elements[0] == 60);
}

BOOST_AUTO_TEST_CASE(times_are_learned_by_class) {
  graph::SubtreeTimes times;
  BOOST_TEST(!times.find(3).has_value());
  times.note(3, 100ns);
  times.note(3, 500ns);
  BOOST_TEST(times.find(3)->count() == 500);
  times.note(3, 100ns);
  BOOST_TEST(times.find(3)->count() == 400);
  times.note(5, 7ns);
  for (std::uint64_t of = 7; of < 40'000; of += 2) times.note(of, 1us);
  times.note(5, 9ns);
  BOOST_TEST(times.find(5)->count() == 9);
  // One surprise among many says nothing; several in a row do.
  for (int i = 0; i < 200; ++i) times.note_small(5, i % 20 == 0);
  for (int i = 0; i < 4; ++i) times.note_small(5, true);
  BOOST_TEST(times.find(5).has_value());
  times.note_small(5, true);
  BOOST_TEST(!times.find(5).has_value());
  times.note(5, 1ns);
  BOOST_TEST(!times.find(5).has_value());
}

BOOST_AUTO_TEST_CASE(kernels_that_are_called_in_place_of_tasks_divide_data_anew) {
  Runtime runtime(with_cutoff(1min, 1));
  Divided data(runtime);
  for (int round = 0; round < 5; ++round) {
    runtime.submit(
        nested("around"),
        [&](VectorView<double>) {
          for (const std::int64_t at : {8, 5, 3}) {
            runtime.submit(nested("inside"), Divided::adds_one_in_parts(runtime, data.whole, at),
                           read_write(data.whole));
          }
        },
        read_write(data.whole));
    runtime.wait();
  }
  BOOST_TEST(data.elements[0] == 16);
}

BOOST_AUTO_TEST_CASE(a_called_kernel_writes_the_part_inside_of_the_halo_part_that_it_reads) {
  Runtime runtime(with_cutoff(1min, 1));
  Divided data(runtime);
  const auto parts = runtime.partition(data.whole, std::array<Block, 2>{Block{0, 0, 8, 1}, Block{8, 0, 8, 1}});
  const auto halos = runtime.halos(data.whole, std::array<Block, 1>{Block{0, 0, 8, 1}}, Rim(1, 0));
  const auto inner = [&](VectorView<const double>, VectorView<double>) { runtime.submit(add_one, parts[0]); };
  for (int round = 0; round < 20; ++round) {
    runtime.submit(
        nested("around"),
        [&](VectorView<const double>, VectorView<double>) {
          runtime.submit(nested("inside"), inner, halos[0], read_write(parts[0]));
        },
        halos[0], read_write(parts[0]));
    runtime.wait();
  }
  BOOST_TEST(data.elements[0] == 21);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
