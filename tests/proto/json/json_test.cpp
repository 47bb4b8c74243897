#include "proto/json/json.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "troupe/errors.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(json)

BOOST_AUTO_TEST_CASE(a_text_comes_back_with_its_members_in_order_and_its_numbers_to_the_last_bit) {
  const std::string text =
      R"({"a":[1,-2,0.1,1e+300,true,null],"b":{"deep":[[],{}]},"most":18446744073709551615,"z":"\"\u0001ä"})";
  BOOST_TEST(Json::parse(text).dump() == text);
  BOOST_TEST(Json::parse(R"({"b":1,"a":2})").dump() == R"({"a":2,"b":1})");
  BOOST_TEST(Json::parse("[1]").dump(2) == "[\n  1\n]");
}

BOOST_AUTO_TEST_CASE(what_is_no_json_is_refused) {
  for (const char* text : {"", "{", "[1,]", "nul", "{\"a\" 1}", "1 2"}) {
    BOOST_TEST(!Json::try_parse(text).has_value(), text);
    BOOST_CHECK_EXCEPTION((void)Json::parse(text), Error,
                          [](const Error& error) { return error.code() == ErrorCode::bad_input; });
  }
}

BOOST_AUTO_TEST_CASE(pairs_with_a_name_make_an_object_and_other_values_an_array) {
  BOOST_TEST(Json({{"tasks", 3}, {"seconds", 0.5}}).dump() == R"({"seconds":0.5,"tasks":3})");
  BOOST_TEST(Json({1, "two", nullptr}).dump() == R"([1,"two",null])");
  BOOST_TEST(Json({{"name", 1}, {2, 3}}).dump() == R"([["name",1],[2,3]])");
  BOOST_TEST(Json::array({{"name", 1}}).dump() == R"([["name",1]])");
  BOOST_TEST(Json(std::vector<double>{1, 0.5}).dump() == "[1.0,0.5]");
  BOOST_TEST(Json(std::map<std::string, int>{{"a", 1}}).dump() == R"({"a":1})");
}

BOOST_AUTO_TEST_CASE(null_becomes_what_is_put_into_it) {
  Json json;
  json["list"].push_back(1);
  json["list"].push_back("x");
  json["inner"]["flag"] = true;
  BOOST_TEST(json.dump() == R"({"inner":{"flag":true},"list":[1,"x"]})");
  json = json["list"];
  BOOST_TEST(json.dump() == R"([1,"x"])");
  json.erase(0);
  BOOST_TEST(json.dump() == R"(["x"])");
}

BOOST_AUTO_TEST_CASE(numbers_are_equal_by_value_and_no_negative_one_equals_a_large_one) {
  BOOST_TEST((Json(1) == Json(1U)));
  BOOST_TEST((Json(1) == Json(1.0)));
  BOOST_TEST((Json(-1) != Json(std::numeric_limits<std::uint64_t>::max())));
  BOOST_TEST((Json(1) != Json(true)));
  BOOST_TEST((Json("1") != Json(1)));
  BOOST_TEST((Json(2) > 1.5));
  BOOST_TEST((Json(2) < Json(2.5)));
}

BOOST_AUTO_TEST_CASE(values_are_asked_only_for_what_they_are) {
  const Json json{{"text", "x"}, {"number", 2.5}, {"list", Json::array({1, 2})}, {"none", nullptr}};
  BOOST_TEST(json["text"].get<std::string>() == "x");
  BOOST_TEST(json["number"].get<double>() == 2.5);
  BOOST_TEST(json["list"].get<std::vector<int>>() == (std::vector<int>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(json.value("missing", 7) == 7);
  BOOST_TEST(json.value("text", "y") == "x");
  BOOST_TEST(json["none"].empty());
  BOOST_CHECK_THROW((void)json["text"].get<double>(), std::logic_error);
  BOOST_CHECK_THROW((void)json["number"].get<std::string>(), std::logic_error);
  BOOST_CHECK_THROW((void)json["number"].get<bool>(), std::logic_error);
  BOOST_CHECK_THROW((void)json["list"][2], std::logic_error);
  BOOST_CHECK_THROW((void)json["missing"], std::logic_error);
  BOOST_CHECK_THROW((void)json["list"].items(), std::logic_error);
  BOOST_CHECK_THROW((void)json["text"].elements(), std::logic_error);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf8_and_numbers_that_json_lacks_are_written_as_what_can_be_read) {
  BOOST_TEST(Json("a\xff").dump() == "\"a\xef\xbf\xbd\"");
  BOOST_TEST(Json("ä").dump(-1, true) == "\"\\u00e4\"");
  BOOST_TEST(Json(std::numeric_limits<double>::quiet_NaN()).dump() == "null");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
