/// Tests devices that share the host's memory. They must use the host memory of buffers in place, without copies.
#include <CL/cl_icd.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

#include "opencl/execution/execution.hpp"
#include "opencl/objects/context.hpp"
#include "opencl/objects/context_properties.hpp"
#include "tests/opencl/opencl_fixture.hpp"
#include "tests/support/environment_variable.hpp"

namespace troupe::tests {

struct InPlaceFixture : OpenClFixture {
  static constexpr std::size_t kCount = std::size_t{1} << 24U;
  static constexpr std::size_t kSize = kCount * sizeof(cl_uint);

  /// Makes a context. No other test uses `policy`, so this context gets a new runtime.
  void use(const char* policy) {
    const cl_context_properties list[]{opencl::kContextPolicy, reinterpret_cast<cl_context_properties>(policy), 0};
    cl_int status = 1;
    here = OwnedContext(table().clCreateContext(list, 1, devices.data(), nullptr, nullptr, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    queue = OwnedQueue(table().clCreateCommandQueue(here, devices.front(), 0, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    program = make_program(here, "kernel void add(global uint* x, uint a) { x[get_global_id(0)] += a; }");
    BOOST_TEST_REQUIRE(build(program) == CL_SUCCESS);
    kernel = make_kernel(program, "add");
  }
  [[nodiscard]] OwnedMemory make(cl_mem_flags flags, std::size_t size, void* host = nullptr) const {
    cl_int status = 1;
    OwnedMemory made(table().clCreateBuffer(here, flags, size, host, &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return made;
  }
  void add(cl_mem buffer, std::size_t count, cl_uint a) const {
    BOOST_TEST(table().clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
    BOOST_TEST(table().clSetKernelArg(kernel, 1, sizeof a, &a) == CL_SUCCESS);
    BOOST_TEST(table().clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, nullptr, 0, nullptr, nullptr) ==
               CL_SUCCESS);
  }
  [[nodiscard]] cl_uint* map(cl_mem buffer, std::size_t size) const {
    cl_int status = 1;
    void* const place = table().clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0,
                                                   nullptr, nullptr, &status);
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    return static_cast<cl_uint*>(place);
  }
  void unmap(cl_mem buffer, void* place) const {
    BOOST_TEST(table().clEnqueueUnmapMemObject(queue, buffer, place, 0, nullptr, nullptr) == CL_SUCCESS);
  }
  void finish() const { BOOST_TEST(table().clFinish(queue) == CL_SUCCESS); }
  /// Returns the number of bytes that have been copied between memories so far.
  [[nodiscard]] std::uint64_t moved() const {
    return opencl::need<opencl::Context>(here).execution()->runtime().report().transfers.total().count;
  }
  /// Lets kernels and the host change a buffer of 64 MiB in turn.
  void take_turns() const {
    const OwnedMemory buffer = make(CL_MEM_READ_WRITE, kSize);
    cl_uint* place = map(buffer, kSize);
    for (std::size_t i = 0; i < kCount; ++i) place[i] = static_cast<cl_uint>(i);
    unmap(buffer, place);
    for (int turn = 0; turn < 3; ++turn) {
      add(buffer, kCount, 1);
      place = map(buffer, kSize);
      for (std::size_t i = 0; i < kCount; ++i) place[i] += 10;
      unmap(buffer, place);
    }
    place = map(buffer, kSize);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kCount; ++i) wrong += place[i] == static_cast<cl_uint>(i) + 33 ? 0 : 1;
    unmap(buffer, place);
    finish();
    BOOST_TEST(wrong == 0U);
  }

  OwnedContext here;
  OwnedQueue queue;
  OwnedProgram program;
  OwnedKernel kernel;
};

BOOST_FIXTURE_TEST_SUITE(opencl_in_place, InPlaceFixture)

BOOST_AUTO_TEST_CASE(maps_and_launches_move_no_bytes) {
  if (!has_devices()) return;
  use("heft");
  take_turns();
  BOOST_TEST(moved() == 0U);
}

BOOST_AUTO_TEST_CASE(they_do_where_the_environment_asks_for_copies) {
  if (!has_devices()) return;
  const EnvironmentVariable variable("TROUPE_OPENCL_COPIES", "1");
  use("heft-rank");
  take_turns();
  BOOST_TEST(moved() >= 6 * kSize);
}

BOOST_AUTO_TEST_CASE(a_zero_asks_for_no_copies) {
  if (!has_devices()) return;
  const EnvironmentVariable variable("TROUPE_OPENCL_COPIES", "0");
  use("dada");
  take_turns();
  BOOST_TEST(moved() == 0U);
}

BOOST_AUTO_TEST_CASE(memory_of_the_program_is_used_where_it_is_however_aligned) {
  if (!has_devices()) return;
  use("heft");
  constexpr std::size_t kSome = 1000;
  for (std::size_t offset = 0; offset < 6; ++offset) {
    std::vector<cl_uint> place(kSome + 10, 7);
    const OwnedMemory buffer = make(CL_MEM_USE_HOST_PTR, kSome * sizeof(cl_uint), place.data() + offset);
    for (cl_uint turn = 1; turn <= 3; ++turn) {
      add(buffer, kSome, turn);
      cl_uint* const mapped = map(buffer, kSome * sizeof(cl_uint));
      BOOST_TEST(mapped == place.data() + offset);
      mapped[0] += 1;
      unmap(buffer, mapped);
    }
    finish();
    BOOST_TEST(place[offset] == 7 + 6 + 3U);
    for (std::size_t i = 0; i < place.size(); ++i) {
      const cl_uint expected = i < offset || i >= offset + kSome ? 7 : 13;
      if (i != offset) BOOST_TEST_REQUIRE(place[i] == expected);
    }
  }
  BOOST_TEST(moved() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
