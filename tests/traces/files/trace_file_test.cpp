#include "traces/files/trace_file.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "tests/support/file_size_limit.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/traces/files/chrome_trace_checks.hpp"
#include "tests/traces/files/paje_trace_checks.hpp"
#include "tests/traces/files/trace_sample.hpp"

namespace troupe::traces {

namespace trace_file {

using tests::contains;
using tests::sample_trace;

struct Fixture {
  tests::TemporaryFolder folder;
  TraceDescription description{"test", {"cpu core 0", "cpu core 1"}, {}};

  void refused(const std::string& path, const std::string& part) {
    const auto checked = check_trace_path(path);
    BOOST_TEST_REQUIRE(!checked.ok());
    BOOST_TEST((checked.failure().code == ErrorCode::bad_input));
    BOOST_TEST(contains(checked.failure().message, part), checked.failure().message);
  }
};

}  // namespace trace_file

BOOST_FIXTURE_TEST_SUITE(trace_file, Fixture)

BOOST_AUTO_TEST_CASE(is_chosen_by_the_ending_of_its_name) {
  BOOST_TEST(write_trace(folder.path("t.json"), sample_trace(), description).ok());
  BOOST_TEST(tests::check_chrome(folder.read("t.json")).tasks.size() == 4U);
  BOOST_TEST(write_trace(folder.path("t.paje"), sample_trace(), description).ok());
  BOOST_TEST(tests::PajeContent(folder.read("t.paje")).counts["PajeSetState"] == 14U);
}

BOOST_AUTO_TEST_CASE(other_endings_are_refused_with_both_that_are_known) {
  for (const char* name : {"t.txt", "t", "json", "t.json.gz", "t.JSON"}) {
    refused(folder.path(name), ".json");
    refused(folder.path(name), ".paje");
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_is_refused_and_nothing_is_left) {
  refused(folder.path("missing/t.json"), "No such file");
  std::filesystem::create_directory(folder.path("folder.json"));
  refused(folder.path("folder.json"), "directory");
  BOOST_TEST(check_trace_path(folder.path("t.paje")).ok());
  BOOST_TEST(folder.names().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_a_failure_that_leaves_no_part) {
  tests::HandMadeTrace large;
  for (int i = 0; i < 5000; ++i) large.task(static_cast<std::uint64_t>(i), 0, i, i + 1);
  {
    const tests::FileSizeLimit limit(100'000);
    for (const char* name : {"t.json", "t.paje"}) {
      const auto written = write_trace(folder.path(name), *large, description);
      BOOST_TEST_REQUIRE(!written.ok());
      BOOST_TEST((written.failure().code == ErrorCode::io));
    }
  }
  BOOST_TEST(folder.names().empty());
}

BOOST_AUTO_TEST_CASE(a_full_device_is_a_failure) {
  std::filesystem::create_symlink("/dev/full", folder.path("full.json"));
  BOOST_TEST(check_trace_path(folder.path("full.json")).ok());
  const auto written = write_trace(folder.path("full.json"), sample_trace(), description);
  BOOST_TEST_REQUIRE(!written.ok());
  BOOST_TEST(contains(written.failure().message, "No space left"));
}

BOOST_AUTO_TEST_CASE(a_description_has_names_and_begins_with_the_first_task) {
  RunReport report;
  report.workers.resize(2);
  report.workers[0].device = "cpu core 3";
  report.workers[1].device = "emulated GPU 0";
  report.workers[1].kind = DeviceKind::emulated;
  const TraceDescription made = describe("a run", sample_trace(), report);
  BOOST_TEST(made.title == "a run");
  BOOST_TEST((made.workers == std::vector<std::string>{"cpu core 3", "emulated GPU 0"}));
  BOOST_TEST((made.nodes == std::vector<std::string>{"host", "emulated GPU 0"}));
  BOOST_TEST((made.begin == sample_trace().events.front().start));
  BOOST_TEST((describe("nothing", {}, report).begin == TimeStamp{}));
}

BOOST_AUTO_TEST_CASE(states_from_before_the_run_are_cut_at_its_beginning) {
  description.begin = tests::HandMadeTrace::at(20);
  tests::HandMadeTrace trace;
  trace.task(1, 0, 30, 40).state(0, WorkerActivity::asleep, 0, 30).state(1, WorkerActivity::searching, 1, 15);
  BOOST_TEST(write_trace(folder.path("t.json"), *trace, description).ok());
  const auto content = tests::check_chrome(folder.read("t.json"));
  BOOST_TEST_REQUIRE(content.states.size() == 1U);
  BOOST_TEST(tests::nanoseconds(content.states[0]["ts"]) == 0);
  BOOST_TEST(content.states[0]["dur"] == 10.0);
}

BOOST_AUTO_TEST_CASE(what_is_left_of_a_state_beside_tasks_keeps_its_task) {
  tests::HandMadeTrace trace;
  trace.task(1, 0, 0, 40).task(2, 1, 20, 30).help(1, 1, 10, 40);
  BOOST_TEST(write_trace(folder.path("t.json"), *trace, description).ok());
  const auto content = tests::check_chrome(folder.read("t.json"));
  BOOST_TEST_REQUIRE(content.states.size() == 2U);
  for (const auto& state : content.states) {
    BOOST_TEST(state["dur"] == 10.0);
    BOOST_TEST(state["args"]["task"] == 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
