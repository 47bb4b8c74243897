#include "platform/machine/cluster_stages.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(cluster_stages)

namespace {

using Stages = std::vector<ClusterStage>;

std::string refusal(const std::string& text) {
  const auto stages = parse_cluster_stages(text);
  BOOST_TEST_REQUIRE(!stages.ok(), text);
  BOOST_TEST((stages.failure().code == ErrorCode::invalid_argument));
  return stages.failure().message;
}

}  // namespace

BOOST_AUTO_TEST_CASE(clusters_are_one_stage_and_others_follow_after_so_many_tasks) {
  BOOST_TEST(parse_cluster_stages("").value().empty());
  BOOST_TEST((parse_cluster_stages("2x10").value() == Stages{{0, "2x10"}}));
  BOOST_TEST((parse_cluster_stages("2x10,150:single,7000:1x16+4x1").value() ==
              Stages{{0, "2x10"}, {150, "single"}, {7000, "1x16+4x1"}}));
}

BOOST_AUTO_TEST_CASE(stages_are_written_as_they_are_read) {
  for (const char* text : {"", "socket", "2x10,150:single", "single,1:2x2,2:1x4"}) {
    BOOST_TEST(to_string(parse_cluster_stages(text).value()) == text);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_stage_is_refused) {
  for (const char* text : {"2x10,single", "2x10,0:single", "2x10,-1:single", "2x10,5:single,5:2x10",
                           "2x10,99999999999999999999:single", "2x10,"}) {
    BOOST_TEST(refusal(text).find("tasks that have ended") != std::string::npos, text);
  }
  BOOST_TEST(refusal("5:single").find("describes no clusters") != std::string::npos);
  BOOST_TEST(refusal("2x10,5:pudding").find("is no level") != std::string::npos);
  BOOST_TEST(refusal("2x10,5:").find("describes no clusters") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
