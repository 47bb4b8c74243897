#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "opencl/objects/memory.hpp"
#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

struct MemoryFixture : OpenClFixture {
  [[nodiscard]] cl_int status_of(cl_mem_flags flags, std::size_t size, void* host_pointer) const {
    cl_int status = 1;
    const OwnedMemory made(table().clCreateBuffer(context, flags, size, host_pointer, &status));
    BOOST_TEST((made.get() == nullptr) == (status != CL_SUCCESS));
    return status;
  }
  template <class T>
  static T value(cl_mem memory, cl_mem_info what) {
    return info_of<T>(table().clGetMemObjectInfo, memory, what);
  }
  /// The offsets of sub-buffers are multiples of this size, which every device accepts.
  static constexpr std::size_t kPart = 4096;
  static OwnedMemory part_of(cl_mem whole, cl_mem_flags flags, cl_buffer_region region, cl_int& status) {
    return OwnedMemory(table().clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
  }
  static cl_int status_of_part(cl_mem whole, cl_mem_flags flags, cl_buffer_region region) {
    cl_int status = 1;
    const OwnedMemory made = part_of(whole, flags, region, status);
    BOOST_TEST((made.get() == nullptr) == (status != CL_SUCCESS));
    return status;
  }
};

BOOST_FIXTURE_TEST_SUITE(memory_objects, MemoryFixture)

BOOST_AUTO_TEST_CASE(a_buffer_says_what_it_was_made_with) {
  if (!has_devices()) return;
  const OwnedMemory buffer = make_buffer(100, CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY);
  BOOST_TEST(value<cl_mem_object_type>(buffer, CL_MEM_TYPE) == cl_mem_object_type{CL_MEM_OBJECT_BUFFER});
  BOOST_TEST(value<cl_mem_flags>(buffer, CL_MEM_FLAGS) == cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY});
  BOOST_TEST(value<std::size_t>(buffer, CL_MEM_SIZE) == 100U);
  BOOST_TEST(value<void*>(buffer, CL_MEM_HOST_PTR) == nullptr);
  BOOST_TEST(value<cl_uint>(buffer, CL_MEM_MAP_COUNT) == 0U);
  BOOST_TEST(value<cl_uint>(buffer, CL_MEM_REFERENCE_COUNT) == 1U);
  BOOST_TEST(value<cl_context>(buffer, CL_MEM_CONTEXT) == context.get());
  BOOST_TEST(value<cl_mem>(buffer, CL_MEM_ASSOCIATED_MEMOBJECT) == nullptr);
  BOOST_TEST(value<std::size_t>(buffer, CL_MEM_OFFSET) == 0U);
  BOOST_TEST(value<cl_bool>(buffer, CL_MEM_USES_SVM_POINTER) == cl_bool{CL_FALSE});
  BOOST_TEST(table().clGetMemObjectInfo(buffer, 0x7777, 0, nullptr, nullptr) == CL_INVALID_VALUE);
}

BOOST_AUTO_TEST_CASE(flags_that_exclude_one_another_are_refused) {
  if (!has_devices()) return;
  std::array<char, 64> host{};
  for (const cl_mem_flags flags : {CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
                                   CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
                                   CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY, 1 << 6, 1 << 20}) {
    BOOST_TEST(status_of(flags, 64, nullptr) == CL_INVALID_VALUE, "flags " << flags);
  }
  BOOST_TEST(status_of(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host.data()) == CL_INVALID_VALUE);
  BOOST_TEST(status_of(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, host.data()) == CL_INVALID_VALUE);
  BOOST_TEST(status_of(CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host.data()) == CL_SUCCESS);
}

BOOST_AUTO_TEST_CASE(host_pointers_come_with_the_flags_that_use_them) {
  if (!has_devices()) return;
  std::array<char, 64> host{};
  BOOST_TEST(status_of(CL_MEM_USE_HOST_PTR, 64, nullptr) == CL_INVALID_HOST_PTR);
  BOOST_TEST(status_of(CL_MEM_COPY_HOST_PTR, 64, nullptr) == CL_INVALID_HOST_PTR);
  BOOST_TEST(status_of(0, 64, host.data()) == CL_INVALID_HOST_PTR);
  BOOST_TEST(status_of(CL_MEM_ALLOC_HOST_PTR, 64, host.data()) == CL_INVALID_HOST_PTR);
}

BOOST_AUTO_TEST_CASE(sizes_that_no_device_takes_are_refused) {
  if (!has_devices()) return;
  BOOST_TEST(status_of(0, 0, nullptr) == CL_INVALID_BUFFER_SIZE);
  const auto largest = info_of<cl_ulong>(table().clGetDeviceInfo, devices.front(), CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  BOOST_TEST(status_of(0, largest + 1, nullptr) == CL_INVALID_BUFFER_SIZE);
  BOOST_TEST(status_of(0, ~std::size_t{0}, nullptr) == CL_INVALID_BUFFER_SIZE);
  // The memory is never used, so this large buffer costs nothing.
  BOOST_TEST(status_of(0, largest, nullptr) == CL_SUCCESS);
}

BOOST_AUTO_TEST_CASE(memory_of_the_program_is_copied_or_used_in_place) {
  if (!has_devices()) return;
  std::array<char, 1000> host{};
  std::iota(host.begin(), host.end(), 0);
  const auto before = host;
  cl_int status = 1;
  const OwnedMemory copy(table().clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, host.size(), host.data(), &status));
  const OwnedMemory used(table().clCreateBuffer(context, CL_MEM_USE_HOST_PTR, host.size(), host.data(), &status));
  host.fill(1);
  const auto* copied = reinterpret_cast<const char*>(opencl::need<opencl::Memory>(copy).host());
  BOOST_TEST(std::equal(before.begin(), before.end(), copied));
  BOOST_TEST(static_cast<void*>(opencl::need<opencl::Memory>(used).host()) == static_cast<void*>(host.data()));
  BOOST_TEST(value<void*>(used, CL_MEM_HOST_PTR) == host.data());
  BOOST_TEST(value<void*>(copy, CL_MEM_HOST_PTR) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_part_is_where_it_was_asked_for_and_inherits_flags) {
  if (!has_devices()) return;
  std::vector<char> host(4 * kPart);
  cl_int status = 1;
  const OwnedMemory whole(
      table().clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, host.size(), host.data(), &status));
  const OwnedMemory part = part_of(whole, CL_MEM_HOST_READ_ONLY, {kPart, 100}, status);
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  BOOST_TEST(value<std::size_t>(part, CL_MEM_SIZE) == 100U);
  BOOST_TEST(value<std::size_t>(part, CL_MEM_OFFSET) == kPart);
  BOOST_TEST(value<cl_mem>(part, CL_MEM_ASSOCIATED_MEMOBJECT) == whole.get());
  BOOST_TEST(value<void*>(part, CL_MEM_HOST_PTR) == host.data() + kPart);
  BOOST_TEST(value<cl_mem_flags>(part, CL_MEM_FLAGS) ==
             cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY});
  BOOST_TEST(value<cl_uint>(whole, CL_MEM_REFERENCE_COUNT) == 1U);
}

BOOST_AUTO_TEST_CASE(parts_that_cannot_be_are_refused) {
  if (!has_devices()) return;
  const OwnedMemory whole = make_buffer(4 * kPart);
  BOOST_TEST(status_of_part(whole, 0, {0, 0}) == CL_INVALID_BUFFER_SIZE);
  BOOST_TEST(status_of_part(whole, 0, {kPart, 4 * kPart}) == CL_INVALID_VALUE);
  BOOST_TEST(status_of_part(whole, 0, {8 * kPart, 1}) == CL_INVALID_VALUE);
  BOOST_TEST(status_of_part(whole, 0, {kPart, ~std::size_t{0}}) == CL_INVALID_VALUE);
  BOOST_TEST(status_of_part(whole, 0, {1, 64}) == CL_MISALIGNED_SUB_BUFFER_OFFSET);
  BOOST_TEST(status_of_part(whole, CL_MEM_ALLOC_HOST_PTR, {0, 64}) == CL_INVALID_VALUE);
  cl_int status = 1;
  const cl_buffer_region region{0, 64};
  BOOST_TEST((table().clCreateSubBuffer(whole, 0, 0x7777, &region, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
  BOOST_TEST((table().clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, nullptr, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_VALUE);
  const OwnedMemory part = part_of(whole, 0, {kPart, kPart}, status);
  BOOST_TEST(status_of_part(part, 0, {0, 64}) == CL_INVALID_MEM_OBJECT);
}

BOOST_AUTO_TEST_CASE(a_part_may_do_nothing_that_the_whole_may_not) {
  if (!has_devices()) return;
  struct Case {
    cl_mem_flags whole;
    cl_mem_flags part;
  };
  for (const Case& c :
       {Case{CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY}, Case{CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},
        Case{CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY}, Case{CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},
        Case{CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY}, Case{CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
        Case{CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY}, Case{CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY}}) {
    const OwnedMemory whole = make_buffer(kPart, c.whole);
    BOOST_TEST(status_of_part(whole, c.part, {0, 64}) == CL_INVALID_VALUE, c.whole << " and " << c.part);
    BOOST_TEST(status_of_part(whole, c.whole, {0, 64}) == CL_SUCCESS);
  }
  const OwnedMemory whole = make_buffer(kPart, CL_MEM_READ_WRITE);
  BOOST_TEST(status_of_part(whole, CL_MEM_READ_ONLY, {0, 64}) == CL_SUCCESS);
}

BOOST_AUTO_TEST_CASE(callbacks_are_called_when_nobody_needs_it_the_last_one_first) {
  if (!has_devices()) return;
  static std::string called;
  called.clear();
  const auto write = [](cl_mem, void* text) { called += static_cast<const char*>(text); };
  char first[] = "a";
  char second[] = "b";
  OwnedMemory whole = make_buffer(kPart);
  BOOST_TEST(table().clSetMemObjectDestructorCallback(whole, write, first) == CL_SUCCESS);
  BOOST_TEST(table().clSetMemObjectDestructorCallback(whole, write, second) == CL_SUCCESS);
  BOOST_TEST(table().clSetMemObjectDestructorCallback(whole, nullptr, second) == CL_INVALID_VALUE);
  cl_int status = 1;
  OwnedMemory part = part_of(whole, 0, {0, 64}, status);
  whole = OwnedMemory();
  BOOST_TEST(called.empty());
  part = OwnedMemory();
  BOOST_TEST(called == "ba");
}

BOOST_AUTO_TEST_CASE(properties_of_buffers_are_none) {
  if (!has_devices()) return;
  cl_int status = 1;
  const std::array<cl_mem_properties, 1> none{0};
  const std::array<cl_mem_properties, 3> some{0x1234, 1, 0};
  const OwnedMemory buffer(table().clCreateBufferWithProperties(context, none.data(), 0, 64, nullptr, &status));
  BOOST_TEST(status == CL_SUCCESS);
  BOOST_TEST(list_of<cl_mem_properties>(table().clGetMemObjectInfo, buffer.get(), CL_MEM_PROPERTIES).size() == 1U);
  BOOST_TEST((table().clCreateBufferWithProperties(context, some.data(), 0, 64, nullptr, &status) == nullptr));
  BOOST_TEST(status == CL_INVALID_PROPERTY);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
