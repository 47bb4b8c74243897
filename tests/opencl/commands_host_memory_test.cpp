/// Tests buffers that use the program's memory.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

struct HostMemoryFixture : OpenClFixture {
  HostMemoryFixture() {
    if (devices.empty()) return;
    cl_int status = 1;
    queue = OwnedQueue(table().clCreateCommandQueue(context, devices.front(), 0, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    program = make_program(context, "kernel void add(global int* data, int n) { data[get_global_id(0)] += n; }");
    BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
    kernel = make_kernel(program, "add");
  }

  [[nodiscard]] OwnedMemory buffer_in(std::vector<std::int32_t>& place, std::size_t count) const {
    cl_int status = 1;
    OwnedMemory made(
        table().clCreateBuffer(context, CL_MEM_USE_HOST_PTR, count * sizeof(std::int32_t), place.data(), &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }
  void add(cl_mem buffer, std::size_t count, std::int32_t number) const {
    BOOST_TEST(table().clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
    BOOST_TEST(table().clSetKernelArg(kernel, 1, sizeof number, &number) == CL_SUCCESS);
    BOOST_TEST(table().clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr) ==
               CL_SUCCESS);
  }
  [[nodiscard]] std::vector<std::int32_t> content(cl_mem buffer, std::size_t count) const {
    std::vector<std::int32_t> read(count, -1);
    BOOST_TEST(table().clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(std::int32_t), read.data(), 0,
                                           nullptr, nullptr) == CL_SUCCESS);
    return read;
  }

  OwnedQueue queue;
  OwnedProgram program;
  OwnedKernel kernel;
};

BOOST_FIXTURE_TEST_SUITE(opencl_host_memory, HostMemoryFixture)

BOOST_AUTO_TEST_CASE(buffers_in_the_same_memory_see_what_the_others_have_written) {
  if (!has_devices()) return;
  static constexpr std::size_t kCount = 1024;
  std::vector<std::int32_t> place(kCount, 1);
  const OwnedMemory first = buffer_in(place, kCount);
  add(first, kCount, 10);
  // Another buffer, of another size, may use the same memory.
  const OwnedMemory second = buffer_in(place, kCount / 2);
  add(second, kCount / 2, 100);
  add(first, kCount, 1000);
  std::vector<std::int32_t> expected(kCount, 1011);
  std::fill_n(expected.begin(), kCount / 2, 1111);
  BOOST_TEST(content(first, kCount) == expected, boost::test_tools::per_element());
  BOOST_TEST(content(second, kCount / 2) == std::vector<std::int32_t>(kCount / 2, 1111),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_new_buffer_has_what_the_program_has_written_since_the_last_one) {
  if (!has_devices()) return;
  static constexpr std::size_t kCount = 256;
  std::vector<std::int32_t> place(kCount, 1);
  const OwnedMemory first = buffer_in(place, kCount);
  BOOST_TEST(content(first, kCount) == place, boost::test_tools::per_element());
  std::ranges::fill(place, 5);
  const OwnedMemory second = buffer_in(place, kCount);
  add(second, kCount, 2);
  BOOST_TEST(content(second, kCount) == std::vector<std::int32_t>(kCount, 7), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
