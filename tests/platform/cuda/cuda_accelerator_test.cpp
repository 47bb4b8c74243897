#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "platform/cuda/cuda_api.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "platform/memory/pinned_memory.hpp"
#include "proto/random.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/thread_checks.hpp"

using namespace troupe;
using namespace troupe::platform;
using troupe::tests::CudaFixture;
using troupe::tests::FakeCudaOptions;

BOOST_AUTO_TEST_SUITE(cuda_accelerator)

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Records the results of copies, and the order in which they end.
class Ends {
 public:
  CopyDone note(CopyNumber number) {
    return [this, number](Result<void> result) {
      const std::lock_guard lock(mutex_);
      order_.push_back(number);
      results_.push_back(std::move(result));
      changed_.notify_all();
    };
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return order_.size() >= count; });
  }
  bool heard_any() {
    const std::lock_guard lock(mutex_);
    return !order_.empty();
  }
  /// May be called only when all copies have ended.
  const std::vector<CopyNumber>& order() { return order_; }
  const std::vector<Result<void>>& results() { return results_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<CopyNumber> order_;
  std::vector<Result<void>> results_;
};

std::unique_ptr<CudaAccelerator> open(int index = 0, Bytes size = {8 * kMiB}) {
  return open_cuda_accelerator(index, size).value_or_throw();
}

std::vector<std::byte> random_bytes(std::size_t size, Random& random) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

void copy_and_wait(CudaAccelerator& gpu, CopyDirection direction, const BlockCopy& block) {
  Ends ends;
  gpu.copy(direction, block, 1, false, ends.note(1));
  ends.wait_for(1);
  Result<void>(ends.results()[0]).value_or_throw();
}

/// Pauses the fake and requests two copies in the engine's own thread. If the engine saw only one copy, it might wait
/// for the end of this copy before it looks for another. While the fake is paused, that end would never come.
void pause_with_two_copies(tests::FakeCudaControl& fake, CudaAccelerator& gpu, const BlockCopy& block, CopyNumber first,
                           Ends& ends) {
  const std::uint64_t before = fake.counts().copies;
  gpu.copy(CopyDirection::to_device, block, 0, false, [&, block, first](const Result<void>&) {
    fake.pause();
    gpu.copy(CopyDirection::to_device, block, first, false, ends.note(first));
    gpu.copy(CopyDirection::to_device, block, first + 1, false, ends.note(first + 1));
  });
  while (fake.counts().copies < before + 3) std::this_thread::yield();
}

/// Copies a block with gaps to the device and back, and checks that both the block and the gaps are right.
void check_round_trip(CudaAccelerator& gpu, Random& random, bool pin) {
  const std::size_t bytes = 1 + random.next() % 5000;
  const std::size_t columns = 1 + random.next() % 40;
  const std::size_t from_pitch = bytes + random.next() % 300;
  const std::size_t device_pitch = bytes + random.next() % 300;
  const std::size_t to_pitch = bytes + random.next() % 300;
  const std::size_t offset = random.next() % 10000;
  const std::vector<std::byte> source = random_bytes(columns * from_pitch, random);
  std::vector<std::byte> result = random_bytes(columns * to_pitch, random);
  std::vector<std::byte> expected = result;
  for (std::size_t i = 0; i < columns; ++i) {
    std::memcpy(expected.data() + i * to_pitch, source.data() + i * from_pitch, bytes);
  }
  PinnedMemory pinned_source;
  PinnedMemory pinned_result;
  if (pin) {
    pinned_source = PinnedMemory::pin(source.data(), {source.size()}).value_or_throw();
    pinned_result = PinnedMemory::pin(result.data(), {result.size()}).value_or_throw();
  }
  std::byte* const device = gpu.memory() + offset;
  copy_and_wait(gpu, CopyDirection::to_device, {source.data(), from_pitch, device, device_pitch, bytes, columns});
  copy_and_wait(gpu, CopyDirection::to_host, {device, device_pitch, result.data(), to_pitch, bytes, columns});
  BOOST_TEST((result == expected));
}

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_with_any_gaps_come_back_as_they_were) {
  const CudaFixture fixture;
  const auto gpu = open();
  Random random(42);
  for (int i = 0; i < 60; ++i) check_round_trip(*gpu, random, i % 2 == 0);
  BOOST_TEST(gpu->traffic(CopyDirection::to_device).copies == 60U);
  BOOST_TEST(gpu->traffic(CopyDirection::to_host).copies == 60U);
  BOOST_TEST(gpu->traffic(CopyDirection::to_device).bytes.count == gpu->traffic(CopyDirection::to_host).bytes.count);
  BOOST_TEST(gpu->traffic(CopyDirection::to_host).busy.count() > 0);
}

BOOST_AUTO_TEST_CASE(boxes_of_a_volume_come_back_as_they_were) {
  const CudaFixture fixture;
  const auto gpu = open();
  Random random(43);
  constexpr std::size_t kPlanes = 5;
  // 7 columns of 100 bytes in each plane. The second time the host's memory is partly pinned, so copies are staged.
  for (const bool pin : {false, true}) {
    const std::vector<std::byte> source = random_bytes(kPlanes * 1001, random);
    std::vector<std::byte> result = random_bytes(kPlanes * 903, random);
    std::vector<std::byte> expected = result;
    for (std::size_t k = 0; k < kPlanes; ++k) {
      for (std::size_t i = 0; i < 7; ++i) {
        std::memcpy(expected.data() + k * 903 + i * 121, source.data() + k * 1001 + i * 133, 100);
      }
    }
    PinnedMemory pinned_source;
    PinnedMemory pinned_result;
    if (pin) {
      pinned_source = PinnedMemory::pin(source.data() + 2000, {1000}).value_or_throw();
      pinned_result = PinnedMemory::pin(result.data() + 2000, {1000}).value_or_throw();
    }
    std::byte* const device = gpu->memory() + 512;
    copy_and_wait(*gpu, CopyDirection::to_device, {source.data(), 133, device, 100, 100, 7, kPlanes, 1001, 700});
    copy_and_wait(*gpu, CopyDirection::to_host, {device, 100, result.data(), 121, 100, 7, kPlanes, 700, 903});
    BOOST_TEST((result == expected));
  }
  BOOST_TEST(gpu->traffic(CopyDirection::to_device).bytes.count == 2 * kPlanes * 700);
}

BOOST_AUTO_TEST_CASE(blocks_are_copied_inside_the_memory_of_a_gpu_and_are_no_traffic) {
  const CudaFixture fixture;
  const auto gpu = open();
  Random random(44);
  const std::vector<std::byte> source = random_bytes(5 * 1001, random);
  std::vector<std::byte> expected = random_bytes(5 * 903, random);
  std::vector<std::byte> result(expected.size());
  std::byte* const from = gpu->memory() + 512;
  std::byte* const to = gpu->memory() + 16384;
  copy_and_wait(*gpu, CopyDirection::to_device, {source.data(), 5005, from, 5005, 5005, 1});
  copy_and_wait(*gpu, CopyDirection::to_device, {expected.data(), 4515, to, 4515, 4515, 1});
  Ends ends;
  gpu->copy_inside({from + 20, 133, to + 30, 121, 90, 6, 4, 1001, 903}, 1, false, ends.note(1));
  ends.wait_for(1);
  BOOST_TEST(ends.results()[0].ok());
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < 6; ++i) {
      std::memcpy(expected.data() + 30 + k * 903 + i * 121, source.data() + 20 + k * 1001 + i * 133, 90);
    }
  }
  copy_and_wait(*gpu, CopyDirection::to_host, {to, 4515, result.data(), 4515, 4515, 1});
  BOOST_TEST((result == expected));
  BOOST_TEST(gpu->traffic(CopyDirection::to_device).copies == 2U);
  BOOST_TEST(gpu->peer_traffic().copies == 0U);
  gpu->stop();
  gpu->copy_inside({from, 8, to, 8, 8, 1}, 2, false, ends.note(2));
  ends.wait_for(2);
  BOOST_TEST(!ends.results()[1].ok());
}

BOOST_AUTO_TEST_CASE(columns_that_lie_farther_apart_than_cuda_takes_are_copied_one_by_one) {
  const CudaFixture fixture;
  const auto gpu = open();
  // The memory between the two columns is never touched.
  constexpr std::size_t kPitch = (std::size_t{1} << 31U) + 4096;
  constexpr std::size_t kColumn = 100;
  void* const mapped =
      ::mmap(nullptr, kPitch + kColumn, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return tests::skip("no address space of 2 GiB");
  auto* const host = static_cast<std::byte*>(mapped);
  Random random(44);
  const std::vector<std::byte> first = random_bytes(kColumn, random);
  const std::vector<std::byte> second = random_bytes(kColumn, random);
  std::memcpy(host, first.data(), kColumn);
  std::memcpy(host + kPitch, second.data(), kColumn);
  std::byte* const device = gpu->memory();
  copy_and_wait(*gpu, CopyDirection::to_device, {host, kPitch, device, kColumn, kColumn, 2});
  std::memset(host, 0, kColumn);
  std::memset(host + kPitch, 0, kColumn);
  copy_and_wait(*gpu, CopyDirection::to_host, {device, kColumn, host, kPitch, kColumn, 2});
  BOOST_TEST(std::memcmp(host, first.data(), kColumn) == 0);
  BOOST_TEST(std::memcmp(host + kPitch, second.data(), kColumn) == 0);
  ::munmap(mapped, kPitch + kColumn);
}

BOOST_AUTO_TEST_CASE(copies_go_on_while_a_part_of_their_memory_is_pinned_and_unpinned) {
  const CudaFixture fixture({.pinning_ns = 100'000});
  const auto gpu = open();
  std::vector<std::byte> host(kMiB);
  const std::jthread pinner([&](const std::stop_token& ends) {
    while (!ends.stop_requested()) (void)PinnedMemory::pin(host.data() + kMiB / 4, {kMiB / 4});
  });
  for (int i = 0; i < 200; ++i) {
    // The copied memory begins inside the pinned part and ends after it.
    std::byte* const begin = host.data() + 3 * kMiB / 8;
    copy_and_wait(*gpu, CopyDirection::to_device, {begin, 1000, gpu->memory(), 1000, 1000, 500});
    copy_and_wait(*gpu, CopyDirection::to_host, {gpu->memory(), 1000, begin, 1000, 1000, 500});
  }
}

BOOST_AUTO_TEST_CASE(memory_that_the_program_has_pinned_in_part_is_copied) {
  const CudaFixture fixture;
  const auto gpu = open();
  Random random(43);
  std::vector<std::byte> host = random_bytes(kMiB, random);
  const std::vector<std::byte> expected = host;
  auto* const page =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(host.data()) + kMiB / 2) / 4096 * 4096);
  const CudaApi& api = *cuda_api().value_or_throw();
  BOOST_TEST_REQUIRE(api.cudaHostRegister(page, 8192, cudaHostRegisterPortable) == cudaSuccess);
  constexpr std::size_t kSize = 100'000;
  copy_and_wait(*gpu, CopyDirection::to_device, {page, kSize, gpu->memory(), kSize, kSize, 1});
  std::fill(page, page + kSize, std::byte{0});
  copy_and_wait(*gpu, CopyDirection::to_host, {gpu->memory(), kSize, page, kSize, kSize, 1});
  BOOST_TEST((host == expected));
  BOOST_TEST(api.cudaHostUnregister(page) == cudaSuccess);
}

BOOST_AUTO_TEST_CASE(a_gpu_that_nobody_asked_for_is_not_used) {
  const CudaFixture fixture;
  if (!fixture.needs_fake()) return;
  {
    const auto gpu = open(1);
    std::vector<std::byte> host(kMiB);
    const PinnedMemory pinned = PinnedMemory::pin(host.data(), {host.size()}).value_or_throw();
    copy_and_wait(*gpu, CopyDirection::to_device, {host.data(), kMiB, gpu->memory(), kMiB, kMiB, 1});
  }
  BOOST_TEST(fixture.fake->is_in_use(1));
  BOOST_TEST(!fixture.fake->is_in_use(0));
}

BOOST_AUTO_TEST_CASE(a_block_of_nothing_is_copied_too) {
  const CudaFixture fixture;
  const auto gpu = open();
  std::byte one{};
  copy_and_wait(*gpu, CopyDirection::to_device, {&one, 1, gpu->memory(), 1, 0, 3});
  copy_and_wait(*gpu, CopyDirection::to_device, {&one, 1, gpu->memory(), 1, 1, 0});
  copy_and_wait(*gpu, CopyDirection::to_host, {});
}

BOOST_AUTO_TEST_CASE(what_copies_cost_was_measured) {
  const CudaFixture fixture;
  const auto gpu = open();
  for (const CopyDirection direction : {CopyDirection::to_device, CopyDirection::to_host}) {
    BOOST_TEST(gpu->speed(direction).bytes_per_s > 1e6);
    BOOST_TEST(gpu->speed(direction).latency.count() > 0);
    BOOST_TEST(gpu->speed(direction).latency < std::chrono::seconds(1));
  }
}

BOOST_AUTO_TEST_CASE(copies_that_wait_go_in_order_but_urgent_ones_first) {
  const CudaFixture fixture;
  if (!fixture.needs_fake()) return;
  const auto gpu = open();
  std::vector<std::byte> host(4096);
  const PinnedMemory pinned = PinnedMemory::pin(host.data(), {host.size()}).value_or_throw();
  const auto block = [&](std::size_t i) { return BlockCopy{host.data(), 1, gpu->memory() + i, 1, 1, 1}; };
  Ends ends;
  // CUDA already has two copies, which other copies can no longer overtake.
  pause_with_two_copies(*fixture.fake, *gpu, block(1), 1, ends);
  gpu->copy(CopyDirection::to_device, block(3), 3, false, ends.note(3));
  gpu->copy(CopyDirection::to_device, block(4), 4, false, ends.note(4));
  gpu->copy(CopyDirection::to_device, block(5), 5, true, ends.note(5));
  gpu->copy(CopyDirection::to_device, block(6), 6, false, ends.note(6));
  gpu->hurry(6);
  gpu->hurry(99);
  fixture.fake->resume();
  ends.wait_for(6);
  const std::vector<CopyNumber> expected{1, 2, 5, 6, 3, 4};
  BOOST_TEST(ends.order() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_direction_does_not_wait_for_the_other) {
  const CudaFixture fixture;
  if (!fixture.needs_fake()) return;
  const auto gpu = open();
  std::vector<std::byte> there(kMiB);
  std::vector<std::byte> back(kMiB);
  const PinnedMemory pinned = PinnedMemory::pin(there.data(), {there.size()}).value_or_throw();
  const PinnedMemory pinned_too = PinnedMemory::pin(back.data(), {back.size()}).value_or_throw();
  Ends ends;
  fixture.fake->pause();
  gpu->copy(CopyDirection::to_device, {there.data(), kMiB, gpu->memory(), kMiB, kMiB, 1}, 1, false, ends.note(1));
  gpu->copy(CopyDirection::to_host, {gpu->memory() + kMiB, kMiB, back.data(), kMiB, kMiB, 1}, 2, false, ends.note(2));
  // CUDA has received both copies at once.
  while (fixture.fake->counts().copies < 2 * 13 + 2) std::this_thread::yield();
  BOOST_TEST(!ends.heard_any());
  fixture.fake->resume();
  ends.wait_for(2);
  for (const Result<void>& result : ends.results()) BOOST_TEST(result.ok());
}

BOOST_AUTO_TEST_CASE(copies_from_many_threads_all_end_well) {
  const CudaFixture fixture;
  const auto gpu = open();
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 50;
  std::vector<std::vector<std::byte>> sources(kThreads * kEach);
  std::vector<std::vector<std::byte>> results(kThreads * kEach, std::vector<std::byte>(1000));
  Ends ends;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Random random(t);
      for (std::size_t i = t * kEach; i < (t + 1) * kEach; ++i) {
        sources[i] = random_bytes(1000, random);
        std::byte* const device = gpu->memory() + i * 1024;
        // The callback of the copy to the device starts the copy back, in the engine's thread.
        gpu->copy(
            CopyDirection::to_device, {sources[i].data(), 100, device, 100, 100, 10}, i, i % 3 == 0,
            [&, i, device](Result<void> result) {
              if (!result) return ends.note(i)(std::move(result));
              gpu->copy(CopyDirection::to_host, {device, 100, results[i].data(), 100, 100, 10}, i, false, ends.note(i));
            });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ends.wait_for(kThreads * kEach);
  for (const Result<void>& result : ends.results()) BOOST_TEST(result.ok());
  BOOST_TEST((sources == results));
}

BOOST_AUTO_TEST_CASE(memory_that_is_pinned_in_part_is_copied_all_the_same) {
  const CudaFixture fixture;
  const auto gpu = open(0, {32 * kMiB});
  Random random(7);
  const std::vector<std::byte> source = random_bytes(9 * kMiB, random);
  std::vector<std::byte> result(source.size());
  const PinnedMemory part = PinnedMemory::pin(source.data() + 100000, {50000}).value_or_throw();
  const PinnedMemory other = PinnedMemory::pin(result.data() + 300000, {5 * kMiB}).value_or_throw();
  BOOST_TEST(part.pinned());
  const std::size_t pitch = 3 * 333 * 1000;
  // These columns are smaller than the staging memory. The one column below is larger.
  copy_and_wait(*gpu, CopyDirection::to_device, {source.data(), pitch, gpu->memory(), pitch, pitch - 10, 9});
  copy_and_wait(*gpu, CopyDirection::to_host, {gpu->memory(), pitch, result.data(), pitch, pitch - 10, 9});
  for (std::size_t i = 0; i < 9; ++i) {
    BOOST_TEST(std::memcmp(source.data() + i * pitch, result.data() + i * pitch, pitch - 10) == 0);
  }
  copy_and_wait(*gpu, CopyDirection::to_device, {source.data(), 0, gpu->memory(), 0, source.size(), 1});
  copy_and_wait(*gpu, CopyDirection::to_host, {gpu->memory(), 0, result.data(), 0, source.size(), 1});
  BOOST_TEST((source == result));
}

BOOST_AUTO_TEST_CASE(gpus_that_reach_each_other_copy_without_the_host) {
  const CudaFixture fixture;
  if (!fixture.needs_fake()) return;
  const auto one = open(0);
  const auto two = open(1);
  BOOST_TEST_REQUIRE(two->reaches(*one));
  BOOST_TEST(!one->reaches(*one));
  Random random(3);
  const std::vector<std::byte> source = random_bytes(3000, random);
  std::vector<std::byte> result(3000);
  copy_and_wait(*one, CopyDirection::to_device, {source.data(), 300, one->memory(), 400, 300, 10});
  const std::uint64_t before = fixture.fake->counts().peer_copies;
  Ends ends;
  two->copy_from(*one, {one->memory(), 400, two->memory() + 100, 300, 300, 10}, 1, false, ends.note(1));
  ends.wait_for(1);
  BOOST_TEST_REQUIRE(ends.results()[0].ok());
  BOOST_TEST(fixture.fake->counts().peer_copies == before + 1);
  copy_and_wait(*two, CopyDirection::to_host, {two->memory() + 100, 300, result.data(), 300, 300, 10});
  BOOST_TEST((source == result));
  BOOST_TEST(two->peer_traffic().copies == 1U);
  BOOST_TEST(two->peer_traffic().bytes.count == 3000U);
  BOOST_TEST(two->peer_speed().bytes_per_s > 1e6);
}

BOOST_AUTO_TEST_CASE(gpus_without_access_do_not_reach_each_other) {
  const CudaFixture fixture({.peer_access = false});
  if (!fixture.needs_fake()) return;
  const auto one = open(0);
  const auto two = open(1);
  BOOST_TEST(!two->reaches(*one));
  BOOST_TEST(two->peer_speed().bytes_per_s > 1e6);
}

BOOST_AUTO_TEST_CASE(a_copy_out_of_bounds_fails_alone) {
  const CudaFixture fixture;
  if (!fixture.needs_fake()) return;
  const auto gpu = open(0, {kMiB});
  std::vector<std::byte> host(4096);
  Ends ends;
  gpu->copy(CopyDirection::to_device, {host.data(), 0, gpu->memory() + kMiB - 10, 0, 4096, 1}, 1, false, ends.note(1));
  gpu->copy(CopyDirection::to_device, {host.data(), 0, gpu->memory(), 0, 4096, 1}, 2, false, ends.note(2));
  ends.wait_for(2);
  BOOST_TEST_REQUIRE(!ends.results()[0].ok());
  BOOST_TEST((ends.results()[0].failure().code == ErrorCode::transfer_failed));
  BOOST_TEST(ends.results()[0].failure().message.find("cudaErrorInvalidValue") != std::string::npos);
  BOOST_TEST(ends.results()[1].ok());
  BOOST_TEST(!gpu->lost());
}

BOOST_AUTO_TEST_CASE(after_a_fault_all_copies_end_with_device_lost_and_it_is_told_once) {
  // Opening the two GPUs makes 26 copies, and the third copy after that has a fault. A later call reports the fault.
  const CudaFixture fixture({.devices = 2, .fault_in_copy = 2 * 13 + 3});
  if (!fixture.needs_fake()) return;
  tests::ThreadChecks checks;
  const auto gpu = open(0);
  std::atomic<int> told = 0;
  gpu->on_lost([&](const Failure& failure) {
    ++told;
    checks.expect(failure.code == ErrorCode::device_lost);
    checks.expect(failure.message.find("GPU 0 (Fake GPU 0) was lost") != std::string::npos);
    checks.expect(failure.message.find("cudaErrorIllegalAddress") != std::string::npos);
  });
  std::vector<std::byte> host(8192);
  const PinnedMemory pinned = PinnedMemory::pin(host.data(), {host.size()}).value_or_throw();
  Ends ends;
  for (CopyNumber i = 0; i < 20; ++i) {
    const bool there = i % 2 == 0;
    const BlockCopy to{host.data(), 0, gpu->memory(), 0, 100, 1};
    const BlockCopy from{gpu->memory() + 4096, 0, host.data() + 4096, 0, 100, 1};
    gpu->copy(there ? CopyDirection::to_device : CopyDirection::to_host, there ? to : from, i, false, ends.note(i));
  }
  ends.wait_for(20);
  std::size_t lost = 0;
  for (const Result<void>& result : ends.results()) {
    if (result) continue;
    ++lost;
    BOOST_TEST((result.failure().code == ErrorCode::device_lost));
  }
  // At most two of the ten copies in the direction of the faulty copy succeed. The copies in the other direction may
  // have ended before the fault.
  BOOST_TEST(lost >= 8U);
  BOOST_TEST(gpu->lost());
  BOOST_TEST(told == 1);
  // A listener that registers after the loss is called at once.
  gpu->on_lost([&](const Failure&) { ++told; });
  BOOST_TEST(told == 2);
  // The other GPU must still work.
  const auto other = open(1);
  copy_and_wait(*other, CopyDirection::to_device, {host.data(), 0, other->memory(), 0, 100, 1});
}

BOOST_AUTO_TEST_CASE(copies_that_have_not_begun_end_with_a_failure_when_the_accelerator_does) {
  const CudaFixture fixture;
  if (!fixture.needs_fake()) return;
  auto gpu = open(0);
  std::vector<std::byte> host(4096);
  const PinnedMemory pinned = PinnedMemory::pin(host.data(), {host.size()}).value_or_throw();
  Ends ends;
  const BlockCopy block{host.data(), 0, gpu->memory(), 0, 100, 1};
  pause_with_two_copies(*fixture.fake, *gpu, block, 0, ends);
  for (CopyNumber i = 2; i < 5; ++i) gpu->copy(CopyDirection::to_device, block, i, false, ends.note(i));
  std::thread ending([&] { gpu->stop(); });
  fixture.fake->resume();
  ending.join();
  BOOST_TEST_REQUIRE(ends.order().size() == 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const Result<void>& result = ends.results()[i];
    if (ends.order()[i] < 2) BOOST_TEST(result.ok());
    if (!result) BOOST_TEST((result.failure().code == ErrorCode::transfer_failed));
  }
  // A copy after the end fails inside its call.
  gpu->copy(CopyDirection::to_host, {gpu->memory(), 0, host.data(), 0, 100, 1}, 5, false, ends.note(5));
  BOOST_TEST_REQUIRE(ends.order().size() == 6U);
  BOOST_TEST(!ends.results()[5].ok());
  gpu->stop();
}

BOOST_AUTO_TEST_CASE(opening_leaves_the_calling_thread_and_other_gpus_alone) {
  const CudaFixture fixture({.unavailable_device = 0});
  if (!fixture.needs_fake()) return;
  // GPU 0 cannot be used: every call that used it would fail.
  const auto gpu = open(1);
  std::vector<std::byte> host(4096);
  const auto pinned = PinnedMemory::pin(host.data(), {host.size()});
  BOOST_TEST(pinned.ok());
  copy_and_wait(*gpu, CopyDirection::to_device, {host.data(), 0, gpu->memory(), 0, 100, 1});
}

BOOST_AUTO_TEST_SUITE_END()
