#include "platform/memory/host_pool.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(host_pools)

namespace {

constexpr Bytes kKiB{1024};
constexpr Bytes kMiB{std::uint64_t{1} << 20U};

using Loan = std::shared_ptr<std::byte>;

Loan lent(HostPool& pool, std::uint64_t size, int node = HostPool::kAnyNode) {
  auto loan = pool.lend({size}, node);
  BOOST_TEST_REQUIRE(loan.ok());
  std::fill_n(loan.value().get(), size, std::byte{42});
  return std::move(loan).value();
}

std::uint64_t misalignment(const Loan& loan, Bytes alignment) {
  return reinterpret_cast<std::uintptr_t>(loan.get()) % alignment.count;
}

BOOST_AUTO_TEST_CASE(every_byte_of_a_loan_can_be_used_and_its_start_is_aligned_at_first_and_later) {
  const auto pool = HostPool::make(Bytes{64 * kMiB.count});
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 1; size <= 8 * kMiB.count; size = size * 5 / 4 + 1) sizes.push_back(size);
  for (int round = 0; round < 2; ++round) {
    for (const std::uint64_t size : sizes) {
      BOOST_TEST_CONTEXT("size " << size) {
        const Loan loan = lent(*pool, size);
        BOOST_TEST(misalignment(loan, size < kHugePage.count ? kBufferAlignment : kHugePage) == 0U);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_block_that_came_back_last_is_lent_first_to_data_of_its_size_and_node) {
  const auto pool = HostPool::make(kMiB);
  Loan first = lent(*pool, 8192);
  Loan second = lent(*pool, 8192);
  const std::byte* const places[]{first.get(), second.get()};
  first.reset();
  second.reset();
  BOOST_TEST(pool->kept().count == 2 * 8192U);
  const Loan other_size = lent(*pool, 4096);
  const Loan other_node = lent(*pool, 8192, 0);
  BOOST_TEST((std::ranges::find(places, other_size.get()) == std::end(places)));
  BOOST_TEST((std::ranges::find(places, other_node.get()) == std::end(places)));
  const Loan third = lent(*pool, 8192);
  const Loan fourth = lent(*pool, 8000);
  BOOST_TEST((third.get() == places[1]));
  BOOST_TEST((fourth.get() == places[0]));
  BOOST_TEST(pool->kept().count == 0U);
}

BOOST_AUTO_TEST_CASE(blocks_of_a_node_serve_that_node_alone) {
  const auto pool = HostPool::make(kMiB);
  const std::byte* const place = lent(*pool, 8192, 0).get();
  const Loan elsewhere = lent(*pool, 8192, 1);
  BOOST_TEST((elsewhere.get() != place));
  const Loan there = lent(*pool, 8192, 0);
  BOOST_TEST((there.get() == place));
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_bounded_and_the_oldest_block_goes_first) {
  const auto pool = HostPool::make(Bytes{16 * kKiB.count});
  std::array<Loan, 3> small;
  for (Loan& loan : small) loan = lent(*pool, 4096);
  for (Loan& loan : small) loan.reset();
  BOOST_TEST(pool->kept().count == 12 * kKiB.count);
  // Two blocks of another size fit beside two of the three.
  std::array<Loan, 2> others;
  for (Loan& loan : others) loan = lent(*pool, 3072);
  for (Loan& loan : others) loan.reset();
  BOOST_TEST(pool->kept().count == 14 * kKiB.count);
  for (Loan& loan : small) loan = lent(*pool, 4096);
  BOOST_TEST(pool->kept().count == 6 * kKiB.count);
  for (Loan& loan : others) loan = lent(*pool, 3072);
  BOOST_TEST(pool->kept().count == 0U);
}

BOOST_AUTO_TEST_CASE(blocks_that_are_lent_again_count_too) {
  const auto pool = HostPool::make(Bytes{16 * kKiB.count});
  const auto lend_five = [&] {
    std::vector<Loan> loans;
    for (int i = 0; i < 5; ++i) loans.push_back(lent(*pool, 4096));
    return loans;
  };
  std::vector<Loan> loans = lend_five();
  loans.clear();
  BOOST_TEST(pool->kept().count == 16 * kKiB.count);
  // Four of these five are blocks that come back a second time. There is no room for the fifth, nor for others.
  loans = lend_five();
  BOOST_TEST(pool->kept().count == 0U);
  lent(*pool, 3072).reset();
  BOOST_TEST(pool->kept().count == 0U);
  loans.clear();
  BOOST_TEST(pool->kept().count == 16 * kKiB.count);
  lent(*pool, 3072).reset();
  BOOST_TEST(pool->kept().count == 15 * kKiB.count);
}

BOOST_AUTO_TEST_CASE(blocks_of_more_than_a_quarter_of_the_bound_are_not_kept) {
  const auto pool = HostPool::make(kMiB);
  lent(*pool, kMiB.count / 4).reset();
  BOOST_TEST(pool->kept().count == kMiB.count / 4);
  lent(*pool, kMiB.count / 4 + 1).reset();
  BOOST_TEST(pool->kept().count == kMiB.count / 4);
}

BOOST_AUTO_TEST_CASE(a_closed_pool_gives_everything_back_and_keeps_nothing) {
  auto pool = HostPool::make(kMiB);
  Loan outlives = lent(*pool, 8192);
  lent(*pool, 8192).reset();
  pool->close();
  BOOST_TEST(pool->kept().count == 0U);
  lent(*pool, 8192).reset();
  BOOST_TEST(pool->kept().count == 0U);
  std::weak_ptr<HostPool> gone = pool;
  pool.reset();
  std::fill_n(outlives.get(), 8192, std::byte{7});
  outlives.reset();
  BOOST_TEST(gone.expired());
}

BOOST_AUTO_TEST_CASE(a_pool_that_may_keep_nothing_lends_all_the_same) {
  const auto pool = HostPool::make({});
  for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{8192}, 3 * kMiB.count}) lent(*pool, size).reset();
  BOOST_TEST(pool->kept().count == 0U);
  BOOST_TEST((pool->lend({}, 0).value() == nullptr));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_had_costs_the_kept_blocks_and_is_a_failure_that_says_how_much) {
  const auto pool = HostPool::make(kMiB);
  lent(*pool, 8192).reset();
  const auto refused = pool->lend({std::numeric_limits<std::uint64_t>::max()}, HostPool::kAnyNode);
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST((refused.failure().code == ErrorCode::out_of_memory));
  BOOST_TEST(
      tests::contains(refused.failure().message, std::to_string(std::numeric_limits<std::uint64_t>::max()) + " bytes"));
  BOOST_TEST(pool->kept().count == 0U);
}

BOOST_AUTO_TEST_CASE(threads_lend_and_give_back_blocks_of_one_another) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 5000;
  const auto pool = HostPool::make(Bytes{256 * kKiB.count});
  std::atomic<int> shared_at_once{0};
  std::array<std::array<Loan, 8>, kThreads> loans;
  std::array<SpinLock, kThreads> locks;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(static_cast<unsigned>(thread));
      for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t size = 64U << (random() % 10);
        Loan loan = pool->lend({size}, HostPool::kAnyNode).value();
        // Only its owner writes a block, so its first and last byte stay as they are.
        const auto mark = static_cast<std::byte>(random());
        loan.get()[0] = loan.get()[size - 1] = mark;
        std::this_thread::yield();
        if (loan.get()[0] != mark || loan.get()[size - 1] != mark) shared_at_once.fetch_add(1);
        const std::size_t other = random() % kThreads;
        const LockGuard lock(locks[other]);
        std::swap(loans[other][random() % 8], loan);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(shared_at_once.load() == 0);
  loans = {};
  BOOST_TEST(pool->kept().count <= 256 * kKiB.count);
  BOOST_TEST(pool->kept().count > 0U);
}

BOOST_AUTO_TEST_CASE(nothing_is_kept_where_a_sanitizer_looks_for_uses_of_released_memory) {
  const bool watched = dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
  BOOST_TEST((HostPool::most_kept_here().count == 0) == watched);
  BOOST_TEST(HostPool::most_kept_here().count <= HostPool::kUsualMost.count);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
