// Tests that every misuse of the public interface gives one documented error.
#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tests/client/fixture.hpp"

namespace troupe::tests {

namespace misuse {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

struct Fixture {
  Runtime runtime{with_workers(2)};
  std::vector<double> numbers{1, 2, 3, 4, 5, 6};
  Data v = runtime.vector(numbers, "v");
  double scalar = 0;
  Data s = runtime.scalar(scalar, "s");
  Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([](VectorView<double> x) {
    for (double& element : x) element *= 2;
  });
  Codelet copy = Codelet("copy", {AccessMode::read, AccessMode::write}).cpu([](const KernelContext&) {});

  ~Fixture() {
    // The refused calls have had no effect: the data can be used as before.
    BOOST_TEST(message_of([&] { runtime.wait(); }).empty());
    runtime.submit(twice, {v});
    runtime.wait();
    BOOST_TEST(numbers[5] == 12);
  }
};

}  // namespace misuse

BOOST_FIXTURE_TEST_SUITE(misuse, Fixture)

BOOST_AUTO_TEST_CASE(a_handle_after_release) {
  double x = 0;
  Data data = runtime.scalar(x);
  const Handle handle = data;
  data.release();
  const auto released = failure(ErrorCode::invalid_handle, "released");
  BOOST_CHECK_EXCEPTION(runtime.submit(copy, {handle, s}), Error,
                        failure(ErrorCode::invalid_handle, "'copy'", "access 0"));
  BOOST_CHECK_EXCEPTION(runtime.wait(handle), Error, released);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(handle, AccessMode::read), Error, released);
  BOOST_CHECK_EXCEPTION(runtime.release(handle), Error, released);
  BOOST_CHECK_EXCEPTION(runtime.partition(handle, {}), Error, released);
  BOOST_CHECK_EXCEPTION(runtime.set_reduction(handle, sum_reduction<double>()), Error, released);
  data.release();  // The data have already been released, so this second release must have no effect.
}

BOOST_AUTO_TEST_CASE(a_registration_released_behind_its_back) {
  double x = 0;
  Data data = runtime.scalar(x);
  runtime.release(data);
  BOOST_CHECK_EXCEPTION(data.release(), Error, failure(ErrorCode::invalid_handle));
  Data other = runtime.scalar(x);
  runtime.release(other);
}

BOOST_AUTO_TEST_CASE(a_part_after_the_whole_was_released) {
  std::vector<double> numbers{1, 2};
  Data whole = runtime.vector(numbers);
  const Handle part = runtime.partition(whole, std::array{Block{0, 0, 1, 1}})[0];
  whole.release();
  BOOST_CHECK_EXCEPTION(runtime.submit(copy, {part, s}), Error, failure(ErrorCode::invalid_handle));
}

BOOST_AUTO_TEST_CASE(a_handle_of_another_runtime) {
  Runtime other(with_workers(1));
  double x = 0;
  const Data foreign = other.scalar(x);
  const auto refused = failure(ErrorCode::invalid_handle, "another runtime");
  BOOST_CHECK_EXCEPTION(runtime.submit(copy, {foreign, s}), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.wait(foreign), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.release(foreign), Error, refused);
}

BOOST_AUTO_TEST_CASE(an_empty_handle) {
  const auto refused = failure(ErrorCode::invalid_handle, "empty handle");
  BOOST_CHECK_EXCEPTION(runtime.submit(copy, {Handle(), s}), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.submit(copy, {Data(), s}), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.wait(Handle()), Error, refused);
}

BOOST_AUTO_TEST_CASE(an_empty_future) {
  BOOST_CHECK_EXCEPTION(Future().wait(), Error, failure(ErrorCode::invalid_argument, "empty future"));
  BOOST_CHECK_EXCEPTION(std::ignore = Future().status(), Error, failure(ErrorCode::invalid_argument));
  BOOST_CHECK_EXCEPTION(Future().cancel(), Error, failure(ErrorCode::invalid_argument));
  BOOST_CHECK_EXCEPTION(runtime.submit(twice, {v}, {}, {.after = {Future()}}), Error,
                        failure(ErrorCode::invalid_argument, "explicit dependency"));
}

BOOST_AUTO_TEST_CASE(one_handle_twice_in_modes_that_exclude_one_another) {
  const Codelet any = Codelet::variadic("any").cpu([](const KernelContext&) {});
  const auto refused = failure(ErrorCode::conflicting_access, "'s'", "same data");
  BOOST_CHECK_EXCEPTION(runtime.submit(copy, {s, s}), Error, refused);
  const std::array modes{AccessMode::read, AccessMode::write, AccessMode::read_write, AccessMode::commute};
  for (const AccessMode first : modes) {
    for (const AccessMode second : modes) {
      if (first == AccessMode::read && second == AccessMode::read) {
        runtime.submit(any, {{s, first}, {s, second}});
      } else {
        BOOST_CHECK_EXCEPTION(runtime.submit(any, {{s, first}, {s, second}}), Error, refused);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_whole_and_its_part_in_one_task) {
  const Codelet any = Codelet::variadic("any").cpu([](const KernelContext&) {});
  std::vector<double> numbers(4);
  const Data whole = runtime.vector(numbers, "w");
  const auto parts = runtime.partition(whole, std::array{Block{0, 0, 2, 1}, Block{2, 0, 2, 1}});
  const Handle inner = runtime.partition(parts[0], std::array{Block{0, 0, 1, 1}})[0];
  const auto refused = failure(ErrorCode::conflicting_access, "part of");
  BOOST_CHECK_EXCEPTION(runtime.submit(any, {read(whole), write(parts[0])}), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.submit(any, {write(parts[0]), read(whole)}), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.submit(any, {write(inner), read(whole)}), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.submit(any, {read(parts[0]), read_write(inner)}), Error, refused);
  runtime.submit(any, {read(whole), read(parts[0]), read(inner)});
  runtime.submit(any, {read_write(inner), write(parts[1])});
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(a_codelet_without_an_implementation_for_any_worker) {
  const Codelet none("none", {AccessMode::read});
  const auto refused = failure(ErrorCode::no_implementation, "no implementation");
  BOOST_CHECK_EXCEPTION(runtime.submit(none, {v}), Error, refused);
  Codelet gpu("gpu", {AccessMode::read});
  gpu.implement(DeviceKind::cuda, [](const KernelContext&) {});
  BOOST_CHECK_EXCEPTION(runtime.submit(gpu, {v}), Error, refused);
}

BOOST_AUTO_TEST_CASE(handles_that_do_not_fit_the_codelet) {
  const auto mismatch = failure(ErrorCode::signature_mismatch);
  BOOST_CHECK_EXCEPTION(runtime.submit(twice, {}), Error,
                        failure(ErrorCode::signature_mismatch, "takes 1 handles, the task has 0"));
  BOOST_CHECK_EXCEPTION(runtime.submit(twice, {v, s}), Error, mismatch);
  BOOST_CHECK_EXCEPTION(runtime.submit(twice, {read(v)}), Error,
                        failure(ErrorCode::signature_mismatch, "declared read_write", "says read"));
  std::vector<float> floats(3);
  const Data f = runtime.vector(floats, "f");
  BOOST_CHECK_EXCEPTION(
      runtime.submit(twice, {f}), Error,
      failure(ErrorCode::signature_mismatch, "'f'", "the element type float, but the kernel takes double"));
  const Codelet one = Codelet("one", {AccessMode::write}).cpu([](double& x) { x = 1; });
  BOOST_CHECK_EXCEPTION(runtime.submit(one, {v}), Error, failure(ErrorCode::signature_mismatch, "6 elements"));
  runtime.submit(one, {s});
  runtime.wait();
  BOOST_TEST(scalar == 1);
}

BOOST_AUTO_TEST_CASE(arguments_that_do_not_fit_the_codelet) {
  const Codelet scale = Codelet("scale", {AccessMode::read_write}).cpu([](double& x, double a, int n) { x = a * n; });
  const auto mismatch = failure(ErrorCode::signature_mismatch, "'scale'", "argument");
  BOOST_CHECK_EXCEPTION(runtime.submit(scale, {s}), Error, mismatch);
  BOOST_CHECK_EXCEPTION(runtime.submit(scale, {s}, args(2.0)), Error, mismatch);
  BOOST_CHECK_EXCEPTION(runtime.submit(scale, {s}, args(2.0, 3, 4)), Error, mismatch);
  BOOST_CHECK_EXCEPTION(
      runtime.submit(scale, {s}, args(2, 3)), Error,
      failure(ErrorCode::signature_mismatch, "argument 0 is int, but the kernel's parameter is double"));
  BOOST_CHECK_EXCEPTION(
      runtime.submit(scale, {s}, args(2.0, 3L)), Error,
      failure(ErrorCode::signature_mismatch, "argument 1 is long, but the kernel's parameter is int"));
  runtime.submit(scale, {s}, args(2.0, 3));
  runtime.wait();
  BOOST_TEST(scalar == 6);
}

BOOST_AUTO_TEST_CASE(a_codelet_for_any_handles_without_modes_or_with_wrong_ones) {
  const Codelet any = Codelet::variadic("any").cpu([](const KernelContext&) {});
  BOOST_CHECK_EXCEPTION(runtime.submit(any, {v}), Error, failure(ErrorCode::signature_mismatch, "mode"));
  const Codelet typed = Codelet::variadic("typed").cpu([](double& x, const double& y) { x = y; });
  double other = 3;
  const Data o = runtime.scalar(other);
  runtime.submit(typed, {write(s), read(o)});
  BOOST_CHECK_EXCEPTION(runtime.submit(typed, {read(s), read(o)}), Error,
                        failure(ErrorCode::signature_mismatch, "mode read", "writable"));
  BOOST_CHECK_EXCEPTION(runtime.submit(typed, {write(s), write(o)}), Error,
                        failure(ErrorCode::signature_mismatch, "mode write", "const"));
  BOOST_CHECK_EXCEPTION(runtime.submit(typed, {write(s)}), Error, failure(ErrorCode::signature_mismatch));
  runtime.wait();
  BOOST_TEST(scalar == 3);
}

BOOST_AUTO_TEST_CASE(a_codelet_for_groups_of_handles_with_others) {
  const Codelet sum = Codelet::variadic("sum", {HandleGroup::of<double&>(AccessMode::read_write),
                                                HandleGroup::of<std::span<const int>>(AccessMode::read, true)})
                          .cpu([](const KernelContext& context) {
                            for (std::size_t i = 1; i < context.size(); ++i) {
                              for (const int x : context.vector<const int>(i)) context.scalar<double>(0) += x;
                            }
                          });
  std::vector<int> counts{1, 2, 3};
  std::vector<int> more{10};
  const Data first = runtime.vector(counts, "counts");
  const Data second = runtime.vector(more);
  const auto refuse = [&](std::initializer_list<Access> accesses, const char* why) {
    BOOST_CHECK_EXCEPTION(runtime.submit(sum, accesses), Error, failure(ErrorCode::signature_mismatch, why));
  };
  refuse({}, "at least 2 handles");
  refuse({read_write(s)}, "at least 2 handles");
  refuse({read(first), read(second)}, "has the element type int, but the kernel takes there double");
  refuse({read_write(s), read(first), read_write(v)}, "is one too many");
  refuse({read(s), read(first)}, "has mode read, the kernel needs it in mode read_write");
  refuse({read_write(s), read(first), write(second)}, "has mode write, the kernel needs it in mode read");
  refuse({read_write(v), read(first)}, "needs one");
  runtime.submit(sum, {read_write(s), read(first), read(second)});
  runtime.wait();
  BOOST_TEST(scalar == 16);
}

BOOST_AUTO_TEST_CASE(a_vector_view_of_data_with_gaps) {
  std::vector<double> memory(8);
  const Data gaps = runtime.matrix(memory.data(), 2, 2, 4, "m");
  std::vector<double> more(2);
  const Data column = runtime.matrix(more.data(), 2, 1, 4);
  BOOST_CHECK_EXCEPTION(runtime.submit(twice, {gaps}), Error, failure(ErrorCode::signature_mismatch, "'m'", "gaps"));
  runtime.submit(twice, {column});
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(memory_that_is_registered_twice) {
  const auto refused = failure(ErrorCode::overlapping_handles, "'v'", "'again'", "partition");
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.vector(numbers, "again"), Error, refused);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.matrix(numbers.data() + 2, 2, 1, 2, "again"), Error, refused);
  // The two matrices overlap as address ranges, but not as elements: their rows alternate in memory.
  std::vector<double> memory(32);
  const Data upper = runtime.matrix(memory.data(), 4, 4, 8, "upper");
  {
    const Data lower = runtime.matrix(memory.data() + 4, 4, 4, 8, "lower");
    BOOST_CHECK_EXCEPTION(std::ignore = runtime.matrix(memory.data() + 3, 2, 4, 8, "both"), Error,
                          failure(ErrorCode::overlapping_handles, "'both'"));
  }
  const Data lower = runtime.matrix(memory.data() + 4, 4, 4, 8, "lower");
}

BOOST_AUTO_TEST_CASE(data_without_memory) {
  double* const nothing = nullptr;
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.matrix(nothing, 3, 2, 3, "N"), Error,
                        failure(ErrorCode::invalid_argument, "'N'", "null pointer"));
  const Data empty = runtime.matrix(nothing, 0, 2, 3);
}

BOOST_AUTO_TEST_CASE(data_that_outlive_their_runtime) {
  double x = 1;
  auto inner = std::make_unique<Runtime>(with_workers(1));
  Data data = inner->scalar(x);
  Data moved = std::move(data);
  inner->submit(Codelet("set", {AccessMode::write}).cpu([](double& value) { value = 5; }), {moved});
  inner.reset();
  BOOST_TEST(x == 5);
  moved.release();
  Data other = std::move(moved);
}

BOOST_AUTO_TEST_CASE(data_looked_at_as_another_type) {
  HostAccess access = runtime.acquire(v, AccessMode::read);
  BOOST_TEST(access.vector<double>().size() == 6U);
  BOOST_TEST(access.matrix<const double>().rows == 6);
  BOOST_CHECK_EXCEPTION(std::ignore = access.vector<float>(), Error,
                        failure(ErrorCode::signature_mismatch, "element type double were looked at as float"));
  BOOST_CHECK_EXCEPTION(std::ignore = access.matrix<int>(), Error, failure(ErrorCode::signature_mismatch));
  std::vector<double> memory(8);
  const Data gaps = runtime.matrix(memory.data(), 2, 2, 4);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(gaps, AccessMode::read).vector<double>(), Error,
                        failure(ErrorCode::signature_mismatch, "gaps"));
}

BOOST_AUTO_TEST_CASE(a_kernel_that_looks_its_data_up_in_another_way_than_they_are) {
  std::vector<double> memory(8);
  const Data gaps = runtime.matrix(memory.data(), 2, 2, 4, "gaps");
  const auto fails = [&](const Data& data, ErrorCode code, const char* what, void (*look)(const KernelContext&)) {
    runtime.submit(Codelet("looks", {AccessMode::read}).cpu(look), {data});
    BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(code, "(codelet looks) failed", what));
  };
  const auto invalid = ErrorCode::invalid_argument;
  const auto mismatch = ErrorCode::signature_mismatch;
  fails(v, invalid, "access 0 ('v') to write it, but its mode is read",
        [](const KernelContext& c) { c.vector<double>(0)[0] = 5; });
  fails(s, invalid, "access 0 ('s') to write it", [](const KernelContext& c) { c.scalar<double>(0) = 5; });
  fails(v, invalid, "access 0 ('v') to write it", [](const KernelContext& c) { c.matrix<double>(0)(0, 0) = 5; });
  fails(v, mismatch, "access 0 ('v') as elements of another type: the data are of double, the kernel asked for float",
        [](const KernelContext& c) { std::ignore = c.vector<const float>(0); });
  fails(gaps, mismatch, "access 0 ('gaps') as a vector, but there are gaps",
        [](const KernelContext& c) { std::ignore = c.vector<const double>(0); });
  std::vector<double> nothing;
  const Data empty = runtime.vector(nothing, "empty");
  fails(empty, invalid, "access 0 ('empty') as a scalar, but the data have no element",
        [](const KernelContext& c) { std::ignore = c.scalar<const double>(0); });
  fails(v, invalid, "access 1, counting from 0, and the task has 1",
        [](const KernelContext& c) { std::ignore = c.vector<const double>(1); });
  fails(v, invalid, "access 7, counting from 0", [](const KernelContext& c) { std::ignore = c.data(7); });
  // A kernel that accesses its data correctly succeeds.
  runtime.submit(Codelet("looks", {AccessMode::read, AccessMode::write}).cpu([](const KernelContext& c) {
    c.scalar<double>(1) = c.vector<const double>(0)[2] + c.matrix<const double>(0)(0, 0);
  }),
                 {v, s});
  runtime.wait();
  BOOST_TEST(scalar == 4);
}

BOOST_AUTO_TEST_CASE(reducing_without_methods) {
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([](double& x) { x += 1; });
  BOOST_CHECK_EXCEPTION(runtime.submit(add, {s}), Error, failure(ErrorCode::invalid_argument, "set_reduction", "'s'"));
  BOOST_CHECK_EXCEPTION(runtime.set_reduction(s, {}), Error, failure(ErrorCode::invalid_argument, "combiner"));
}

BOOST_AUTO_TEST_CASE(acquiring_in_a_mode_for_tasks_only) {
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(s, AccessMode::commute), Error,
                        failure(ErrorCode::invalid_argument, "commute"));
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(s, AccessMode::reduce), Error,
                        failure(ErrorCode::invalid_argument, "reduce"));
}

BOOST_AUTO_TEST_CASE(waiting_inside_a_kernel_or_callback) {
  const auto wait_for_all_kinds = [&] {
    const Future future = runtime.submit(copy, {v, s});
    const auto refused = failure(ErrorCode::wait_in_kernel, "never end");
    BOOST_CHECK_EXCEPTION(runtime.wait(), Error, refused);
    BOOST_CHECK_EXCEPTION(runtime.wait(v), Error, refused);
    BOOST_CHECK_EXCEPTION(future.wait(), Error, refused);
    BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(v, AccessMode::read), Error, refused);
    BOOST_CHECK_EXCEPTION(runtime.release(v), Error, refused);
    BOOST_CHECK_EXCEPTION(runtime.partition(v, {}), Error, refused);
    BOOST_CHECK_EXCEPTION(runtime.set_reduction(v, sum_reduction<double>()), Error, refused);
    BOOST_CHECK_EXCEPTION(runtime.stop(), Error, refused);
  };
  int calls = 0;
  const Codelet waits = Codelet("waits", {}).cpu([&](const KernelContext&) {
    wait_for_all_kinds();
    ++calls;
  });
  const Codelet nothing = Codelet("nothing", {}).cpu([](const KernelContext&) {});
  runtime.submit(waits, {});
  runtime.wait();
  runtime.submit(nothing, {}, {}, {.callback = [&](const TaskOutcome&) {
                   wait_for_all_kinds();
                   ++calls;
                 }});
  runtime.wait();
  BOOST_TEST(calls == 2);
}

BOOST_AUTO_TEST_CASE(a_kernel_may_wait_for_another_runtime) {
  Runtime other(with_workers(1));
  double x = 0;
  const Data data = other.scalar(x);
  const Codelet one = Codelet("one", {AccessMode::write}).cpu([](double& x) { x = 1; });
  const Codelet waits = Codelet("waits", {}).cpu([&](const KernelContext&) {
    other.submit(one, {data});
    other.wait();
  });
  runtime.submit(waits, {});
  runtime.wait();
  BOOST_TEST(x == 1);
}

BOOST_AUTO_TEST_CASE(submitting_after_the_stop) {
  Runtime stopped(with_workers(1));
  double x = 1;
  const Data data = stopped.scalar(x);
  const Codelet slow = Codelet("slow", {AccessMode::read_write}).cpu([](double& x) { x *= 2; });
  stopped.submit(slow, {data});
  stopped.stop();
  BOOST_TEST(x == 2);
  BOOST_CHECK_EXCEPTION(stopped.submit(slow, {data}), Error, failure(ErrorCode::stopped, "'slow'"));
  stopped.stop();
  stopped.wait();
}

BOOST_AUTO_TEST_CASE(a_matrix_with_impossible_sizes) {
  std::vector<double> memory(8);
  double* const data = memory.data();
  const auto refused = failure(ErrorCode::invalid_argument);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.matrix(data, -1, 2, 4), Error, refused);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.matrix(data, 2, -1, 4), Error, refused);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.matrix(data, 4, 2, 3), Error,
                        failure(ErrorCode::invalid_argument, "leading dimension 3"));
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.matrix(data, 0, 0, 0), Error, refused);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.matrix(data, 4, kHuge, 4), Error,
                        failure(ErrorCode::invalid_argument, "too large"));
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.matrix(data, 1, 8, kHuge), Error, refused);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.allocate_matrix<double>(-1, 1), Error, refused);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.allocate_matrix<double>(kHuge, 1), Error, refused);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.allocate_matrix<double>(std::int64_t{1} << 40, std::int64_t{1} << 40),
                        Error, refused);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.allocate_matrix<double>(std::int64_t{1} << 29, std::int64_t{1} << 29),
                        Error, failure(ErrorCode::out_of_memory));
}

BOOST_AUTO_TEST_CASE(parts_that_overlap_or_leave_the_whole) {
  std::vector<double> memory(8);
  const Data whole = runtime.matrix(memory.data(), 4, 2, 4, "m");
  const auto refused = failure(ErrorCode::overlapping_handles, "'m'");
  BOOST_CHECK_EXCEPTION(runtime.partition(whole, std::array{Block{0, 0, 3, 1}, Block{2, 0, 2, 2}}), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.partition(whole, std::array{Block{0, 0, 5, 1}}), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.partition(whole, std::array{Block{-1, 0, 1, 1}}), Error, refused);
  runtime.partition(whole, std::array{Block{0, 0, 2, 2}});
  BOOST_CHECK_EXCEPTION(runtime.partition(whole, std::array{Block{1, 1, 1, 1}}), Error, refused);
}

BOOST_AUTO_TEST_CASE(a_handle_that_was_moved_from_and_a_mode_that_does_not_exist) {
  Runtime runtime(with_workers(1));
  std::vector<double> memory(4);
  Data one = runtime.vector(memory, "x");
  const Data two = std::move(one);
  BOOST_TEST(!one.handle().id().valid());  // NOLINT(bugprone-use-after-move)
  BOOST_TEST(two.handle().id().valid());
  BOOST_CHECK_EXCEPTION((void)runtime.acquire(two, static_cast<AccessMode>(77)), Error,
                        failure(ErrorCode::invalid_argument, "use read, write or read_write"));
}

BOOST_AUTO_TEST_CASE(options_that_cannot_be) {
  RuntimeOptions options = with_workers(1);
  options.window = 0;
  BOOST_CHECK_EXCEPTION(Runtime{options}, Error, failure(ErrorCode::invalid_argument, "window"));
  options = with_workers(1);
  options.policy = "heft?";
  BOOST_CHECK_EXCEPTION(Runtime{options}, Error, failure(ErrorCode::invalid_argument, "'heft?'", "lws"));
  options = with_workers(100000);
  options.threads.oversubscribe = false;
  BOOST_CHECK_EXCEPTION(Runtime{options}, Error, failure(ErrorCode::platform, "100000"));
  options = with_workers(-1);
  BOOST_CHECK_THROW(Runtime{options}, Error);
  options = with_workers(1);
  options.threads.cpus = "first";
  BOOST_CHECK_THROW(Runtime{options}, Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
