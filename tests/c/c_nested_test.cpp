// Tests nested tasks of the C interface: kernels that submit tasks and wait for them.
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "troupe/troupe.h"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(c_nested)

namespace {

namespace data = boost::unit_test::data;

bool says(const char* what) { return std::string(troupe_error_message()).find(what) != std::string::npos; }

/// Makes the task fail with the error of the kernel's last call.
int fail(const troupe_kernel_context* context) {
  troupe_kernel_fail(context, troupe_error_message());
  return 1;
}

/// A runtime, and codelets whose kernels submit to it.
struct Program {
  explicit Program(int cores = 1) {
    troupe_options options{};
    options.size = sizeof options;
    options.cores = cores;
    const char* const more[] = {"oversubscribe=true", "bind=false", nullptr};
    options.more = more;
    BOOST_REQUIRE_MESSAGE(troupe_start_with(&options, &runtime) == TROUPE_OK, troupe_error_message());
  }
  ~Program() {
    troupe_runtime_free(runtime);
    for (troupe_codelet* one : codelets) troupe_codelet_free(one);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  troupe_codelet* define(const char* name, const std::vector<troupe_mode>& modes, const std::vector<troupe_type>& types,
                         troupe_kernel kernel, void* user) {
    codelets.push_back(nullptr);
    BOOST_REQUIRE_MESSAGE(troupe_codelet_define(name, modes.data(), modes.size(), types.data(), types.size(), kernel,
                                                user, nullptr, &codelets.back()) == TROUPE_OK,
                          troupe_error_message());
    return codelets.back();
  }
  troupe_data* register_array(std::vector<double>& x, const char* name) const {
    troupe_data* made = nullptr;
    const auto rows = static_cast<std::int64_t>(x.size());
    BOOST_REQUIRE(troupe_register(runtime, TROUPE_DOUBLE, x.data(), rows, 1, rows, name, &made) == TROUPE_OK);
    return made;
  }

  troupe_runtime* runtime = nullptr;
  std::vector<troupe_codelet*> codelets;
};

constexpr troupe_task_options kNested = [] {
  troupe_task_options options{};
  options.nested = 1;
  return options;
}();

/// Computes Fibonacci numbers; each task waits for two others.
struct Fibonacci {
  Program program;
  troupe_codelet* codelet = nullptr;

  explicit Fibonacci(int cores) : program(cores) {
    codelet = program.define("fibonacci", {}, {TROUPE_INT64, TROUPE_UINT64}, &run, this);
  }
  /// Submits a task that stores the number at `result`.
  troupe_error submit(std::int64_t n, std::int64_t* result, troupe_future* future) const {
    const auto address = reinterpret_cast<std::uint64_t>(result);
    const troupe_value values[] = {{TROUPE_INT64, &n}, {TROUPE_UINT64, &address}};
    return troupe_submit(program.runtime, codelet, nullptr, 0, values, 2, &kNested, future);
  }
  static int run(const troupe_kernel_context* context, void* user) {
    const auto& me = *static_cast<const Fibonacci*>(user);
    const auto n = *static_cast<const std::int64_t*>(troupe_kernel_argument(context, 0));
    const auto address = *static_cast<const std::uint64_t*>(troupe_kernel_argument(context, 1));
    auto& result = *reinterpret_cast<std::int64_t*>(address);
    if (n < 2) {
      result = n;
      return 0;
    }
    std::int64_t first = 0;
    std::int64_t second = 0;
    troupe_future futures[2];
    if (me.submit(n - 1, &first, &futures[0]) != TROUPE_OK) return fail(context);
    if (me.submit(n - 2, &second, &futures[1]) != TROUPE_OK) return fail(context);
    if (troupe_future_wait(futures[0]) != TROUPE_OK || troupe_future_wait(futures[1]) != TROUPE_OK)
      return fail(context);
    result = first + second;
    return 0;
  }
};

/// Sums an array by halves, in parts of the array and in temporaries of the kernels.
struct Sum {
  Program program;
  troupe_type handle_type = 0;
  troupe_codelet* codelet = nullptr;

  explicit Sum(int cores) : program(cores) {
    BOOST_REQUIRE(troupe_type_define("c_nested handle", sizeof(troupe_handle), 8, &handle_type) == TROUPE_OK);
    codelet = program.define("sum", {TROUPE_READ_WRITE, TROUPE_WRITE}, {handle_type}, &run, this);
  }
  troupe_error submit(troupe_handle part, troupe_handle result) const {
    const troupe_access accesses[] = {{part, TROUPE_READ_WRITE}, {result, TROUPE_WRITE}};
    const troupe_value value{handle_type, &part};
    return troupe_submit(program.runtime, codelet, accesses, 2, &value, 1, &kNested, nullptr);
  }
  static int run(const troupe_kernel_context* context, void* user) {
    const auto& me = *static_cast<const Sum*>(user);
    std::int64_t rows = 0;
    const auto* x = static_cast<const double*>(troupe_kernel_data(context, 0, &rows, nullptr, nullptr));
    auto& result = *static_cast<double*>(troupe_kernel_data(context, 1, nullptr, nullptr, nullptr));
    result = 0;
    if (rows <= 10) {
      result = std::accumulate(x, x + rows, 0.0);
      return 0;
    }
    const auto whole = *static_cast<const troupe_handle*>(troupe_kernel_argument(context, 0));
    const troupe_block halves[] = {{0, 0, rows / 2, 1}, {rows / 2, 0, rows - rows / 2, 1}};
    troupe_handle parts[2];
    if (troupe_partition(me.program.runtime, whole, halves, 2, parts) != TROUPE_OK) return fail(context);
    troupe_data* sums[2] = {nullptr, nullptr};
    for (int i = 0; i < 2; ++i) {
      if (troupe_allocate(me.program.runtime, TROUPE_DOUBLE, 1, 1, "part", &sums[i]) != TROUPE_OK) return fail(context);
      if (me.submit(parts[i], troupe_data_handle(sums[i])) != TROUPE_OK) return fail(context);
    }
    if (troupe_wait(me.program.runtime) != TROUPE_OK) return fail(context);
    for (troupe_data* sum : sums) {
      troupe_hold* hold = nullptr;
      if (troupe_acquire(me.program.runtime, troupe_data_handle(sum), TROUPE_READ, &hold) != TROUPE_OK)
        return fail(context);
      result += *static_cast<double*>(troupe_hold_memory(hold, nullptr, nullptr, nullptr));
      troupe_hold_free(hold);
      if (troupe_data_free(sum) != TROUPE_OK) return fail(context);
    }
    return 0;
  }
};

int add_one(const troupe_kernel_context* context, void*) {
  std::int64_t rows = 0;
  auto* x = static_cast<double*>(troupe_kernel_data(context, 0, &rows, nullptr, nullptr));
  for (std::int64_t i = 0; i < rows; ++i) ++x[i];
  return 0;
}

}  // namespace

BOOST_DATA_TEST_CASE(kernels_wait_for_what_they_submit, data::make({1, 2, 3}), cores) {
  const Fibonacci fibonacci(cores);
  std::int64_t result = 0;
  troupe_future future{};
  BOOST_TEST(fibonacci.submit(15, &result, &future) == TROUPE_OK);
  BOOST_TEST(troupe_future_wait(future) == TROUPE_OK, troupe_error_message());
  BOOST_TEST(result == 610);
}

BOOST_DATA_TEST_CASE(children_use_parts_and_temporaries, data::make({1, 2, 3}), cores) {
  const Sum sum(cores);
  std::vector<double> x(1000);
  std::iota(x.begin(), x.end(), 0.0);
  std::vector<double> total(1);
  troupe_data* of_x = sum.program.register_array(x, "x");
  troupe_data* of_total = sum.program.register_array(total, "total");
  BOOST_TEST(sum.submit(troupe_data_handle(of_x), troupe_data_handle(of_total)) == TROUPE_OK, troupe_error_message());
  BOOST_TEST(troupe_wait(sum.program.runtime) == TROUPE_OK, troupe_error_message());
  BOOST_TEST(total[0] == 499500);
  BOOST_TEST(troupe_data_free(of_x) == TROUPE_OK);
  BOOST_TEST(troupe_data_free(of_total) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(children_use_weak_data_and_the_kernel_waits_for_them) {
  struct Weak {
    Program program{2};
    std::vector<double> x = std::vector<double>(100);
    troupe_handle handle{};
    troupe_codelet* add = nullptr;
    troupe_error waited = TROUPE_INTERNAL;
    double seen = 0;
  } weak;
  troupe_data* of_x = weak.program.register_array(weak.x, "x");
  weak.handle = troupe_data_handle(of_x);
  weak.add = weak.program.define("add", {TROUPE_READ_WRITE}, {}, &add_one, nullptr);
  const auto outer = [](const troupe_kernel_context* context, void* user) {
    auto& me = *static_cast<Weak*>(user);
    if (troupe_kernel_data_count(context) != 0) return 1;
    const troupe_access access{me.handle, TROUPE_READ_WRITE};
    for (int i = 0; i < 3; ++i) {
      if (troupe_submit(me.program.runtime, me.add, &access, 1, nullptr, 0, nullptr, nullptr) != TROUPE_OK) return 2;
    }
    me.waited = troupe_wait_for(me.program.runtime, me.handle);
    me.seen = me.x[99];
    return 0;
  };
  troupe_codelet* codelet = weak.program.define("outer", {}, {}, outer, &weak);
  const troupe_access access{weak.handle, TROUPE_READ_WRITE};
  troupe_task_options options = kNested;
  options.weak = &access;
  options.weak_count = 1;
  BOOST_TEST(troupe_submit(weak.program.runtime, codelet, nullptr, 0, nullptr, 0, &options, nullptr) == TROUPE_OK);
  BOOST_TEST(troupe_submit(weak.program.runtime, weak.add, &access, 1, nullptr, 0, nullptr, nullptr) == TROUPE_OK);
  BOOST_TEST(troupe_wait(weak.program.runtime) == TROUPE_OK, troupe_error_message());
  BOOST_TEST(weak.waited == TROUPE_OK);
  BOOST_TEST(weak.seen == 3);
  BOOST_TEST(weak.x[0] == 4);
  BOOST_TEST(troupe_data_free(of_x) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(a_nested_task_fails_with_its_child) {
  struct Outer {
    Program program;
    troupe_codelet* fails = nullptr;
    troupe_error waited = TROUPE_OK;
  } outer;
  const auto fail = [](const troupe_kernel_context* context, void*) {
    troupe_kernel_fail(context, "a child has no luck");
    return 0;
  };
  outer.fails = outer.program.define("fails", {}, {}, fail, nullptr);
  const auto run = [](const troupe_kernel_context*, void* user) {
    auto& me = *static_cast<Outer*>(user);
    troupe_future child{};
    if (troupe_submit(me.program.runtime, me.fails, nullptr, 0, nullptr, 0, nullptr, &child) != TROUPE_OK) return 1;
    me.waited = troupe_future_wait(child);
    return 0;
  };
  troupe_codelet* codelet = outer.program.define("outer", {}, {}, run, &outer);
  troupe_future future{};
  BOOST_TEST(troupe_submit(outer.program.runtime, codelet, nullptr, 0, nullptr, 0, &kNested, &future) == TROUPE_OK);
  BOOST_TEST(troupe_future_wait(future) == TROUPE_KERNEL_FAILED);
  BOOST_TEST(says("a child has no luck"), troupe_error_message());
  BOOST_TEST(outer.waited == TROUPE_KERNEL_FAILED);
  troupe_wait(outer.program.runtime);
}

BOOST_AUTO_TEST_CASE(options_of_nested_tasks_that_mean_nothing_are_refused) {
  Program program;
  std::vector<double> x(1);
  troupe_data* of_x = program.register_array(x, "x");
  troupe_codelet* add = program.define("add", {TROUPE_READ_WRITE}, {}, &add_one, nullptr);
  troupe_codelet* empty = program.define(
      "empty", {}, {}, [](const troupe_kernel_context*, void*) { return 0; }, nullptr);
  const auto refuses = [&](const troupe_task_options& options, const char* why) {
    BOOST_TEST(troupe_submit(program.runtime, empty, nullptr, 0, nullptr, 0, &options, nullptr) ==
               TROUPE_INVALID_ARGUMENT);
    BOOST_TEST(says(why), troupe_error_message());
  };
  troupe_task_options options = kNested;
  options.nested = 2;
  refuses(options, "nested is 2");
  options = kNested;
  options.weak_count = 1;
  refuses(options, "weak");
  troupe_access access{troupe_data_handle(of_x), TROUPE_DECLARED};
  options.weak = &access;
  refuses(options, "TROUPE_DECLARED");
  access.mode = TROUPE_COMMUTE;
  refuses(options, "needs a mode of read, write or read_write");
  access.mode = TROUPE_READ;
  options.nested = 0;
  refuses(options, "weak data are for the children of a nested task");
  access.mode = TROUPE_READ_WRITE;
  BOOST_TEST(troupe_submit(program.runtime, add, &access, 1, nullptr, 0, nullptr, nullptr) == TROUPE_OK);
  BOOST_TEST(troupe_wait(program.runtime) == TROUPE_OK);
  BOOST_TEST(troupe_data_free(of_x) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(kernels_of_nested_tasks_are_refused_what_would_never_end) {
  struct Refused {
    Program program{2};
    std::vector<double> x = std::vector<double>(1);
    troupe_data* of_x = nullptr;
    troupe_codelet* add = nullptr;
    troupe_future stranger{};
    std::atomic<bool> go_on{false};
    troupe_error outcomes[4] = {};
    std::string messages[4];
  } refused;
  refused.of_x = refused.program.register_array(refused.x, "x");
  refused.add = refused.program.define("add", {TROUPE_READ_WRITE}, {}, &add_one, nullptr);
  const auto blocks = [](const troupe_kernel_context*, void* user) {
    while (!static_cast<Refused*>(user)->go_on) std::this_thread::yield();
    return 0;
  };
  const auto run = [](const troupe_kernel_context*, void* user) {
    auto& me = *static_cast<Refused*>(user);
    const auto note = [&me](int i, troupe_error outcome) {
      me.outcomes[i] = outcome;
      me.messages[i] = troupe_error_message();
    };
    const troupe_access access{troupe_data_handle(me.of_x), TROUPE_READ_WRITE};
    note(0, troupe_runtime_free(me.program.runtime));
    note(1, troupe_data_free(me.of_x));
    note(2, troupe_future_wait(me.stranger));
    note(3, troupe_submit(me.program.runtime, me.add, &access, 1, nullptr, 0, nullptr, nullptr));
    me.go_on = true;
    return 0;
  };
  troupe_runtime* const runtime = refused.program.runtime;
  troupe_codelet* stranger = refused.program.define("stranger", {}, {}, blocks, &refused);
  troupe_codelet* codelet = refused.program.define("outer", {}, {}, run, &refused);
  BOOST_TEST(troupe_submit(runtime, stranger, nullptr, 0, nullptr, 0, nullptr, &refused.stranger) == TROUPE_OK);
  BOOST_TEST(troupe_submit(runtime, codelet, nullptr, 0, nullptr, 0, &kNested, nullptr) == TROUPE_OK);
  BOOST_TEST(troupe_wait(runtime) == TROUPE_OK, troupe_error_message());
  BOOST_TEST(refused.outcomes[0] == TROUPE_WAIT_IN_KERNEL);
  BOOST_TEST(refused.messages[0].find("free the runtime in the program") != std::string::npos, refused.messages[0]);
  BOOST_TEST(refused.outcomes[1] == TROUPE_WAIT_IN_KERNEL, refused.messages[1]);
  BOOST_TEST(refused.outcomes[2] == TROUPE_WAIT_IN_KERNEL);
  BOOST_TEST(refused.messages[2].find("does not belong to it") != std::string::npos, refused.messages[2]);
  BOOST_TEST(refused.outcomes[3] == TROUPE_INVALID_ARGUMENT);
  BOOST_TEST(refused.messages[3].find("is not among the data") != std::string::npos, refused.messages[3]);
  BOOST_TEST(troupe_data_free(refused.of_x) == TROUPE_OK);
}

BOOST_AUTO_TEST_CASE(kernels_submit_wait_and_hold_while_their_runtime_is_freed) {
  struct Slow {
    Program program{2};
    troupe_codelet* add = nullptr;
    std::atomic<bool> begun{false};
    std::atomic<int> failed{0};
    double seen = 0;
  } slow;
  slow.add = slow.program.define("add", {TROUPE_READ_WRITE}, {}, &add_one, nullptr);
  troupe_codelet* fill = nullptr;
  BOOST_REQUIRE(troupe_codelet_find("fill/double", &fill) == TROUPE_OK);
  slow.program.codelets.push_back(fill);
  const auto run = [](const troupe_kernel_context*, void* user) {
    auto& me = *static_cast<Slow*>(user);
    troupe_runtime* const runtime = me.program.runtime;
    const auto check = [&me](troupe_error outcome) { me.failed += outcome == TROUPE_OK ? 0 : 1; };
    me.begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    troupe_data* temporary = nullptr;
    check(troupe_allocate(runtime, TROUPE_DOUBLE, 1, 1, "temporary", &temporary));
    const troupe_access access{troupe_data_handle(temporary), TROUPE_DECLARED};
    const double start = 40;
    const troupe_value value{TROUPE_DOUBLE, &start};
    check(troupe_submit(runtime, me.program.codelets.at(1), &access, 1, &value, 1, nullptr, nullptr));
    check(troupe_submit(runtime, me.add, &access, 1, nullptr, 0, nullptr, nullptr));
    check(troupe_wait(runtime));
    troupe_hold* hold = nullptr;
    check(troupe_acquire(runtime, access.handle, TROUPE_READ_WRITE, &hold));
    auto* const seen = static_cast<double*>(troupe_hold_memory(hold, nullptr, nullptr, nullptr));
    if (seen != nullptr) me.seen = ++*seen;
    troupe_hold_free(hold);
    check(troupe_data_free(temporary));
    return 0;
  };
  troupe_codelet* codelet = slow.program.define("outer", {}, {}, run, &slow);
  BOOST_TEST(troupe_submit(slow.program.runtime, codelet, nullptr, 0, nullptr, 0, &kNested, nullptr) == TROUPE_OK);
  while (!slow.begun) std::this_thread::yield();
  troupe_runtime* const runtime = slow.program.runtime;
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK, troupe_error_message());
  slow.program.runtime = nullptr;
  BOOST_TEST(slow.failed == 0);
  BOOST_TEST(slow.seen == 42);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
