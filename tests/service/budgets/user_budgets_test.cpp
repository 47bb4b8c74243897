#include "service/budgets/user_budgets.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(user_budgets)

namespace {

using tests::contains;

constexpr std::uint32_t kA = 1000;
constexpr std::uint32_t kB = 1001;
constexpr std::uint32_t kC = 1002;

std::string refusal(UserBudgets& budgets, std::uint32_t user, std::uint64_t count = 1) {
  const auto taken = budgets.take(Resource::segments, user, count);
  return taken ? "" : taken.failure().message;
}

BOOST_AUTO_TEST_CASE(one_user_has_half_and_the_others_the_rest) {
  UserBudgets budgets({6400, 10, 10, 10}, {});
  BOOST_TEST(budgets.most_of_user(Resource::segments) == 3200U);
  BOOST_TEST(refusal(budgets, kA, 3200) == "");
  const std::string why = refusal(budgets, kA);
  BOOST_TEST(contains(why, "user 1000 has 3200 segments of shared memory"), why);
  BOOST_TEST(contains(why, "(limits.segments_per_user): release some, or allocate fewer and larger ones"), why);
  // This user cannot take the part that is reserved for a third user.
  BOOST_TEST(refusal(budgets, kB, 1600) == "");
  const std::string none = refusal(budgets, kB);
  BOOST_TEST(contains(none, "all users together have 4800 segments of shared memory"), none);
  BOOST_TEST(contains(none, "mappings (vm.max_map_count)"), none);
  BOOST_TEST(refusal(budgets, kC, 200) == "");
  BOOST_TEST(refusal(budgets, kC) != "");
  budgets.give_back(Resource::segments, kA, 1000);
  BOOST_TEST(refusal(budgets, kB) == "");
  BOOST_TEST(budgets.used(Resource::segments, kA) == 2200U);
  BOOST_TEST(budgets.used(Resource::threads, kA) == 0U);
}

BOOST_AUTO_TEST_CASE(a_limit_of_the_configuration_is_never_above_what_there_is) {
  UserBudgets budgets({100, 10, 10, 10}, {7, 1000, 0, 0});
  BOOST_TEST(budgets.most_of_user(Resource::segments) == 7U);
  BOOST_TEST(budgets.most_of_user(Resource::threads) == 10U);
  BOOST_TEST(budgets.most_of_user(Resource::requests) == 5U);
}

BOOST_AUTO_TEST_CASE(what_is_held_goes_back_at_the_end) {
  const auto budgets = std::make_shared<UserBudgets>(ResourceAmounts{100, 10, 10, 10}, ResourceAmounts{});
  {
    BudgetHold hold(budgets, Resource::segments, kA);
    BOOST_TEST(hold.set(50).ok());
    BOOST_TEST(!hold.set(51).ok());
    BOOST_TEST(hold.set(20).ok());
    BudgetHold moved(std::move(hold));
    BOOST_TEST(moved.count() == 20U);
    BOOST_TEST(budgets->used(Resource::segments, kA) == 20U);
  }
  BOOST_TEST(budgets->used(Resource::segments, kA) == 0U);
}

BOOST_AUTO_TEST_CASE(the_system_has_some_of_everything) {
  const ResourceAmounts amounts = amounts_of_system();
  for (const BudgetTraits& traits : kBudgetTraits) {
    BOOST_TEST(amounts[static_cast<std::size_t>(traits.resource)] >= 100U, traits.what);
    BOOST_TEST(&traits_of(traits.resource) == &traits);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
