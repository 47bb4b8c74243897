#include <atomic>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "platform/cuda/cuda_devices.hpp"
#include "platform/cuda/cuda_pinned_memory.hpp"
#include "platform/memory/host_buffer.hpp"
#include "platform/memory/pinned_memory.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"

using namespace troupe;
using namespace troupe::platform;
using troupe::tests::CudaFixture;

BOOST_AUTO_TEST_SUITE(cuda_pinned_memory)

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct PinFixture : CudaFixture {
  explicit PinFixture(const troupe::tests::FakeCudaOptions& options = {}) : CudaFixture(options) {
    gpu = open_cuda_accelerator(0, Bytes{kMiB}).value_or_throw();
    buffer = HostBuffer::allocate(Bytes{4 * kMiB}).value_or_throw();
  }

  std::unique_ptr<CudaAccelerator> gpu;
  HostBuffer buffer;
};

}  // namespace

BOOST_AUTO_TEST_CASE(without_a_gpu_in_use_nothing_is_pinned_and_nothing_fails) {
  const CudaFixture fixture;
  HostBuffer buffer = HostBuffer::allocate(Bytes{4 * kMiB}).value_or_throw();
  const auto pinned = PinnedMemory::pin(buffer.data(), buffer.size());
  BOOST_TEST_REQUIRE(pinned.ok());
  BOOST_TEST(!pinned.value().pinned());
}

BOOST_AUTO_TEST_CASE(a_buffer_is_pinned_until_its_end) {
  PinFixture fixture;
  {
    const auto pinned = PinnedMemory::pin(fixture.buffer.data(), fixture.buffer.size());
    BOOST_TEST_REQUIRE(pinned.ok());
    BOOST_TEST(pinned.value().pinned());
    if (fixture.fake != nullptr) BOOST_TEST(fixture.fake->is_pinned(fixture.buffer.data() + 4 * kMiB - 1));
  }
  if (fixture.fake != nullptr) BOOST_TEST(!fixture.fake->is_pinned(fixture.buffer.data()));
}

BOOST_AUTO_TEST_CASE(a_part_of_a_pinned_buffer_counts_as_pinned_with_it) {
  PinFixture fixture;
  auto whole = PinnedMemory::pin(fixture.buffer.data(), fixture.buffer.size()).value_or_throw();
  auto part = PinnedMemory::pin(fixture.buffer.data() + 5000, {10000}).value_or_throw();
  BOOST_TEST(part.pinned());
  whole = PinnedMemory();
  if (fixture.fake != nullptr) BOOST_TEST(fixture.fake->is_pinned(fixture.buffer.data()));
  part = PinnedMemory();
  if (fixture.fake != nullptr) BOOST_TEST(!fixture.fake->is_pinned(fixture.buffer.data()));
}

BOOST_AUTO_TEST_CASE(buffers_that_share_a_page_with_a_pinned_one_stay_as_they_are) {
  PinFixture fixture;
  const auto first = PinnedMemory::pin(fixture.buffer.data() + 4096, {5000}).value_or_throw();
  const auto neighbour = PinnedMemory::pin(fixture.buffer.data() + 4096 + 5000, {50000});
  BOOST_TEST_REQUIRE(neighbour.ok());
  BOOST_TEST(!neighbour.value().pinned());
  BOOST_TEST(!pinned_in_part(fixture.buffer.data(), 4096));
  BOOST_TEST(pinned_in_part(fixture.buffer.data(), 4097));
  BOOST_TEST(!pinned_in_part(fixture.buffer.data() + 4096, 8192));
  BOOST_TEST(pinned_in_part(fixture.buffer.data() + 4096, 8193));
  BOOST_TEST(!pinned_in_part(fixture.buffer.data() + 3 * 4096, 8193));
}

BOOST_AUTO_TEST_CASE(memory_that_cannot_be_pinned_is_an_error_that_says_how_much) {
  PinFixture fixture({.host_register_fails = true});
  if (!fixture.needs_fake()) return;
  const auto pinned = PinnedMemory::pin(fixture.buffer.data(), fixture.buffer.size());
  BOOST_TEST_REQUIRE(!pinned.ok());
  BOOST_TEST((pinned.failure().code == ErrorCode::out_of_memory));
  BOOST_TEST(pinned.failure().message.find("4194304") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_buffer_may_stay_pinned_longer_than_the_gpu_is_in_use) {
  PinFixture fixture;
  auto pinned = PinnedMemory::pin(fixture.buffer.data(), fixture.buffer.size()).value_or_throw();
  fixture.gpu.reset();
  pinned = PinnedMemory();
  if (fixture.fake != nullptr) BOOST_TEST(fixture.fake->leaks().pinned_ranges == 0U);
}

BOOST_AUTO_TEST_CASE(a_range_counts_as_pinned_whenever_cuda_has_it_so) {
  PinFixture fixture({.pinning_ns = 30'000'000});
  if (!fixture.needs_fake()) return;
  const std::byte* const begin = fixture.buffer.data() + kMiB;
  std::atomic<bool> ended{false};
  std::thread pinner([&] {
    (void)PinnedMemory::pin(begin, {kMiB}).value_or_throw();
    ended = true;
  });
  int looks = 0;
  int unknown = 0;
  while (!ended) {
    const bool before = fixture.fake->is_pinned(begin);
    const bool known = pinned_in_part(begin - 4096, 8192);
    if (!before || !fixture.fake->is_pinned(begin)) continue;
    ++looks;
    if (!known) ++unknown;
  }
  pinner.join();
  BOOST_TEST(looks > 0);
  BOOST_TEST(unknown == 0);
  BOOST_TEST(!pinned_in_part(begin - 4096, 8192));
}

BOOST_AUTO_TEST_CASE(another_gpu_pins_where_one_is_lost) {
  PinFixture fixture;
  if (!fixture.needs_fake()) return;
  const auto other = open_cuda_accelerator(1, Bytes{kMiB}).value_or_throw();
  fixture.fake->break_device(0);
  auto pinned = PinnedMemory::pin(fixture.buffer.data(), fixture.buffer.size()).value_or_throw();
  BOOST_TEST(pinned.pinned());
  BOOST_TEST(fixture.fake->is_pinned(fixture.buffer.data()));
  pinned = PinnedMemory();
  BOOST_TEST(!fixture.fake->is_pinned(fixture.buffer.data()));
  fixture.fake->break_device(1);
  pinned = PinnedMemory::pin(fixture.buffer.data(), fixture.buffer.size()).value_or_throw();
  BOOST_TEST(!pinned.pinned());
}

BOOST_AUTO_TEST_CASE(a_lost_gpu_does_not_keep_a_buffer_from_ending) {
  PinFixture fixture;
  if (!fixture.needs_fake()) return;
  auto pinned = PinnedMemory::pin(fixture.buffer.data(), fixture.buffer.size()).value_or_throw();
  fixture.fake->break_device(0);
  pinned = PinnedMemory();
  BOOST_TEST(!pinned.pinned());
}

BOOST_AUTO_TEST_SUITE_END()
