#include "apps/models/link_calibration.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "actors/scheduler/models/history_file.hpp"
#include "apps/models/kept_links.hpp"
#include "platform/machine/topology.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

namespace link_calibration {

using tests::contains;

struct Fixture {
  Fixture() {
    options.placement.models = folder.path();
    options.observation.on_warning = [this](const std::string& what) { warnings.push_back(what); };
  }
  void keep(const std::string& from, const std::string& to, platform::CopySpeed speed, bool real = true) {
    warnings.clear();
    keep_links({{from, to, speed, {}, real}}, options);
  }
  [[nodiscard]] LinkSpeeds kept() const {
    return read_links(links_path(folder.path(), machine_key), machine_key).value_or_throw();
  }

  tests::TemporaryFolder folder;
  std::string machine_key = scheduler::machine_key(platform::Topology::discover({}).value_or_throw().machine);
  std::vector<std::string> warnings;
  RuntimeOptions options;
};

}  // namespace link_calibration

BOOST_FIXTURE_TEST_SUITE(link_calibration, Fixture)

BOOST_AUTO_TEST_CASE(what_was_measured_once_is_known_the_next_time) {
  BOOST_TEST(kept().empty());
  keep("host", "GPU 0", {std::chrono::microseconds(12), 25e9});
  keep("GPU 0", "host", {{}, 1e9});
  const LinkSpeeds links = kept();
  BOOST_TEST_REQUIRE(links.size() == 2U);
  BOOST_TEST(links.at({"host", "GPU 0"}).latency.count() == 12'000);
  BOOST_TEST(links.at({"host", "GPU 0"}).bytes_per_s == 25e9);
  BOOST_TEST(warnings.empty());
}

BOOST_AUTO_TEST_CASE(nothing_is_written_where_nothing_was_measured_or_nothing_is_kept) {
  keep("host", "GPU 0", {{}, 1e9}, false);
  keep_links({}, options);
  options.placement.models.clear();
  keep("host", "GPU 0", {{}, 1e9});
  BOOST_TEST(folder.names().empty());
}

BOOST_AUTO_TEST_CASE(a_damaged_file_costs_a_warning_and_is_replaced) {
  keep("host", "GPU 0", {{}, 1e9});
  BOOST_REQUIRE(folder.names().size() == 1U);
  const std::string name = folder.names()[0];
  std::string text = folder.read(name);
  text.replace(text.find("GPU 0"), 5, "GPU 1");
  for (const std::string& damaged : {std::string("{"), std::string(), text}) {
    (void)folder.write(name, damaged);
    keep("host", "GPU 0", {{}, 2e9});
    BOOST_TEST_REQUIRE(warnings.size() == 1U);
    BOOST_TEST(contains(warnings[0], name));
    BOOST_TEST(contains(warnings[0], "measured anew"));
    BOOST_TEST(kept().at({"host", "GPU 0"}).bytes_per_s == 2e9);
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_file_costs_no_warning_where_nothing_was_measured) {
  (void)folder.write("links-" + machine_key + ".json", "{");
  keep("host", "emulated GPU 0", {{}, 1e9}, false);
  BOOST_TEST(warnings.empty());
}

BOOST_AUTO_TEST_CASE(a_speed_that_cannot_be_is_refused) {
  write_links(folder.path("links.json"), "m", {{{"host", "GPU 0"}, {{}, 0.0}}}).value_or_throw();
  const auto read = read_links(folder.path("links.json"), "m");
  BOOST_TEST_REQUIRE(!read.ok());
  BOOST_TEST(contains(read.failure().message, "bytes_per_s is 0"), read.failure().message);
  BOOST_TEST(!read_links(folder.path("links.json"), "another").ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
