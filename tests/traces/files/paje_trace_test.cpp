#include "traces/files/paje_trace.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.hpp"
#include "tests/traces/files/paje_trace_checks.hpp"
#include "tests/traces/files/trace_sample.hpp"

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(paje_trace)

namespace {

using tests::PajeContent;

PajeContent paje(const Trace& trace, const std::vector<std::string>& workers = {"cpu core 0", "cpu core 1"}) {
  const tests::TemporaryFolder folder;
  BufferedFile out(platform::AtomicFile::create(folder.path("t.paje")).value_or_throw());
  print_paje(trace, {"a \"title\"", workers, {}}, out);
  out.commit().value_or_throw();
  return PajeContent(folder.read("t.paje"));
}

BOOST_AUTO_TEST_CASE(follows_its_own_header_in_chronological_order) {
  PajeContent content = paje(tests::sample_trace());
  BOOST_TEST(content.counts["PajeCreateContainer"] == 3U);
  BOOST_TEST(content.counts["PajeStartLink"] == 4U);
  BOOST_TEST(content.counts["PajeEndLink"] == 4U);
}

BOOST_AUTO_TEST_CASE(workers_go_from_state_to_state) {
  PajeContent content = paje(tests::sample_trace());
  using States = std::vector<std::pair<double, std::string>>;
  const States first{{0, "runtime"},       {10e-6, "get 'rf' "}, {30e-6, "gemm"}, {50e-6, "runtime"},
                     {51e-6, "searching"}, {60e-6, "runtime"},   {61e-6, "gemm"}, {61e-6, "runtime"}};
  BOOST_TEST((content.states["W0"] == first));
  const States second{{0, "runtime"},  {0, "asleep"},     {40e-6, "stealing"},
                      {42e-6, "gemm"}, {60e-6, "asleep"}, {80e-6, "runtime"}};
  BOOST_TEST((content.states["W1"] == second));
}

BOOST_AUTO_TEST_CASE(a_task_on_a_cluster_tells_of_its_cores) {
  PajeContent content = paje(tests::cluster_trace());
  BOOST_TEST((content.cores["1"] == std::pair<std::string, std::string>("4", "2.5")));
  BOOST_TEST((content.cores["2"] == std::pair<std::string, std::string>("4", "")));
  BOOST_TEST((content.cores["3"] == std::pair<std::string, std::string>("1", "")));
}

BOOST_AUTO_TEST_CASE(a_task_tells_the_nested_task_that_it_belongs_to) {
  Trace trace = tests::nested_trace();
  trace.states.clear();
  PajeContent content = paje(trace);
  BOOST_TEST(content.parents["1"].empty());
  BOOST_TEST(content.parents["3"] == "1");
  BOOST_TEST(content.parents["5"] == "4");
  // There are links to four children, and one dependency.
  BOOST_TEST(content.counts["PajeStartLink"] == 5U);
}

BOOST_AUTO_TEST_CASE(who_helps_tells_with_which_task) {
  PajeContent content = paje(tests::helped_trace(), {"cpu core 0", "cpu core 1", "cpu core 2"});
  using Helped = std::vector<std::pair<std::string, std::string>>;
  BOOST_TEST((content.helped["W1"] == Helped{{"21", "block (0, '1')"}, {"22", ""}}));
  BOOST_TEST((content.helped["W2"] == Helped{{"21", "block (0, '1')"}}));
  BOOST_TEST(!content.helped.contains("W0"));
  using States = std::vector<std::pair<double, std::string>>;
  const States second{{0, "runtime"}, {10e-6, "helping"}, {30e-6, "asleep"}, {32e-6, "helping"}, {35e-6, "runtime"}};
  BOOST_TEST((content.states["W1"] == second));
}

BOOST_AUTO_TEST_CASE(of_no_task_is_a_trace_all_the_same) {
  PajeContent content = paje({});
  BOOST_TEST(content.counts["PajeCreateContainer"] == 3U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
