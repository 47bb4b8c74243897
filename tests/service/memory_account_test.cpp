#include "service/memory/memory_account.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(memory_account)

namespace {

constexpr std::uint64_t kMebibyte = 1 << 20U;

BOOST_AUTO_TEST_CASE(what_a_client_takes_is_its_user_s_and_the_service_s) {
  MemoryAccounts accounts({.service = {100}, .user = {70}, .client = {50}});
  const auto first = accounts.open(1);
  const auto second = accounts.open(1);
  const auto other = accounts.open(2);
  BOOST_TEST(first->take({40}) == nullptr);
  BOOST_TEST(first->take({11}) == first.get());
  BOOST_TEST(second->take({31})->whose() == "user 1");
  BOOST_TEST(second->used().count == 0U);
  BOOST_TEST(second->take({30}) == nullptr);
  BOOST_TEST(other->take({31})->whose() == "all its clients together");
  BOOST_TEST(other->above()->used().count == 0U);
  first->give_back({40});
  BOOST_TEST(other->take({31}) == nullptr);
  BOOST_TEST(first->above()->used().count == 30U);
}

BOOST_AUTO_TEST_CASE(a_charge_goes_back_at_its_end) {
  const auto account = std::make_shared<MemoryAccount>("user 7", Bytes{kMebibyte});
  {
    MemoryCharge charge(account);
    BOOST_TEST(charge.set(kMebibyte / 2 + 1).ok());
    BOOST_TEST(account->used().count > kMebibyte / 2);
    const auto refused = charge.set(kMebibyte + 1);
    BOOST_REQUIRE(!refused.ok());
    BOOST_TEST((refused.failure().code == ErrorCode::out_of_memory));
    BOOST_TEST(tests::contains(refused.failure().message, "lets user 7 have no more (limits.memory_per_user)"));
    BOOST_TEST(charge.set(10).ok());
    BOOST_TEST(charge.highest() > kMebibyte / 2);
  }
  BOOST_TEST(account->used().count == 0U);
}

BOOST_AUTO_TEST_CASE(no_limit_is_above_what_the_machine_has) {
  const auto usual = possible_limits({400 * kMebibyte}, {}, {64ULL << 30U});
  BOOST_TEST(usual.service.count == 350 * kMebibyte);
  BOOST_TEST(usual.user.count == 300 * kMebibyte);
  BOOST_TEST(usual.client.count == 300 * kMebibyte);
  const auto large = possible_limits({400 * kMebibyte}, {1ULL << 40U}, {64ULL << 30U});
  BOOST_TEST(large.user.count == 350 * kMebibyte);
  const auto small = possible_limits({400 * kMebibyte}, {8 * kMebibyte}, {16 * kMebibyte});
  BOOST_TEST(small.user.count == 8 * kMebibyte);
  BOOST_TEST(small.client.count == 8 * kMebibyte);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
