// The runners, as the driver starts them. What is fast is not looked at: what is right is.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/child_process.hpp"
#include "bench/pattern.hpp"
#include "bench/runner.hpp"
#include "bench/shapes.hpp"

namespace troupe::bench {
namespace {

using Words = std::vector<std::string>;

const Words kRuntimes{"troupe", "starpu", "openmp", "tbb", "taskflow"};

std::string program(const std::string& runtime) {
  return std::string(TROUPE_BENCH_FOLDER) + "/troupe-bench-runner-" + runtime;
}

apps::ChildOutput run(const std::string& runtime, Words words) {
  words.insert(words.begin(), program(runtime));
  return apps::run_child(words, "", std::chrono::seconds(60)).value_or_throw();
}

bool absent(const std::string& runtime) {
  if (std::filesystem::exists(program(runtime))) return false;
  std::cout << "skipped: there is no runner for " << runtime << "\n";
  return true;
}

/// The figures of a case that the runtime has; nothing where it has not.
nlohmann::json measured(const std::string& runtime, const Words& words) {
  const apps::ChildOutput ran = run(runtime, words);
  BOOST_TEST_INFO(runtime << " " << words.at(0) << " " << words.at(1) << ": " << ran.errors);
  BOOST_TEST_REQUIRE((ran.exit_status == kMeasured || ran.exit_status == kUnsupported));
  if (ran.exit_status == kMeasured) return nlohmann::json::parse(ran.output);
  BOOST_TEST(!ran.errors.empty());
  return {};
}

void check_graphs(const std::string& runtime, const std::string& mode) {
  for (const Pattern pattern : kPatterns) {
    for (const int width : {1, 2, 8}) {
      const Words words{"granularity",
                        std::string("pattern=") + to_string(pattern),
                        "width=" + std::to_string(width),
                        "check=1",
                        "steps=40",
                        "dependencies=5",
                        "cores=2",
                        "mode=" + mode};
      const nlohmann::json figures = measured(runtime, words);
      if (figures.is_null()) return;  // no such mode
      BOOST_TEST_CONTEXT(runtime << " " << mode << " " << to_string(pattern) << " width " << width) {
        BOOST_TEST(figures["wrong"].get<int>() == 0);
        BOOST_TEST(figures["tasks"].get<std::int64_t>() == GraphPattern({pattern, width, 5}).tasks(40));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE(runners)

BOOST_AUTO_TEST_CASE(every_task_finds_the_outputs_of_its_inputs) {
  for (const std::string& runtime : kRuntimes) {
    if (absent(runtime)) continue;
    for (const char* mode : {"submitted", "static", "async", "recorded"}) check_graphs(runtime, mode);
  }
}

BOOST_AUTO_TEST_CASE(overhead_runs_as_many_tasks_as_it_is_told) {
  for (const std::string& runtime : kRuntimes) {
    if (absent(runtime)) continue;
    for (const Shape shape : kShapes) {
      for (const char* handles : {"handles=0", "handles=2"}) {
        const nlohmann::json figures =
            measured(runtime, {"overhead", std::string("shape=") + to_string(shape), handles, "tasks=255", "cores=2"});
        if (figures.is_null()) continue;
        BOOST_TEST(figures["tasks"].get<int>() == 255);
        BOOST_TEST(figures["us_per_task"].get<double>() > 0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(words_that_make_no_sense_are_refused) {
  const auto code = [](const Words& words) { return run("troupe", words).exit_status; };
  BOOST_TEST(code({}) == kBadWords);
  BOOST_TEST(code({"fly"}) == kUnsupported);
  BOOST_TEST(code({"overhead", "shape"}) == kBadWords);
  BOOST_TEST(code({"overhead", "shape=round"}) == kBadWords);
  BOOST_TEST(code({"overhead", "colour=red"}) == kBadWords);
  BOOST_TEST(code({"granularity", "pattern=paisley"}) == kBadWords);
  BOOST_TEST(code({"granularity", "mode=fast"}) == kUnsupported);
  BOOST_TEST(code({"steal", "what=thunder"}) == kBadWords);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::bench
