#include "traces/text/analysis_report.hpp"
#include "proto/json/json.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.hpp"
#include "tests/traces/files/trace_sample.hpp"
#include "traces/text/analysis_json.hpp"

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(analysis_report)

namespace {

using tests::contains;

BOOST_AUTO_TEST_CASE(explains_in_words) {
  const std::string text = analysis_text(analyse(tests::sample_trace(), 2), {"cpu core 0", "cpu core 1"});
  BOOST_TEST_CONTEXT(text) {
    for (const char* part : {"Where the time went: 51.0 us on 2 workers, 4 tasks, 4 dependencies", "cpu core 1", "gemm",
                             "2 gemm", "(1 failed)", "critical path   40.0 us, 78.4 %", "work / workers  29.0 us",
                             "in kernels", "the runtime's own work", "dependencies", "imbalance at the end"}) {
      BOOST_TEST(contains(text, part), "no '" << part << "'");
    }
    BOOST_TEST(!contains(text, "incomplete"));
    BOOST_TEST(text.ends_with('\n'));
  }
}

BOOST_AUTO_TEST_CASE(each_part_of_the_workers_time_is_told_without_the_others) {
  RunAnalysis analysis;
  analysis.tasks = 1;
  analysis.makespan = std::chrono::seconds(1);
  analysis.workers.resize(2);
  analysis.workers[1].waiting = analysis.workers[1].at_the_end = std::chrono::seconds(1);
  const std::string text = analysis_text(analysis, {"a", "b"});
  BOOST_TEST(contains(text, "no task for a worker after its last one, while others computed: imbalance"), text);
  BOOST_TEST(!contains(text, "the same"), text);
}

BOOST_AUTO_TEST_CASE(says_where_there_is_nothing_to_say) {
  BOOST_TEST(contains(analysis_text(analyse({}, 2), {}), "no task ran"));
}

BOOST_AUTO_TEST_CASE(says_that_entries_are_missing) {
  Trace trace = tests::sample_trace();
  trace.dropped = 12;
  trace.complete_until = tests::HandMadeTrace::at(50);
  BOOST_TEST(contains(analysis_text(analyse(trace, 2), {"a", "b"}), "no room for 12 entries"));
}

BOOST_AUTO_TEST_CASE(has_the_same_numbers_for_programs) {
  const Json json = analysis_json(analyse(tests::sample_trace(), 2));
  BOOST_TEST(json["tasks"] == 4);
  BOOST_TEST(json["seconds"].get<double>() == 51e-6, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(json["critical_path"]["tasks"] == 3);
  BOOST_TEST(json["codelets"].size() == 2U);
  double sum = 0;
  for (const char* key : {"kernel_seconds", "overhead_seconds", "dependency_seconds", "end_seconds", "idle_seconds"}) {
    sum += json["worker_sums"][key].get<double>();
  }
  BOOST_TEST(sum == 2 * 51e-6, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(tells_what_nested_tasks_consist_of) {
  const RunAnalysis analysis = analyse(tests::nested_trace(), 2);
  const std::string text = analysis_text(analysis, {"a", "b"});
  BOOST_TEST_CONTEXT(text) {
    BOOST_TEST(contains(text, "4 tasks in 1 nested task, at most 2 levels deep. All of these:"));
    BOOST_TEST(contains(text, "1 'all'"));
    BOOST_TEST(contains(text, "86.0 us             1.14"));
    BOOST_TEST(contains(text, "fewest kernels at once"));
    BOOST_TEST(contains(text, "81.0 us, 85.3 % of the time: 5 tasks"));
  }
  const Json json = analysis_json(analysis);
  BOOST_TEST(json["nested"]["inside"] == 4);
  BOOST_TEST(json["nested"]["longest"][0]["name"] == "all");
  BOOST_TEST(json["nested"]["narrowest"][1]["task"] == 4);
  BOOST_TEST(!json["nested"]["narrowest"][1].contains("name"));
  BOOST_TEST(json["critical_path"]["tasks"] == 5);
  const RunAnalysis plain = analyse(tests::sample_trace(), 2);
  BOOST_TEST(!contains(analysis_text(plain, {"a", "b"}), "nested"));
  BOOST_TEST(!analysis_json(plain).contains("nested"));
}

BOOST_AUTO_TEST_CASE(tells_what_share_of_a_clusters_time_was_used) {
  const RunAnalysis analysis = analyse(tests::cluster_trace(), 2);
  const TeamUse& use = analysis.workers[0].team;
  BOOST_TEST(use.offered.count() == 40'000);
  BOOST_TEST(use.used.count() == 25'000);
  BOOST_TEST(use.unseen.count() == 80'000);
  BOOST_TEST((analysis.workers[1].team == TeamUse{}));
  const std::string text = analysis_text(analysis, {"cluster of 4 cores 0-3", "cpu core 4"});
  BOOST_TEST(contains(text, "team used"), text);
  BOOST_TEST(contains(text, "62.5 % + unknown"), text);
  const Json json = analysis_json(analysis);
  BOOST_TEST(json["workers"][0]["team"]["used_fraction"] == 0.625);
  BOOST_TEST(json["workers"][0]["team"]["unseen_seconds"].get<double>() == 80e-6, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(!json["workers"][1].contains("team"));
  BOOST_TEST(!contains(analysis_text(analyse(tests::sample_trace(), 2), {"a", "b"}), "team used"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
