#include <array>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "opencl/splitting/splittable_kernel.hpp"
#include "tests/opencl/commands_fixture.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/environment_variable.hpp"

namespace troupe::tests {

/// A fixture in which every launch is split if it can be split.
struct SplitFixture : CommandsFixture {
  SplitFixture() {
    if (devices.empty()) return;
    program = make_program(wide_context, R"(
kernel void square(global uint* out, global const uint* in) { size_t i = get_global_id(0); out[i] = in[i] * in[i]; }
kernel void add(global uint* x) { x[get_global_id(0)] += 1; }
kernel void guarded(global uint* out, uint n) { uint i = get_global_id(0); if (i < n && i % 3 == 0) out[i] = i; }
kernel void table(global uint* out, uint width) {
  uint x = get_global_id(0), y = get_global_id(1);
  out[y * width + x] = 1000 * y + x;
}
kernel void columns(global uint* out, uint height) {
  uint x = get_global_id(0), y = get_global_id(1);
  out[x * height + y] = 1000 * y + x;
}
kernel void of_the_launch(global uint* out) {
  size_t i = get_global_id(0);
  out[i] = 1000000 * get_global_size(0) + 1000 * get_num_groups(0) + 10 * get_group_id(0) + get_local_id(0);
}
kernel void turned(global uint* out, global const uint* in) {
  local uint group[4];
  size_t l = get_local_id(0);
  group[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = group[3 - l];
}
typedef struct { uint low; uint4 high; } Pair;
kernel void pairs(global Pair* out, global uint* sum, Pair by) {
  size_t i = get_global_id(0);
  out[i].low = i + by.low;
  out[i].high = by.high + (uint)i;
  sum[i] = 2 * i;
}
kernel void mixed(global uint* out) { uint i = get_global_id(0); out[i % 100] = 7; }
kernel void folded(global uint* out, uint by) { uint x = get_global_id(0), y = get_global_id(1); out[y * by + x] = 7; }
kernel void some(global uint* a, global uint* b, uint n) {
  uint i = get_global_id(0);
  b[i] = a[i];
  if (i < n) a[i] = 0;
}
kernel void group_rows(global uint* out, uint width) {
  uint x = get_global_id(0), y = get_global_id(1);
  out[y * width + x] = get_num_groups(0) * 1000 + get_group_id(0);
}
kernel void shared(global uint* out, global const uint* in) { uint i = get_global_id(0); out[i] = in[0] + i; }
kernel void count(global uint* out) { atomic_inc(out); }
kernel void neighbours(global uint* x) { size_t i = get_global_id(0); x[2 * i] = x[2 * i + 1]; }
)");
    BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
  }

  [[nodiscard]] bool can_split() const {
    if (!has_devices()) return false;
    const OwnedKernel kernel = make_kernel(program, "square");
    const bool known = opencl::need<opencl::Kernel>(kernel.get()).facts() != nullptr;
    if (devices.size() < 3) skip("there is one OpenCL device only: set POCL_DEVICES=\"basic basic\"");
    if (!known) skip("there is no compiler that says what kernels write: install clang");
    return devices.size() >= 3 && known;
  }
  /// Returns how many launches of the kernel have been split.
  [[nodiscard]] static std::size_t splits(cl_kernel kernel) {
    const auto& known = opencl::need<opencl::Kernel>(kernel).splittable();
    return known == nullptr ? 0 : known->split_launches.load();
  }
  template <class... Values>
  [[nodiscard]] OwnedKernel kernel_with(const char* name, const Values&... values) const {
    OwnedKernel kernel = make_kernel(program, name);
    cl_uint index = 0;
    (set(kernel, index++, values), ...);
    return kernel;
  }
  static void set(cl_kernel kernel, cl_uint index, const OwnedMemory& memory) {
    const cl_mem handle = memory;
    BOOST_TEST(table().clSetKernelArg(kernel, index, sizeof handle, &handle) == CL_SUCCESS);
  }
  template <class Value>
  static void set(cl_kernel kernel, cl_uint index, const Value& value) {
    BOOST_TEST(table().clSetKernelArg(kernel, index, sizeof value, &value) == CL_SUCCESS);
  }
  void launch(cl_kernel kernel, std::array<std::size_t, 2> global, const std::size_t* offset = nullptr,
              const std::size_t* local = nullptr) const {
    BOOST_TEST(table().clEnqueueNDRangeKernel(in_order, kernel, global[1] == 0 ? 1 : 2, offset, global.data(), local, 0,
                                              nullptr, nullptr) == CL_SUCCESS);
  }
  static Words made(std::size_t count, const std::function<cl_uint(cl_uint)>& value) {
    Words words(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = value(static_cast<cl_uint>(i));
    return words;
  }

  const EnvironmentVariable variable{"TROUPE_OPENCL_SPLIT", "always"};
  OwnedProgram program;
};

BOOST_FIXTURE_TEST_SUITE(opencl_split_launches, SplitFixture)

BOOST_AUTO_TEST_CASE(a_kernel_whose_parts_do_not_build_runs_whole_and_silently) {
  if (!can_split()) return;
  const CapturedErrors errors;
  // The source of two kernels cannot be changed for slices: the parameter of `fixed` is const, and another kernel calls
  // `called`.
  const OwnedProgram fixed = make_program(wide_context, R"(
kernel void fixed(global uint* const out) { out[get_global_id(0)] = 3; }
kernel void called(global uint* out) { out[get_global_id(0)] = 4; }
kernel void calls(global uint* out) { called(out); }
)");
  BOOST_TEST_REQUIRE(build(fixed) == CL_SUCCESS);
  for (const auto& [name, value] : {std::pair{"fixed", 3U}, std::pair{"called", 4U}}) {
    const OwnedMemory out = make_words(Words(512));
    const OwnedKernel kernel = make_kernel(fixed, name);
    set(kernel, 0, out);
    launch(kernel, {512, 0});
    BOOST_TEST(content(out, 512) == Words(512, value), boost::test_tools::per_element());
    BOOST_TEST(splits(kernel) == 0U);
  }
  BOOST_TEST(errors.text() == "");
}

BOOST_AUTO_TEST_CASE(slices_make_up_the_whole) {
  if (!can_split()) return;
  const OwnedMemory in = make_words(made(1000, [](cl_uint i) { return i; }));
  const OwnedMemory out = make_words(Words(1000));
  const OwnedKernel kernel = kernel_with("square", out, in);
  launch(kernel, {1000, 0});
  BOOST_TEST((content(out, 1000) == made(1000, [](cl_uint i) { return i * i; })));
  BOOST_TEST(splits(kernel) == 1U);
}

BOOST_AUTO_TEST_CASE(what_a_kernel_reads_of_what_it_writes_is_there) {
  if (!can_split()) return;
  const OwnedMemory x = make_words(made(500, [](cl_uint i) { return 10 * i; }));
  const OwnedKernel kernel = kernel_with("add", x);
  for (int i = 0; i < 5; ++i) launch(kernel, {500, 0});
  const std::size_t offset = 100;
  launch(kernel, {300, 0}, &offset);
  BOOST_TEST((content(x, 500) == made(500, [](cl_uint i) { return 10 * i + 5 + (i >= 100 && i < 400 ? 1 : 0); })));
  BOOST_TEST(splits(kernel) == 6U);
}

BOOST_AUTO_TEST_CASE(what_is_read_where_nothing_is_written_is_there) {
  if (!can_split()) return;
  const OwnedMemory a = make_words(made(1024, [](cl_uint i) { return i + 1; }));
  const OwnedMemory b = make_words(Words(1024));
  const OwnedKernel kernel = kernel_with("some", a, b, cl_uint{100});
  launch(kernel, {1024, 0});
  BOOST_TEST((content(b, 1024) == made(1024, [](cl_uint i) { return i + 1; })));
  BOOST_TEST((content(a, 1024) == made(1024, [](cl_uint i) { return i < 100 ? 0 : i + 1; })));
  BOOST_TEST(splits(kernel) == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_not_written_stays) {
  if (!can_split()) return;
  const OwnedMemory out = make_words(made(300, [](cl_uint i) { return 7000 + i; }));
  // Programs round the number of work-items up, so there are more work-items than words in the buffer.
  const OwnedKernel kernel = kernel_with("guarded", out, cl_uint{250});
  launch(kernel, {320, 0});
  BOOST_TEST((content(out, 300) == made(300, [](cl_uint i) { return i < 250 && i % 3 == 0 ? i : 7000 + i; })));
  BOOST_TEST(splits(kernel) == 1U);
}

BOOST_AUTO_TEST_CASE(tables_are_split_by_rows) {
  if (!can_split()) return;
  const OwnedMemory out = make_words(Words(20 * 30));
  const OwnedKernel kernel = kernel_with("table", out, cl_uint{20});
  launch(kernel, {20, 30});
  BOOST_TEST((content(out, 600) == made(600, [](cl_uint i) { return 1000 * (i / 20) + i % 20; })));
  BOOST_TEST(splits(kernel) == 1U);
}

BOOST_AUTO_TEST_CASE(tables_that_lie_in_columns_are_split_by_columns) {
  if (!can_split()) return;
  const OwnedMemory out = make_words(Words(20 * 30));
  const OwnedKernel kernel = kernel_with("columns", out, cl_uint{30});
  launch(kernel, {20, 30});
  BOOST_TEST((content(out, 600) == made(600, [](cl_uint i) { return 1000 * (i % 30) + i / 30; })));
  BOOST_TEST(splits(kernel) == 1U);
}

BOOST_AUTO_TEST_CASE(slices_are_told_of_the_whole_launch) {
  if (!can_split()) return;
  const OwnedMemory out = make_words(Words(96));
  const OwnedKernel kernel = kernel_with("of_the_launch", out);
  const std::size_t local = 8;
  const auto expected = [](cl_uint size, cl_uint i) {
    return 1000000 * size + 1000 * (size / 8) + 10 * (i / 8) + i % 8;
  };
  for (const cl_uint size : {96U, 64U}) {
    launch(kernel, {size, 0}, nullptr, &local);
    BOOST_TEST((content(out, size) == made(size, [&](cl_uint i) { return expected(size, i); })));
  }
  BOOST_TEST(splits(kernel) == 2U);
  // If the driver chooses the size of the work-groups, it may choose other sizes for the slices. So this launch is not
  // split.
  launch(kernel, {96, 0});
  BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
  BOOST_TEST(splits(kernel) == 2U);
}

BOOST_AUTO_TEST_CASE(groups_stay_together) {
  if (!can_split()) return;
  const OwnedMemory in = make_words(made(60, [](cl_uint i) { return i; }));
  const OwnedMemory out = make_words(Words(60));
  const OwnedKernel kernel = kernel_with("turned", out, in);
  const std::size_t local = 4;
  launch(kernel, {60, 0}, nullptr, &local);
  BOOST_TEST((content(out, 60) == made(60, [](cl_uint i) { return i / 4 * 4 + 3 - i % 4; })));
  BOOST_TEST(splits(kernel) == 1U);
}

BOOST_AUTO_TEST_CASE(structures_and_several_buffers_are_put_together) {
  if (!can_split()) return;
  struct alignas(16) Pair {
    cl_uint low = 0;
    cl_uint gap[3] = {};
    cl_uint high[4] = {};
  };
  const OwnedMemory out = make_words(Words(100 * sizeof(Pair) / sizeof(cl_uint), 9));
  const OwnedMemory sum = make_words(Words(100));
  const OwnedKernel kernel = kernel_with("pairs", out, sum, Pair{5, {}, {1, 2, 3, 4}});
  launch(kernel, {100, 0});
  const Words pairs = content(out, 800);
  for (cl_uint i = 0; i < 100; ++i) {
    BOOST_TEST(pairs[8 * i] == i + 5);
    for (cl_uint j = 0; j < 4; ++j) BOOST_TEST(pairs[8 * i + 4 + j] == i + 1 + j);
    BOOST_TEST(pairs[8 * i + 1] == 9U);
  }
  BOOST_TEST((content(sum, 100) == made(100, [](cl_uint i) { return 2 * i; })));
  BOOST_TEST(splits(kernel) == 1U);
}

BOOST_AUTO_TEST_CASE(parts_of_buffers_are_written_in_place) {
  if (!can_split()) return;
  const OwnedMemory whole = make_words(Words(512, 3));
  const OwnedMemory part = make_part(whole, 1024, 256);
  const OwnedMemory in = make_words(made(64, [](cl_uint i) { return i + 1; }));
  const OwnedKernel kernel = kernel_with("square", part, in);
  launch(kernel, {64, 0});
  BOOST_TEST(
      (content(whole, 512) == made(512, [](cl_uint i) { return i >= 256 && i < 320 ? (i - 255) * (i - 255) : 3; })));
  BOOST_TEST(splits(kernel) == 1U);
}

BOOST_AUTO_TEST_CASE(what_may_see_the_writes_of_other_slices_is_not_split) {
  if (!can_split()) return;
  const OwnedMemory x = make_words(Words(512, 1));
  const OwnedKernel twice = kernel_with("shared", x, x);
  launch(twice, {256, 0});
  BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
  BOOST_TEST(splits(twice) == 0U);
  const OwnedKernel rows = kernel_with("group_rows", x, cl_uint{8});
  launch(rows, {8, 16});
  BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
  BOOST_TEST(splits(rows) == 0U);
  // The kernel's arguments determine which rows overlap, so the launch is not split.
  const OwnedKernel folded = kernel_with("folded", x, cl_uint{4});
  launch(folded, {20, 30});
  BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
  BOOST_TEST(splits(folded) == 0U);
  const OwnedKernel mixed = kernel_with("mixed", x);
  launch(mixed, {256, 0});
  BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
  BOOST_TEST(splits(mixed) == 0U);
  const OwnedMemory counter = make_words(Words(1));
  const OwnedKernel count = kernel_with("count", counter);
  launch(count, {256, 0});
  BOOST_TEST(content(counter, 1).front() == 256U);
  BOOST_TEST(splits(count) == 0U);
  const OwnedKernel neighbours = kernel_with("neighbours", x);
  launch(neighbours, {256, 0});
  BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
  BOOST_TEST(splits(neighbours) == 0U);
}

BOOST_AUTO_TEST_CASE(a_launch_that_must_not_run_is_not_run_in_slices) {
  if (!can_split()) return;
  const OwnedMemory x = make_words(Words(256));
  const OwnedMemory in = make_words(Words(256, 3));
  // The newest content of x is on the device that ran the last launch.
  const OwnedKernel first = kernel_with("add", x);
  launch(first, {1, 0});
  launch(first, {256, 0});
  const OwnedKernel kernel = kernel_with("square", x, in);
  const OwnedEventOf gate = make_user_event();
  const std::size_t global = 256;
  const cl_event awaited = gate;
  cl_event launched = nullptr;
  BOOST_TEST(table().clEnqueueNDRangeKernel(out_of_order, kernel, 1, nullptr, &global, nullptr, 1, &awaited,
                                            &launched) == CL_SUCCESS);
  const OwnedEventOf event(launched);
  BOOST_TEST(table().clSetUserEventStatus(gate, -5) == CL_SUCCESS);
  BOOST_TEST(table().clFinish(out_of_order) == CL_SUCCESS);
  BOOST_TEST(status_of(event) < 0);
  BOOST_TEST((content(x, 256) == made(256, [](cl_uint i) { return i == 0 ? 2 : 1; })));
}

BOOST_AUTO_TEST_CASE(splitting_can_be_switched_off) {
  if (!can_split()) return;
  const EnvironmentVariable off("TROUPE_OPENCL_SPLIT", "off");
  const OwnedProgram other =
      make_program(wide_context, "kernel void add(global uint* x) { x[get_global_id(0)] += 1; }");
  BOOST_TEST(build(other) == CL_SUCCESS);
  const OwnedMemory x = make_words(Words(256, 1));
  const OwnedKernel kernel = make_kernel(other, "add");
  set(kernel, 0, x);
  launch(kernel, {256, 0});
  BOOST_TEST((content(x, 256) == Words(256, 2)));
  BOOST_TEST(splits(kernel) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
