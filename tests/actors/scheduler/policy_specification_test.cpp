#include "actors/scheduler/policy_specification.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(policy_specification)

namespace {

PolicySpecification parsed(std::string_view text) { return parse_policy(text).value_or_throw(); }
std::string refusal(std::string_view text) {
  const auto specification = parse_policy(text);
  return specification ? "" : specification.failure().message;
}

BOOST_AUTO_TEST_CASE(a_name_alone_has_no_options) {
  BOOST_TEST(parsed("lws").name == "lws");
  BOOST_TEST(parsed("lws").options.empty());
}

BOOST_AUTO_TEST_CASE(options_follow_a_colon) {
  const PolicySpecification dada = parsed("dada:alpha=0.5,cp,x=");
  BOOST_TEST(dada.name == "dada");
  BOOST_TEST_REQUIRE(dada.options.size() == 3U);
  BOOST_TEST(dada.options[0].first == "alpha");
  BOOST_TEST(dada.options[0].second == "0.5");
  BOOST_TEST(dada.options[1].first == "cp");
  BOOST_TEST(dada.options[1].second.empty());
  BOOST_TEST(dada.options[2].second.empty());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_refused) {
  BOOST_TEST(refusal("") == "policy '': a policy begins with its name, as in dada:alpha=0.5,cp");
  BOOST_TEST(refusal(":cp").find("begins with its name") != std::string::npos);
  for (const char* text : {"dada:", "dada:cp,", "dada:=1", "dada:,cp"}) {
    BOOST_TEST(refusal(text).find("an option without a name") != std::string::npos, text);
  }
  BOOST_TEST(refusal("dada:cp,cp") == "policy 'dada:cp,cp': option 'cp' is given twice");
}

BOOST_AUTO_TEST_CASE(options_have_the_values_that_were_given_or_their_defaults) {
  const PolicySpecification specification = parsed("p:a=0.25,b,c=red,d=7");
  PolicyOptions options(specification);
  BOOST_TEST(options.number("a", 1, 0, 1) == 0.25);
  BOOST_TEST(options.number("other", 0.75, 0, 1) == 0.75);
  BOOST_TEST(options.flag("b"));
  BOOST_TEST(!options.flag("other flag"));
  BOOST_TEST(options.word("c", {"blue", "red"}) == "red");
  BOOST_TEST(options.word("other word", {"blue", "red"}) == "blue");
  BOOST_TEST(options.count("d", 1, 0, 10) == 7U);
  BOOST_TEST(options.count("other count", 3, 0, 10) == 3U);
  BOOST_TEST(options.finish().ok());
}

/// Returns the error message of a policy specification from which `read` has read some options.
template <class Read>
std::string complaint(std::string_view text, Read&& read) {
  const PolicySpecification specification = parsed(text);
  PolicyOptions options(specification);
  read(options);
  const auto outcome = options.finish();
  if (outcome) return {};
  BOOST_TEST((outcome.failure().code == ErrorCode::invalid_argument));
  return outcome.failure().message;
}

BOOST_AUTO_TEST_CASE(a_number_must_be_one_and_within_its_limits) {
  const auto alpha = [](PolicyOptions& options) { (void)options.number("alpha", 0.5, 0, 1); };
  for (const char* value : {"1.5", "-0.1", "half", "0.5x", "", "nan", "inf"}) {
    BOOST_TEST(complaint(std::string("dada:alpha=") + value, alpha) ==
               std::string("policy 'dada': alpha must be a number from 0 to 1, not '") + value + "'");
  }
  for (const char* value : {"0", "1", "0.5", "1e-3"}) {
    BOOST_TEST(complaint(std::string("dada:alpha=") + value, alpha).empty());
  }
}

BOOST_AUTO_TEST_CASE(a_count_must_be_whole) {
  const auto ahead = [](PolicyOptions& options) { (void)options.count("ahead", 1, 0, 64); };
  for (const char* value : {"1.5", "-1", "65", "many", ""}) {
    BOOST_TEST(complaint(std::string("p:ahead=") + value, ahead) ==
               std::string("policy 'p': ahead must be a whole number from 0 to 64, not '") + value + "'");
  }
  BOOST_TEST(complaint("p:ahead=64", ahead).empty());
}

BOOST_AUTO_TEST_CASE(a_switch_takes_no_value_and_a_word_must_be_known) {
  BOOST_TEST(complaint("p:cp=yes", [](PolicyOptions& options) { (void)options.flag("cp"); }) ==
             "policy 'p': cp is a switch and takes no value; it has 'yes'");
  BOOST_TEST(complaint("p:loads=full", [](PolicyOptions& options) {
               (void)options.word("loads", {"queued", "zero"});
             }) == "policy 'p': loads must be queued or zero, not 'full'");
}

BOOST_AUTO_TEST_CASE(an_option_that_nobody_asked_for_is_refused_with_the_known_ones) {
  BOOST_TEST(complaint("p:speed=1", [](PolicyOptions& options) {
               (void)options.flag("cp");
               (void)options.flag("rounds");
             }) == "policy 'p' has no option 'speed'; known are cp, rounds");
  BOOST_TEST(complaint("p:speed=1", [](PolicyOptions&) {}) == "policy 'p' has no option 'speed'; it has none");
}

BOOST_AUTO_TEST_CASE(the_first_thing_that_was_wrong_is_reported) {
  BOOST_TEST(complaint("p:a=x,b=y", [](PolicyOptions& options) {
               (void)options.number("a", 0, 0, 1);
               (void)options.flag("b");
             }).find("a must be") != std::string::npos);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
