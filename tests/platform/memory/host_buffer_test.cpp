#include "platform/memory/host_buffer.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(host_buffers)

namespace {

std::uint64_t misalignment(const HostBuffer& buffer, Bytes alignment) {
  return reinterpret_cast<std::uintptr_t>(buffer.data()) % alignment.count;
}

std::uint64_t resident_bytes() {
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

HostBuffer allocated(Bytes size) {
  auto buffer = HostBuffer::allocate(size);
  BOOST_TEST_REQUIRE(buffer.ok());
  return std::move(buffer).value();
}

BOOST_AUTO_TEST_CASE(memory_of_a_numa_node_can_be_used_whether_the_system_places_it_or_not) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{100000}, 3 * kHugePage.count}) {
    for (const int node : {0, 1023, 100000, -1}) {
      auto buffer = HostBuffer::allocate_on(Bytes{size}, node);
      BOOST_TEST_REQUIRE(buffer.ok());
      HostBuffer moved = std::move(buffer).value();
      BOOST_TEST(moved.size().count == size);
      std::fill(moved.bytes().begin(), moved.bytes().end(), std::byte{42});
      // No machine has NUMA nodes with these numbers.
      if (node != 0) BOOST_TEST(!moved.placed());
      if (node == 0 && size > 0) BOOST_TEST_MESSAGE("placed on node 0: " << moved.placed());
    }
  }
  BOOST_TEST(!HostBuffer::allocate_on(Bytes{std::numeric_limits<std::uint64_t>::max()}, 0).ok());
}

BOOST_AUTO_TEST_CASE(every_byte_can_be_used_and_the_start_is_aligned) {
  const std::uint64_t huge = kHugePage.count;
  for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{63}, std::uint64_t{64}, std::uint64_t{100000},
                                   huge - 1, huge, huge + 1, 3 * huge + 12345}) {
    BOOST_TEST_CONTEXT("size " << size) {
      auto buffer = allocated(Bytes{size});
      BOOST_TEST(buffer.size().count == size);
      BOOST_TEST(misalignment(buffer, size < huge ? kBufferAlignment : kHugePage) == 0U);
      std::fill(buffer.bytes().begin(), buffer.bytes().end(), std::byte{42});
      BOOST_TEST((buffer.bytes().back() == std::byte{42}));
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_allocated_for_nothing) {
  const auto buffer = allocated(Bytes{0});
  BOOST_TEST((buffer.data() == nullptr));
  BOOST_TEST(buffer.bytes().empty());
}

BOOST_AUTO_TEST_CASE(a_large_buffer_takes_no_memory_until_it_is_touched) {
  const Bytes size{std::uint64_t{256} << 20};
  const auto before = resident_bytes();
  auto buffer = allocated(size);
  BOOST_TEST(resident_bytes() - before < size.count / 8);
  buffer.data()[size.count - 1] = std::byte{1};
  BOOST_TEST((buffer.data()[0] == std::byte{0}));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_had_is_a_failure_that_says_how_much) {
  for (const std::uint64_t size : {std::uint64_t{1} << 60, std::numeric_limits<std::uint64_t>::max()}) {
    const auto buffer = HostBuffer::allocate(Bytes{size});
    BOOST_TEST_REQUIRE(!buffer.ok());
    BOOST_TEST((buffer.failure().code == ErrorCode::out_of_memory));
    BOOST_TEST(tests::contains(buffer.failure().message, std::to_string(size) + " bytes"));
  }
}

BOOST_AUTO_TEST_CASE(moving_hands_the_memory_over) {
  for (const Bytes size : {Bytes{1000}, kHugePage}) {
    auto first = allocated(size);
    std::byte* data = first.data();
    HostBuffer second = std::move(first);
    BOOST_TEST((second.data() == data));
    // The class specifies the state of a buffer that has been moved from.
    // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
    BOOST_TEST((first.data() == nullptr));
    BOOST_TEST(first.size().count == 0U);
    auto third = allocated(Bytes{10});
    third = std::move(second);
    BOOST_TEST((third.data() == data));
    BOOST_TEST((third.size() == size));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
