#include "apps/experiments/dada_claims.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(claims_on_dada)

namespace {

BOOST_AUTO_TEST_CASE(hold_where_all_checks_pass_and_in_part_from_half_on) {
  const auto verdict = [](int passed, int checks) {
    return std::string(to_string(Judgement{checks, passed, ""}.verdict()));
  };
  BOOST_TEST(verdict(6, 6) == "holds");
  BOOST_TEST(verdict(5, 6) == "holds in part");
  BOOST_TEST(verdict(3, 6) == "holds in part");
  BOOST_TEST(verdict(2, 6) == "does not hold");
  BOOST_TEST(verdict(0, 1) == "does not hold");
}

BOOST_AUTO_TEST_CASE(compare_by_the_rules_that_are_stated) {
  BOOST_TEST(similar(100, 91));
  BOOST_TEST(similar(91, 100));
  BOOST_TEST(!similar(100, 89));
  BOOST_TEST(more({10, 1}, {7.9, 1}));
  BOOST_TEST(!more({10, 1}, {8.1, 1}));
  BOOST_TEST(!more({7, 0}, {8, 0}));
  BOOST_TEST(at_least({98.5, 5}, {100, 5}));
  BOOST_TEST(!at_least({97.5, 5}, {100, 5}));
}

BOOST_AUTO_TEST_CASE(have_different_names_and_say_all_they_need) {
  std::set<std::string> names;
  for (const Claim& claim : dada_claims()) {
    BOOST_TEST(names.insert(claim.name).second, claim.name);
    BOOST_TEST((!claim.section.empty() && !claim.statement.empty() && !claim.rule.empty()));
  }
  BOOST_TEST(names.size() > 20U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
