// Tests the command `troupe simulate sparse-lu`.
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "proto/json/json.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(command_simulate_sparse)

namespace {

using tests::contains;
using tests::fails;
using tests::succeeds;
using tests::Words;

Words simulate_sparse(const Words& more) {
  Words words{"simulate", "sparse-lu"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
Json simulated_sparse(Words more) {
  more.emplace_back("--json");
  return Json::parse(succeeds(simulate_sparse(more)));
}

BOOST_AUTO_TEST_CASE(every_grain_does_the_same_work_within_its_bounds) {
  double flops = 0;
  std::set<int> tasks;
  for (const char* grain : {"fine", "coarse", "multi"}) {
    const auto json = simulated_sparse({"--platform", "amd-gtx470", "--n", "20", "--grain", grain, "--policy", "heft",
                                        "--policy", "homeward", "--structure", "third-closed"});
    BOOST_TEST_CONTEXT(grain) {
      BOOST_TEST(json["app"] == "sparse-lu");
      BOOST_TEST(json["structure"] == "third-closed");
      BOOST_TEST(json["precision"] == "float");
      BOOST_TEST(json["grain"] == grain);
      BOOST_TEST(json["block"] == 192);
      BOOST_TEST(json["super"] == (std::string_view(grain) == "fine" ? 1 : 5));
      BOOST_TEST(json.contains("derived_kernels") == (std::string_view(grain) != "fine"));
      BOOST_TEST(json["results"].size() == 2U);
      for (const auto& result : json["results"]) {
        if (flops == 0) flops = result["flops"];
        BOOST_TEST(result["flops"] == flops);
        BOOST_TEST(result["n"] == 20 * 192);
        BOOST_TEST(result["gflops"].get<double>() * result["seconds"].get<double>() * 1e9 == flops,
                   boost::test_tools::tolerance(1e-9));
        BOOST_TEST(result["fraction_of_bound"].get<double>() > 0);
        BOOST_TEST(result["fraction_of_bound"].get<double>() <= 1);
        BOOST_TEST(!result.contains("bound_bytes"));
        BOOST_TEST(result["stored_bytes"] == result["stored_blocks"].get<int>() * 192 * 192 * 4);
      }
      tasks.insert(json["results"][0]["tasks"].get<int>());
    }
  }
  // The grains coarse and multi give the same number of tasks, so there are two different numbers.
  BOOST_TEST(tasks.size() == 2U);
}

BOOST_AUTO_TEST_CASE(one_core_takes_what_its_kernels_take_together) {
  for (const char* grain : {"fine", "coarse"}) {
    const auto json = simulated_sparse({"--platform", "amd-gtx470", "--n", "10", "--grain", grain, "--gpus", "0",
                                        "--cores", "1", "--steps", "3", "--structure", "third-closed"});
    const auto& result = json["results"][0];
    // The rate is 0.8 of 13.6 GFlop/s, and it does not depend on the grain.
    BOOST_TEST(result["gflops"].get<double>() == 10.88, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(result["fraction_of_bound"].get<double>() == 1.0, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(result["bytes"] == 0);
  }
  // With all steps the run includes panels, which are slower, so the rate is lower.
  const auto all = simulated_sparse(
      {"--platform", "amd-gtx470", "--n", "10", "--gpus", "0", "--cores", "1", "--structure", "third-closed"});
  BOOST_TEST(all["results"][0]["gflops"].get<double>() < 10.8);
}

BOOST_AUTO_TEST_CASE(a_gpu_runs_a_super_block_in_one_call_that_is_faster_than_its_products) {
  const auto gflops = [](const char* grain) {
    const auto json = simulated_sparse({"--platform", "amd-gtx470", "--n", "20", "--grain", grain, "--steps", "3",
                                        "--policy", "heft", "--restrict", "gemm,gemm_super:gpus"});
    return json["results"][0]["gflops"].get<double>();
  };
  BOOST_TEST(gflops("fine") < 0.101 * 1089);
  BOOST_TEST(gflops("coarse") > 0.2 * 1089);
  BOOST_TEST(gflops("coarse") < 0.351 * 1089);
}

BOOST_AUTO_TEST_CASE(says_what_was_derived_and_which_bounds_are_missing) {
  const Words words{"--platform", "idgraf", "--n", "12", "--block", "100", "--super", "3", "--precision", "double"};
  Words multi = words;
  multi.insert(multi.end(), {"--grain", "multi", "--steps", "3", "--eviction", "reuse", "--reuse", "uses"});
  const std::string text = succeeds(simulate_sparse(multi));
  for (const char* part : {"sparse-lu (third, products alone) on idgraf, double precision, blocks of 100, super-blocks "
                           "of 3 x 3, grain multi",
                           "gemm_super (the blocks' gemm)", "no bound on bytes", "several cores share a task"}) {
    BOOST_TEST(contains(text, part), part << " is missing in: " << text);
  }
  BOOST_TEST(!contains(succeeds(simulate_sparse(words)), "several cores share a task"));
}

BOOST_AUTO_TEST_CASE(a_file_brings_its_size) {
  const tests::TemporaryFolder folder;
  std::string text = "%%MatrixMarket matrix coordinate real general\n60 60 119\n";
  for (int i = 1; i <= 60; ++i) {
    text += std::to_string(i) + " " + std::to_string(i) + " 4\n";
    if (i > 1) text += std::to_string(i) + " " + std::to_string(i - 1) + " 1\n";
  }
  const std::string file = folder.write("a.mtx", text);
  const auto json = simulated_sparse({"--platform", "idgraf", "--structure", file, "--block", "8", "--super", "2",
                                      "--ordering", "natural", "--precision", "double"});
  BOOST_TEST(json["ordering"] == "natural");
  BOOST_TEST(json["results"][0]["n"] == 60);
  BOOST_TEST(json["results"][0]["blocks"] == 8);
  fails(2, simulate_sparse({"--platform", "idgraf", "--structure", file, "--n", "3"}), {"--n", "a file has its size"});
}

BOOST_AUTO_TEST_CASE(super_blocks_that_no_gpu_can_hold_run_on_cores_and_that_is_said) {
  const auto ran = tests::run_program(simulate_sparse(
      {"--platform", "amd-gtx470", "--n", "20", "--gpu-memory", "8MiB", "--steps", "3", "--json", "--policy", "heft"}));
  BOOST_TEST(ran.exit_status == 0);
  BOOST_TEST(contains(ran.errors, "do not fit into the memory for data of GPU 0"));
  const auto result = Json::parse(ran.output)["results"][0];
  for (const auto& worker : result["workers"]) {
    if (contains(worker["device"].get<std::string>(), "GPU")) BOOST_TEST(worker["tasks"] == 0.0);
  }
  BOOST_TEST(result["bytes"] == 0.0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_by_name) {
  const auto refused = [](const Words& more, const Words& parts) {
    Words words{"--platform", "amd-gtx470"};
    words.insert(words.end(), more.begin(), more.end());
    fails(2, simulate_sparse(words), parts);
  };
  refused({}, {"--n", "missing"});
  refused({"--n", "0"}, {"--n"});
  refused({"--n", "20", "--block", "0"}, {"--block"});
  refused({"--n", "20", "--super", "9"}, {"--super", "8 x 8"});
  refused({"--n", "20", "--grain", "fine", "--super", "2"}, {"--super", "--grain coarse"});
  refused({"--n", "20", "--structure", "half"}, {"half", "third-closed"});
  refused({"--n", "20", "--tile", "192"}, {"--tile", "cholesky"});
  refused({"--n", "20", "--clusters", "2x2"}, {"--clusters", "single cores"});
  refused({"--n", "20", "--precision", "double"}, {"--precision float"});
  refused({"--n", "5000", "--grain", "fine"}, {"tasks", "--grain coarse"});
  refused({"--n", "20000"}, {"16384", "20000"});
  fails(2, {"simulate", "cholesky", "--platform", "idgraf-double", "--n", "100", "--grain", "fine"},
        {"--grain", "sparse-lu"});
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
