// Tests the files that a runtime writes when it stops, if environment variables ask for them.
#include "traces/files/run_writer.hpp"
#include "proto/json/json.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "client/environment/run_output.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/troupe.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(run_writer)

namespace {

using tests::EnvironmentVariable;

RuntimeOptions one_worker() {
  RuntimeOptions options;
  options.cores = 1;
  options.threads.oversubscribe = true;
  options.threads.bind = false;
  return options;
}

void count_to(Runtime& runtime, int tasks) {
  static const Codelet count = Codelet("count", {AccessMode::read_write}).cpu([](double& x) { ++x; });
  double x = 0;
  const Data data = runtime.scalar(x);
  for (int i = 0; i < tasks; ++i) runtime.submit(count, {data});
  runtime.wait();
  BOOST_TEST(x == tasks);
}

std::size_t slices_named(const std::string& text, const std::string& name) {
  std::size_t count = 0;
  const Json trace = Json::parse(text);
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["name"] == name) ++count;
  }
  return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(files_are_numbered_from_the_second_on) {
  BOOST_TEST(client::numbered_file("/a/t.json", 1) == "/a/t.json");
  BOOST_TEST(client::numbered_file("/a/t.json", 2) == "/a/t-2.json");
  BOOST_TEST(client::numbered_file("t.paje", 13) == "t-13.paje");
}

BOOST_AUTO_TEST_CASE(each_runtime_leaves_its_trace_unless_it_ran_nothing) {
  const tests::TemporaryFolder folder;
  const EnvironmentVariable trace("TROUPE_TRACE", folder.path("t-%p.json"));
  const std::string path = folder.path("t-" + std::to_string(::getpid()) + ".json");
  {
    Runtime runtime(one_worker());
    count_to(runtime, 5);
  }
  const std::string first = folder.read(std::filesystem::path(path).filename());
  BOOST_TEST(slices_named(first, "count") == 5U, first);
  { Runtime idle(one_worker()); }
  {
    RuntimeOptions simulated = one_worker();
    simulated.threads.deterministic = true;
    Runtime runtime(simulated);
    count_to(runtime, 3);
  }
  const std::string second = std::filesystem::path(client::numbered_file(path, 2)).filename();
  BOOST_TEST(slices_named(folder.read(second), "count") == 3U);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder.path())) ++files;
  BOOST_TEST(files == 2U);
}

BOOST_AUTO_TEST_CASE(what_the_program_takes_is_not_written) {
  const tests::TemporaryFolder folder;
  const EnvironmentVariable trace("TROUPE_TRACE", folder.path("t.json"));
  {
    Runtime runtime(one_worker());
    count_to(runtime, 5);
    BOOST_TEST(runtime.take_trace().events.size() == 5U);
  }
  BOOST_TEST(std::filesystem::is_empty(folder.path()));
}

BOOST_AUTO_TEST_CASE(report_and_metrics_go_to_standard_error) {
  const EnvironmentVariable report("TROUPE_REPORT", "1");
  const EnvironmentVariable metrics("TROUPE_METRICS", "1");
  const tests::CapturedErrors errors;
  {
    Runtime runtime(one_worker());
    count_to(runtime, 5);
  }
  const std::string text = errors.text();
  for (const char* part :
       {"what the runtime of", "5 of 5 tasks have ended", "critical path", "Mailboxes", "worker 0"}) {
    BOOST_TEST(text.find(part) != std::string::npos, part << " is missing in\n" << text);
  }
}

BOOST_AUTO_TEST_CASE(a_trace_that_cannot_be_written_is_an_error_before_anything_runs) {
  const EnvironmentVariable trace("TROUPE_TRACE", "/nonexistent/t.json");
  BOOST_CHECK_EXCEPTION(Runtime{one_worker()}, Error, [](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    return error.code() == ErrorCode::invalid_argument &&
           std::string(error.what()).find("TROUPE_TRACE: ") != std::string::npos &&
           std::string(error.what()).find("/nonexistent") != std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
