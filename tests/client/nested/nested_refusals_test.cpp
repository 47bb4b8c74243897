// Tests of what nested tasks and their kernels may not do.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/nested/nested_support.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(nested_refusals)

BOOST_AUTO_TEST_CASE(a_kernel_partitions_only_what_no_task_uses) {
  Runtime runtime(with_workers(1));
  std::vector<double> elements(8, 1.0);
  const auto x = runtime.vector(elements, "x");
  const std::array<Block, 1> first{Block{0, 0, 4, 1}};
  const std::array<Block, 1> second{Block{4, 0, 4, 1}};
  std::string used;
  std::string weak;
  std::string read_only;
  runtime.submit(
      nested(),
      [&](VectorView<double>) {
        const Handle part = runtime.partition(x, first)[0];
        runtime.submit(add_one, read_write(part));
        used = message_of([&] { (void)runtime.partition(x, second); });
      },
      x);
  runtime.submit(with_weak({read_write(x)}), [&] { weak = message_of([&] { (void)runtime.partition(x, second); }); });
  runtime.submit(
      nested(), [&](VectorView<const double>) { read_only = message_of([&] { (void)runtime.partition(x, second); }); },
      x);
  runtime.wait();
  BOOST_TEST(contains(used, "before the children are submitted"));
  BOOST_TEST(contains(weak, "whose kernel itself declares the data"));
  BOOST_TEST(contains(read_only, "declares it in mode read"));
  BOOST_TEST(elements[3] == 2);
  BOOST_TEST(runtime.partition(x, second).size() == 1U);
}

BOOST_AUTO_TEST_CASE(data_that_the_nested_task_does_not_declare_are_refused) {
  Runtime runtime(with_workers(1));
  InTwoParts x(runtime);
  double other = 0;
  const auto undeclared = runtime.scalar(other, "other");
  std::string messages;
  const auto refusal = [&](const auto& call) { messages += message_of(call) + "\n"; };
  runtime.submit(
      nested("outer"),
      [&](VectorView<const double>) {
        refusal([&] { runtime.submit([](double&) {}, undeclared); });
        refusal([&] { runtime.submit(add_one, read_write(x.parts[0])); });
        refusal([&] { runtime.submit(with_weak({read_write(x.parts[0])}), [] {}); });
        refusal([&] { (void)runtime.partition(x.parts[0], std::array<Block, 1>{Block{0, 0, 1, 1}}); });
        refusal([&] { runtime.discard(x.parts[0]); });
      },
      x.whole);
  runtime.wait();
  BOOST_TEST_MESSAGE(messages);
  BOOST_TEST(contains(messages, "'other' is not among the data that"));
  BOOST_TEST(contains(messages, "TaskOptions::weak"));
  BOOST_TEST(contains(messages, "declares it in mode read"));
  BOOST_TEST(contains(messages, "discarded where it was registered only"));
  BOOST_TEST(std::ranges::count(messages, '\n') == 5);
  BOOST_TEST(!contains(messages, "\n\n"));
}

BOOST_AUTO_TEST_CASE(impossible_nested_tasks_are_refused) {
  Runtime runtime(with_workers(1));
  InTwoParts x(runtime);
  const auto invalid = [](auto... parts) { return failure(ErrorCode::invalid_argument, parts...); };
  TaskOptions weak;
  weak.weak = {read_write(x.whole)};
  BOOST_CHECK_EXCEPTION(runtime.submit(weak, [] {}), Error, invalid("set TaskOptions::nested"));
  BOOST_CHECK_EXCEPTION(runtime.submit(
                            nested(), [](Whole) {}, commute(x.whole)),
                        Error, invalid("in mode commute", "read_write"));
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({Access(x.whole)}), [] {}), Error, invalid("'x' is weak", "a mode"));
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({commute(x.whole)}), [] {}), Error, invalid("'x' is weak"));
  BOOST_CHECK_EXCEPTION(runtime.submit(
                            with_weak({read_write(x.parts[0])}), [](Whole) {}, x.whole),
                        Error, failure(ErrorCode::conflicting_access, "is weak"));
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({read(x.whole), read(x.parts[0])}), [] {}), Error,
                        failure(ErrorCode::conflicting_access, "is weak"));
  Vector<double> gone = runtime.allocate_vector<double>(3);
  const Handle handle = gone;
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({read(gone)}), [] {}), Error,
                        invalid("weak data", "no valid content"));
  gone.release();
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({write(handle)}), [] {}), Error,
                        failure(ErrorCode::invalid_handle, "weak data"));
  const std::vector<double> constant(3, 1.0);
  const auto fixed = runtime.vector(constant, "fixed");
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({read_write(fixed)}), [] {}), Error, invalid("'fixed'", "const"));
  const Codelet in_pieces = Codelet("in pieces", {AccessMode::read_write})
                                .pieces([](VectorView<double> x) { return static_cast<std::int64_t>(x.size()); },
                                        [](std::int64_t, VectorView<double>) {});
  BOOST_CHECK_EXCEPTION(runtime.submit(in_pieces, {read_write(x.whole)}, kNoArguments, nested()), Error,
                        invalid("made of pieces"));
  RecordedGraph graph = runtime.record([&] { runtime.submit(add_one, read_write(x.whole)); }, "steps");
  std::string message;
  runtime.submit(
      nested(), [&](Whole) { message = message_of([&] { graph.run(); }); }, x.whole);
  runtime.wait();
  BOOST_TEST(contains(message, "'steps' was run in the kernel of a nested task"));
}

BOOST_AUTO_TEST_CASE(a_child_that_would_wait_for_its_parent_is_refused) {
  Runtime runtime(with_workers(1));
  InTwoParts x(runtime);
  Gate gate;
  Future before;
  Future task;
  Future next;
  std::vector<std::string> messages;
  const auto after = [&](const Future& future) {
    TaskOptions options;
    options.after = {future};
    messages.push_back(message_of([&] { runtime.submit(options, [] {}); }));
  };
  before = runtime.submit([&](Whole) { gate.pass(); }, x.whole);
  task = runtime.submit(
      nested("outer"),
      [&](Whole) {
        after(before);
        after(task);
        after(next);
        const Future child = runtime.submit(
            nested("inner"),
            [&](Whole) {
              after(task);
              after(next);
            },
            read_write(x.whole));
        after(child);
      },
      x.whole);
  next = runtime.submit(add_one, read_write(x.whole));
  gate.open();
  runtime.wait();
  const std::vector<bool> refused{false, true, true, false, true, true};
  BOOST_TEST_REQUIRE(messages.size() == refused.size());
  for (std::size_t i = 0; i < refused.size(); ++i) {
    BOOST_TEST(contains(messages[i], "may wait for, the nested task") == refused[i], messages[i]);
  }
}

BOOST_AUTO_TEST_CASE(temporary_data_are_not_handed_to_a_child_that_does_not_declare_them) {
  Runtime runtime(with_workers(1));
  std::string message;
  std::string unwritten;
  Scalar<double> t;
  runtime.submit(nested(), [&] {
    t = runtime.allocate_scalar<double>("t");
    const Handle handle = t;
    runtime.submit([](double& value) { value = 1; }, write(t));
    runtime.submit(nested(),
                   [&, handle] { message = message_of([&] { runtime.submit([](const double&) {}, handle); }); });
  });
  runtime.submit(with_weak({}), [&] {
    Vector<double> own = runtime.allocate_vector<double>(4, "own");
    runtime.submit(with_weak({write(own)}), [&, handle = own.handle()] {
      unwritten = message_of([&] { runtime.submit(add_one, read_write(handle)); });
      runtime.submit([](VectorView<double> x) { std::fill(x.begin(), x.end(), 1.0); }, write(handle));
      runtime.submit(add_one, read_write(handle));
    });
  });
  runtime.wait();
  BOOST_TEST(contains(message, "'t' is not among the data"));
  BOOST_TEST(contains(unwritten, "no child writes it before"));
}

BOOST_AUTO_TEST_CASE(memory_of_a_kernel_that_its_children_use_is_missed_loudly) {
  Runtime runtime(with_workers(1));
  const Future task = runtime.submit(nested("outer"), [&] {
    std::vector<double> local(8, 1.0);
    const auto data = runtime.vector(local, "local");
    runtime.submit(add_one, read_write(data));
  });
  BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::wait_in_kernel, "'outer'", "'local'"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
