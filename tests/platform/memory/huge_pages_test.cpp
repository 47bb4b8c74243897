#include "platform/memory/huge_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <cstdint>

#include "platform/files/file_descriptor.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(huge_pages)

namespace {

bool is_aligned(const std::byte* data) { return reinterpret_cast<std::uintptr_t>(data) % kHugePage.count == 0; }

BOOST_AUTO_TEST_CASE(long_mappings_begin_at_a_huge_page_and_leave_nothing_beside_them) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const std::size_t length : {page, kHugePage.count - page, kHugePage.count, 3 * kHugePage.count + page}) {
    BOOST_TEST_CONTEXT(length) {
      std::byte* const data = map_aligned(length, MAP_PRIVATE | MAP_ANONYMOUS, -1);
      BOOST_TEST_REQUIRE(data != nullptr);
      BOOST_TEST((length < kHugePage.count || is_aligned(data)));
      std::fill_n(data, length, std::byte{1});
      BOOST_TEST(::munmap(data, length) == 0);
      // The memory has been unmapped, so the kernel does not know these pages.
      BOOST_TEST(::msync(data, length, MS_ASYNC) == -1);
      BOOST_TEST(errno == ENOMEM);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_mapped_says_why) {
  BOOST_TEST(map_aligned(2 * kHugePage.count, MAP_SHARED, -1) == nullptr);
  BOOST_TEST(errno == EBADF);
  BOOST_TEST(map_aligned(std::size_t{1} << 60U, MAP_PRIVATE | MAP_ANONYMOUS, -1) == nullptr);
  BOOST_TEST(errno == ENOMEM);
}

BOOST_AUTO_TEST_CASE(shared_memory_stays_what_it_was) {
  const FileDescriptor memory(::memfd_create("test", MFD_CLOEXEC));
  // The first and the last page are left out, so two of the huge pages are incomplete.
  const std::size_t length = 4 * kHugePage.count;
  BOOST_TEST_REQUIRE(::ftruncate(memory.get(), static_cast<off_t>(length)) == 0);
  std::byte* const here = map_aligned(length, MAP_SHARED, memory.get());
  std::byte* const there = map_aligned(length, MAP_SHARED, memory.get());
  BOOST_TEST_REQUIRE((here != nullptr && there != nullptr));
  for (std::size_t i = 0; i < length; i += 10007) here[i] = static_cast<std::byte>(i);
  const std::size_t page = 4096;
  make_huge(here + page, length - 2 * page);
  make_huge(here, 100);
  bool same = true;
  for (std::size_t i = 0; i < length; ++i) {
    same = same && there[i] == (i % 10007 == 0 ? static_cast<std::byte>(i) : std::byte{0});
  }
  BOOST_TEST(same);
  there[length / 2] = std::byte{77};
  BOOST_TEST((here[length / 2] == std::byte{77}));
  ::munmap(here, length);
  ::munmap(there, length);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
