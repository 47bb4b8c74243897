#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "opencl/commands/released_memory.hpp"
#include "tests/opencl/commands_fixture.hpp"

namespace troupe::tests {

BOOST_FIXTURE_TEST_SUITE(commands_buffers, CommandsFixture)

namespace {

Words counted(std::size_t count) {
  Words words(count);
  std::iota(words.begin(), words.end(), 1U);
  return words;
}

cl_uint* map_words(cl_command_queue queue, cl_mem memory, cl_map_flags flags, std::size_t offset, std::size_t size,
                   cl_int& status) {
  return static_cast<cl_uint*>(
      table().clEnqueueMapBuffer(queue, memory, CL_TRUE, flags, offset, size, 0, nullptr, nullptr, &status));
}

}  // namespace

BOOST_AUTO_TEST_CASE(reads_writes_copies_and_fills_say_what_is_wrong) {
  if (!has_devices()) return;
  const OwnedMemory a = make_words(counted(64));
  const OwnedMemory b = make_words(counted(64));
  const OwnedMemory foreign = make_buffer(256);
  Words host(64);
  const auto read = [&](cl_mem memory, std::size_t offset, std::size_t size, void* to) {
    return table().clEnqueueReadBuffer(in_order, memory, CL_TRUE, offset, size, to, 0, nullptr, nullptr);
  };
  BOOST_TEST(read(nullptr, 0, 4, host.data()) == CL_INVALID_MEM_OBJECT);
  BOOST_TEST(read(foreign, 0, 4, host.data()) == CL_INVALID_CONTEXT);
  BOOST_TEST(read(a, 0, 4, nullptr) == CL_INVALID_VALUE);
  BOOST_TEST(read(a, 0, 257, host.data()) == CL_INVALID_VALUE);
  BOOST_TEST(read(a, 253, 4, host.data()) == CL_INVALID_VALUE);
  BOOST_TEST(read(a, SIZE_MAX, 4, host.data()) == CL_INVALID_VALUE);
  BOOST_TEST(table().clEnqueueReadBuffer(nullptr, a, CL_TRUE, 0, 4, host.data(), 0, nullptr, nullptr) ==
             CL_INVALID_COMMAND_QUEUE);
  const auto copy = [&](cl_mem from, cl_mem to, std::size_t from_at, std::size_t to_at, std::size_t size) {
    return table().clEnqueueCopyBuffer(in_order, from, to, from_at, to_at, size, 0, nullptr, nullptr);
  };
  BOOST_TEST(copy(a, b, 0, 4, 256) == CL_INVALID_VALUE);
  BOOST_TEST(copy(a, a, 0, 4, 8) == CL_MEM_COPY_OVERLAP);
  BOOST_TEST(copy(a, a, 0, 8, 8) == CL_SUCCESS);
  const auto fill = [&](std::size_t width, std::size_t offset, std::size_t size) {
    return table().clEnqueueFillBuffer(in_order, a, host.data(), width, offset, size, 0, nullptr, nullptr);
  };
  BOOST_TEST(fill(3, 0, 6) == CL_INVALID_VALUE);
  BOOST_TEST(fill(0, 0, 8) == CL_INVALID_VALUE);
  BOOST_TEST(fill(256, 0, 256) == CL_INVALID_VALUE);
  BOOST_TEST(fill(4, 2, 8) == CL_INVALID_VALUE);
  BOOST_TEST(fill(4, 0, 6) == CL_INVALID_VALUE);
  BOOST_TEST(fill(4, 0, 260) == CL_INVALID_VALUE);
  BOOST_TEST(table().clEnqueueMigrateMemObjects(in_order, 0, nullptr, 0, 0, nullptr, nullptr) == CL_INVALID_VALUE);
  const cl_mem object = a;
  BOOST_TEST(table().clEnqueueMigrateMemObjects(in_order, 1, &object, 1U << 9U, 0, nullptr, nullptr) ==
             CL_INVALID_VALUE);
}

BOOST_AUTO_TEST_CASE(the_host_may_not_do_what_a_buffers_flags_forbid) {
  if (!has_devices()) return;
  const OwnedMemory unreadable = make_words({1}, CL_MEM_HOST_WRITE_ONLY);
  const OwnedMemory unwritable = make_words({1}, CL_MEM_HOST_READ_ONLY);
  cl_uint word = 0;
  BOOST_TEST(table().clEnqueueReadBuffer(in_order, unreadable, CL_TRUE, 0, 4, &word, 0, nullptr, nullptr) ==
             CL_INVALID_OPERATION);
  BOOST_TEST(table().clEnqueueWriteBuffer(in_order, unwritable, CL_TRUE, 0, 4, &word, 0, nullptr, nullptr) ==
             CL_INVALID_OPERATION);
  cl_int status = 1;
  BOOST_TEST((map_words(in_order, unreadable, CL_MAP_READ, 0, 4, status) == nullptr));
  BOOST_TEST(status == CL_INVALID_OPERATION);
  BOOST_TEST((map_words(in_order, unwritable, CL_MAP_WRITE, 0, 4, status) == nullptr));
  BOOST_TEST(status == CL_INVALID_OPERATION);
}

BOOST_AUTO_TEST_CASE(rectangles_say_what_is_wrong) {
  if (!has_devices()) return;
  const OwnedMemory a = make_words(counted(64));
  Words host(64);
  const std::size_t zero[3] = {0, 0, 0};
  const auto read = [&](const std::size_t* origin, std::size_t width, std::size_t rows, std::size_t pitch) {
    const std::size_t region[3] = {width, rows, 1};
    return table().clEnqueueReadBufferRect(in_order, a, CL_TRUE, origin, zero, region, pitch, 0, 0, 0, host.data(), 0,
                                           nullptr, nullptr);
  };
  BOOST_TEST(read(zero, 16, 16, 16) == CL_SUCCESS);
  BOOST_TEST(read(zero, 0, 16, 16) == CL_INVALID_VALUE);
  BOOST_TEST(read(zero, 16, 17, 16) == CL_INVALID_VALUE);
  BOOST_TEST(read(zero, 16, 2, 15) == CL_INVALID_VALUE);
  const std::size_t far[3] = {SIZE_MAX, 1, 1};
  BOOST_TEST(read(far, 16, 2, 16) == CL_INVALID_VALUE);
  const std::size_t region[3] = {8, 4, 1};
  const auto copy = [&](const OwnedMemory& from, const OwnedMemory& to, const std::size_t(&at)[3]) {
    return table().clEnqueueCopyBufferRect(in_order, from, to, zero, at, region, 16, 0, 16, 0, 0, nullptr, nullptr);
  };
  BOOST_TEST(copy(a, a, {4, 1, 0}) == CL_MEM_COPY_OVERLAP);
  BOOST_TEST(copy(a, a, {8, 0, 0}) == CL_SUCCESS);
  // The two sub-buffers overlap, because they are parts of the same buffer.
  const OwnedMemory first = make_part(a, 0, 192);
  const OwnedMemory second = make_part(a, 0, 256);
  BOOST_TEST(copy(first, second, {4, 1, 0}) == CL_MEM_COPY_OVERLAP);
  BOOST_TEST(copy(first, second, {8, 0, 0}) == CL_SUCCESS);
}

BOOST_AUTO_TEST_CASE(maps_show_and_take_what_a_buffer_holds) {
  if (!has_devices()) return;
  const OwnedMemory a = make_words(counted(64));
  cl_int status = 1;
  const cl_uint* const read = map_words(in_order, a, CL_MAP_READ, 0, 256, status);
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  BOOST_TEST(read[63] == 64U);
  cl_uint* const written = map_words(in_order, a, CL_MAP_WRITE, 128, 64, status);
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  written[0] = 77;
  BOOST_TEST(info_of<cl_uint>(table().clGetMemObjectInfo, a.get(), CL_MEM_MAP_COUNT) == 2U);
  const auto unmap = [&](void* place) {
    return table().clEnqueueUnmapMemObject(in_order, a, place, 0, nullptr, nullptr);
  };
  BOOST_TEST(unmap(written) == CL_SUCCESS);
  BOOST_TEST(unmap(written) == CL_INVALID_VALUE);
  BOOST_TEST(unmap(nullptr) == CL_INVALID_VALUE);
  BOOST_TEST(unmap(const_cast<cl_uint*>(read)) == CL_SUCCESS);
  BOOST_TEST(info_of<cl_uint>(table().clGetMemObjectInfo, a.get(), CL_MEM_MAP_COUNT) == 0U);
  Words expected = counted(64);
  expected[32] = 77;
  BOOST_TEST(content(a, 64) == expected, boost::test_tools::per_element());
  BOOST_TEST((map_words(in_order, a, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, status) == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
  BOOST_TEST((map_words(in_order, a, CL_MAP_READ, 200, 60, status) == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
}

BOOST_AUTO_TEST_CASE(a_part_may_be_used_while_the_program_writes_another) {
  if (!has_devices()) return;
  const OwnedMemory whole = make_words(counted(128));
  const OwnedMemory low = make_part(whole, 0, 256);
  const OwnedMemory high = make_part(whole, 256, 256);
  const OwnedProgram program =
      make_program(wide_context, "kernel void twice(global uint* x) { x[get_global_id(0)] *= 2; }");
  BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
  const OwnedKernel twice = make_kernel(program, "twice");
  const cl_mem argument = high;
  BOOST_TEST(table().clSetKernelArg(twice, 0, sizeof argument, &argument) == CL_SUCCESS);
  cl_int status = 1;
  cl_uint* const place = map_words(in_order, low, CL_MAP_WRITE, 0, 256, status);
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  BOOST_TEST(place[5] == 6U);
  place[0] = 1000;
  const std::size_t global = 64;
  BOOST_TEST(table().clEnqueueNDRangeKernel(out_of_order, twice, 1, nullptr, &global, nullptr, 0, nullptr, nullptr) ==
             CL_SUCCESS);
  BOOST_TEST(table().clFinish(out_of_order) == CL_SUCCESS);
  // To read this sub-buffer, the whole buffer is copied to host memory.
  BOOST_TEST(content(high, 64).front() == 130U);
  place[1] = 1001;
  BOOST_TEST(table().clEnqueueUnmapMemObject(in_order, low, place, 0, nullptr, nullptr) == CL_SUCCESS);
  const Words after = content(whole, 128);
  BOOST_TEST(after[0] == 1000U);
  BOOST_TEST(after[1] == 1001U);
  BOOST_TEST(after[2] == 3U);
  BOOST_TEST(after[127] == 256U);
}

BOOST_AUTO_TEST_CASE(who_makes_a_buffer_waits_while_much_is_left_to_be_given_back) {
  opencl::ReleasedMemory released;
  static constexpr std::size_t kMuch = std::size_t{1} << 30U;
  released.wait_until_little_is_left();
  released.add(kMuch);
  std::atomic<bool> waited{false};
  std::thread maker([&] {
    released.wait_until_little_is_left();
    waited = true;
  });
  released.add(kMuch);
  released.give_back(kMuch);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST(!waited);
  released.give_back(kMuch);
  maker.join();
  BOOST_TEST(released.bytes() == 0U);
}

BOOST_AUTO_TEST_CASE(released_buffers_do_not_pile_up) {
  if (!has_devices()) return;
  static constexpr std::size_t kSize = std::size_t{1} << 20U;
  static constexpr std::size_t kAtOnce = 20;
  const std::vector<std::byte> content(kSize);
  std::size_t most = 0;
  for (std::size_t i = 0; i < 20 * kAtOnce; ++i) {
    cl_int status = 1;
    const OwnedMemory one(table().clCreateBuffer(wide_context, 0, kSize, nullptr, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    BOOST_TEST(table().clEnqueueWriteBuffer(in_order, one, CL_FALSE, 0, kSize, content.data(), 0, nullptr, nullptr) ==
               CL_SUCCESS);
    if (i % kAtOnce == 0) BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
    most = std::max(most, opencl::ReleasedMemory::get().bytes());
  }
  BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
  BOOST_TEST(most <= (std::size_t{64} << 20U));
}

BOOST_AUTO_TEST_CASE(a_destructor_callback_may_make_buffers) {
  if (!has_devices()) return;
  static std::atomic<int> made;
  static cl_context where;
  made = 0;
  where = wide_context;
  constexpr std::size_t kSize = std::size_t{48} << 20U;
  for (int i = 0; i < 4; ++i) {
    cl_int status = 1;
    const OwnedMemory one(table().clCreateBuffer(wide_context, 0, kSize, nullptr, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    BOOST_TEST(table().clSetMemObjectDestructorCallback(
                   one,
                   [](cl_mem, void*) {
                     const OwnedMemory another(table().clCreateBuffer(where, 0, kSize, nullptr, nullptr));
                     if (another.get() != nullptr) ++made;
                   },
                   nullptr) == CL_SUCCESS);
    const cl_uint value = 3;
    BOOST_TEST(table().clEnqueueFillBuffer(in_order, one, &value, sizeof value, 0, 64, 0, nullptr, nullptr) ==
               CL_SUCCESS);
  }
  while (made < 4) std::this_thread::yield();
  BOOST_TEST(table().clFinish(in_order) == CL_SUCCESS);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
