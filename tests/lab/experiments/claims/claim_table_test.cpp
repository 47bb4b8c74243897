#include "lab/experiments/claims/claim_table.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(claim_tables)

namespace {

using tests::contains;

/// The names of the invented table. Three lines have speeds at sizes from 1 to 4; the line "slow" has no size 3.
const std::string kNames = R"(places line size
names speed one before
value line quick = quick line
value line slow = slow line
value line none = no line
list lines = quick, slow
let gain = speed[quick] / speed[slow]
text named = {line} {speed:.0f}
)";

std::vector<ClaimPoint> points() {
  std::vector<ClaimPoint> all;
  for (const double size : {1, 2, 3, 4}) {
    all.push_back({{"line", "quick line"}, {"size", size}, {"speed", Estimate{10 * size, 1}}});
    if (size != 3) all.push_back({{"line", "slow line"}, {"size", size}, {"speed", Estimate{5 + size, 1}}});
  }
  return all;
}

Judgement judged(const std::string& lines) {
  const ClaimTable table(kNames + "claim a | 1 | It is so | by this rule\n" + lines);
  return table.judge(points(), {{"one", 1}}).front();
}

/// Returns the text of `say`, or "" if it is missing.
std::string said(const std::string& text) { return judged("check 1\nsay " + text).measured; }

std::string refusal_of(const std::string& text) {
  try {
    (void)ClaimTable(text).judge(points());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

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

BOOST_AUTO_TEST_CASE(calculate_as_usual) {
  BOOST_TEST(said("{1 + 2 * 3 - 4 / 2}") == "5");
  BOOST_TEST(said("{(1 + 2) * 3:.2f}") == "9.00");
  BOOST_TEST(said("{10 - 2 - 3} {12 / 2 / 3}") == "5 2");
  BOOST_TEST(said("{1 < 2} {2 <= 2 < 2} {3 > 2 >= 2} {1 = 1 and 1 != 1} {0 or 1 and 1}") == "1 0 1 0 1");
  BOOST_TEST(said("{min(2, 3)} {max(2, 3)}") == "2 3");
  BOOST_TEST(said("{\"no \" + \"line\" = none} {\"size \" + 2}") == "1 size 2");
  BOOST_TEST(said("{1 / 0}").empty());
  BOOST_TEST(said("{one}") == "1");
}

BOOST_AUTO_TEST_CASE(compare_by_the_rules_that_are_stated) {
  const auto compared = [](const std::string& relation, Estimate a, Estimate b) {
    const ClaimTable table("places place\nnames a b\nclaim c | 1 | s | r\ncheck " + relation + "(a, b)");
    return table.judge({{{"a", a}, {"b", b}}}).front().passed == 1;
  };
  BOOST_TEST(compared("similar", {100, 0}, {91, 0}));
  BOOST_TEST(compared("similar", {91, 0}, {100, 0}));
  BOOST_TEST(!compared("similar", {100, 0}, {89, 0}));
  BOOST_TEST(compared("more", {10, 1}, {7.9, 1}));
  BOOST_TEST(!compared("more", {10, 1}, {8.1, 1}));
  BOOST_TEST(!compared("more", {7, 0}, {8, 0}));
  BOOST_TEST(compared("more", {103, 0.1}, {100, 0.1}));
  BOOST_TEST(!compared("more", {101, 0.1}, {100, 0.1}));
  BOOST_TEST(compared("at_least", {98.5, 5}, {100, 5}));
  BOOST_TEST(!compared("at_least", {97.5, 5}, {100, 5}));
}

BOOST_AUTO_TEST_CASE(find_points_by_the_values_that_are_set) {
  BOOST_TEST(said("{speed[quick, size = 2]} {speed[line = slow, size = one + 1]}") == "20 7");
  BOOST_TEST(said("{gain[size = 4]:.3f}") == "4.444");
  BOOST_TEST(said("{speed[none, size = 2]}").empty());
  BOOST_TEST(said("{named[quick, size = 3]}") == "quick line 30");
  BOOST_TEST(said("speeds [{size}: {speed[slow]:.1f} | size]; gains [{gain:.0f} | size where size > 1]") ==
             "speeds 1: 6.0, 2: 7.0, 4: 9.0; gains 3, 4");
  BOOST_TEST(said("[{named} | size = 1, 2; line = lines]") == "quick line 10, slow line 6, quick line 20, slow line 7");
}

BOOST_AUTO_TEST_CASE(reduce_over_combinations_with_all_their_points) {
  BOOST_TEST(said("{min(gain for size):.2f} {max(gain for size):.2f} {mean(speed[slow] for size):.2f}") ==
             "1.67 4.44 7.33");
  BOOST_TEST(said("{at_min(gain, size for size)} {at_max(speed, line for line = lines; size = 1)}") == "1 quick line");
  BOOST_TEST(said("{all(speed > 5 for line; size)} {all(speed > 6 for line; size)}") == "1 0");
  BOOST_TEST(said("{min(speed[none] for size)}").empty());
  // A loop inside goes over all sizes, although one is set outside.
  BOOST_TEST(judged("each size where size = max(size for size)\ncheck speed[quick] = 40").passed == 1);
}

BOOST_AUTO_TEST_CASE(count_checks_only_where_no_point_is_missing) {
  const Judgement gains = judged("each size\ncheck gain > 2\nsay {size}\nfinally say mean {mean(gain):.2f}");
  BOOST_TEST(gains.checks == 3);
  BOOST_TEST(gains.passed == 2);
  BOOST_TEST(gains.measured == "1; 2; 4; mean 2.99");
  const Judgement missing = judged("each size\ncheck speed[none] > 0\nfinally check 1\nfinally say none");
  BOOST_TEST(missing.checks == 0);
  BOOST_TEST(missing.measured.empty());
  const Judgement largest = judged("each size\nsay {size}\nfinally check max(speed[slow]) < 8");
  BOOST_TEST(largest.checks == 1);
  BOOST_TEST(largest.passed == 0);
  const Judgement growing = judged(
      "each size after before where speed[quick] > 10\ncheck speed[quick] > speed[quick, size = before]\nsay "
      "{before}-{size}");
  BOOST_TEST(growing.passed == 3);
  BOOST_TEST(growing.measured == "1-2; 2-3; 3-4");
}

BOOST_AUTO_TEST_CASE(repeat_lines_with_other_texts) {
  const ClaimTable table(kNames + R"(repeat quick | The quick one
repeat slow | The slow one
claim $1-grows | 2 | $2 grows |
 from 1 to 4
check speed[$1, size = 4] > speed[$1, size = 1]
end)");
  BOOST_TEST_REQUIRE(table.claims().size() == 2U);
  BOOST_TEST(table.claims()[0].name == "quick-grows");
  BOOST_TEST(table.claims()[1].statement == "The slow one grows");
  BOOST_TEST(table.claims()[1].rule == "from 1 to 4");
  for (const Judgement& judgement : table.judge(points())) BOOST_TEST(judgement.passed == 1);
}

BOOST_AUTO_TEST_CASE(refuse_what_they_do_not_understand_and_quote_the_line) {
  const auto refuses = [](const std::string& line, const std::string& why) {
    const std::string error = refusal_of(kNames + "claim a | 1 | s | r\ncheck 1\n" + line);
    BOOST_TEST(contains(error, why), line << ": " << error);
    BOOST_TEST(contains(error, line), error);
  };
  refuses("check spede > 1", "there is no name 'spede'");
  refuses("check speed >", "a name is missing");
  refuses("check (speed > 1", "')' is missing");
  refuses("check speed > 1 1", "'1' is not understood");
  refuses("check nearly(speed, 1)", "there is no function 'nearly' of two values");
  refuses("check more(speed)", "there is no function 'more' of one value");
  refuses("check speed[size 2]", "'=' is missing");
  refuses("say {speed", "'}' is missing");
  refuses("say [{speed}", "'|' is missing");
  refuses("say {speed:zz}", "'zz' is no format");
  refuses("each size = 1 2", "'2' is not understood");
  refuses("chekc 1", "'chekc' begins no line");
  refuses("let gain = 1", "'gain' has a meaning already");
  refuses("value stripe red = red", "there is no place 'stripe'");
  refuses("claim b | 1 | s", "a claim has a name");
  BOOST_TEST(contains(refusal_of("check 1"), "there is no claim before"));
  BOOST_TEST(contains(refusal_of("repeat a | b\n"), "'end' is missing"));
  BOOST_TEST(contains(refusal_of(kNames + "claim a | 1 | s | r\nsay {1}"), "a needs either a 'check' or the rule"));
}

BOOST_AUTO_TEST_CASE(refuse_what_does_not_fit_the_points_and_name_the_claim) {
  const auto refuses = [](const std::string& line, const std::string& why) {
    const std::string error = refusal_of(kNames + "claim ours | 1 | s | r\n" + line);
    BOOST_TEST(contains(error, why), line << ": " << error);
    BOOST_TEST(contains(error, "in the claim ours"), error);
  };
  refuses("check speed[quick] > 1", "'speed' has several values here");
  refuses("each line\ncheck line > 1", "'quick line' is not a number");
  refuses("check min(speed) > 1", "'min' needs 'for'");
  BOOST_TEST(contains(refusal_of("places line\nclaim a | 1 | s | r\ncheck 1"), "there is no name 'size'"));
}

BOOST_AUTO_TEST_CASE(are_all_understood) {
  std::set<std::string_view> names;
  for (const EmbeddedClaims& file : embedded_claims()) {
    const ClaimTable table(file.text);
    BOOST_TEST(!table.claims().empty(), file.name);
    names.insert(file.name);
  }
  const std::set<std::string_view> expected{"clusters", "dada", "multigrain", "opencl", "opencl_measured"};
  BOOST_TEST((names == expected));
  BOOST_CHECK_THROW((void)ClaimTable::embedded("none"), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
