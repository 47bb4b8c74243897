#include "actors/running/kept_links.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace troupe::actors {

namespace kept_links {

using tests::contains;

struct Fixture {
  KeptLinks open() {
    return {folder.path(), machine, [this](const std::string& what) { warnings.push_back(what); }};
  }

  tests::TemporaryFolder folder;
  platform::Machine machine;
  std::vector<std::string> warnings;
};

}  // namespace kept_links

BOOST_FIXTURE_TEST_SUITE(kept_links, Fixture)

BOOST_AUTO_TEST_CASE(what_was_measured_once_is_known_the_next_time) {
  KeptLinks first = open();
  BOOST_TEST(!first.find("host", "GPU 0").has_value());
  first.set("host", "GPU 0", {std::chrono::microseconds(12), 25e9});
  first.save();
  const KeptLinks second = open();
  BOOST_REQUIRE(second.find("host", "GPU 0").has_value());
  BOOST_TEST(second.find("host", "GPU 0")->latency.count() == 12'000);
  BOOST_TEST(second.find("host", "GPU 0")->bytes_per_s == 25e9);
  BOOST_TEST(!second.find("GPU 0", "host").has_value());
  BOOST_TEST(warnings.empty());
}

BOOST_AUTO_TEST_CASE(nothing_is_written_where_nothing_was_measured_or_nothing_is_kept) {
  open().save();
  BOOST_TEST(folder.names().empty());
  KeptLinks none("", machine, nullptr);
  none.set("host", "GPU 0", {{}, 1e9});
  none.save();
  BOOST_TEST(none.find("host", "GPU 0").has_value());
}

BOOST_AUTO_TEST_CASE(a_damaged_file_costs_a_warning_and_is_replaced) {
  KeptLinks first = open();
  first.set("host", "GPU 0", {{}, 1e9});
  first.save();
  BOOST_REQUIRE(folder.names().size() == 1U);
  const std::string name = folder.names()[0];
  std::string text = folder.read(name);
  text.replace(text.find("GPU 0"), 5, "GPU 1");
  for (const std::string& damaged : {std::string("{"), std::string(), text}) {
    (void)folder.write(name, damaged);
    warnings.clear();
    KeptLinks again = open();
    BOOST_TEST(again.links().empty());
    BOOST_TEST_REQUIRE(warnings.size() == 1U);
    BOOST_TEST(contains(warnings[0], name));
    BOOST_TEST(contains(warnings[0], "measured anew"));
    again.set("host", "GPU 0", {{}, 2e9});
    again.save();
    BOOST_TEST(open().find("host", "GPU 0")->bytes_per_s == 2e9);
  }
}

BOOST_AUTO_TEST_CASE(a_speed_that_cannot_be_is_refused) {
  write_links(folder.path("links.json"), "m", {{{"host", "GPU 0"}, {{}, 0.0}}}).value_or_throw();
  const auto read = read_links(folder.path("links.json"), "m");
  BOOST_TEST_REQUIRE(!read.ok());
  BOOST_TEST(contains(read.failure().message, "bytes_per_s is 0"), read.failure().message);
  BOOST_TEST(!read_links(folder.path("links.json"), "another").ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
