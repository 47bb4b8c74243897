// Tests the runners like the driver, as separate programs. The tests check that results are right, not that they are
// fast.
#include <array>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <filesystem>
#include <set>

#include "lab/bench/pattern.hpp"
#include "lab/bench/recursion/recursion_case.hpp"
#include "lab/bench/runner.hpp"
#include "lab/bench/shapes.hpp"
#include "platform/files/child_process.hpp"
#include "proto/json/json.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::bench {

BOOST_AUTO_TEST_SUITE(runners)

namespace {

using Words = std::vector<std::string>;

const Words kRuntimes{"troupe", "starpu", "openmp", "tbb", "taskflow"};

std::string program(const std::string& runtime) {
  return std::string(TROUPE_BENCH_FOLDER) + "/troupe-bench-runner-" + runtime;
}

platform::ChildOutput run(const std::string& runtime, Words words) {
  words.insert(words.begin(), program(runtime));
  return platform::run_child(words, "", std::chrono::seconds(60)).value_or_throw();
}

bool absent(const std::string& runtime) {
  if (std::filesystem::exists(program(runtime))) return false;
  tests::skip(std::string("there is no runner for ") + runtime);
  return true;
}

/// Returns the results of a case; null if the runtime does not support the case.
Json measured(const std::string& runtime, const Words& words) {
  const platform::ChildOutput ran = run(runtime, words);
  BOOST_TEST_INFO(runtime << " " << words.at(0) << " " << words.at(1) << ": " << ran.errors);
  BOOST_TEST_REQUIRE((ran.exit_status == kMeasured || ran.exit_status == kUnsupported));
  if (ran.exit_status == kMeasured) return Json::parse(ran.output);
  BOOST_TEST(!ran.errors.empty());
  return {};
}

void check_graphs(const std::string& runtime, const std::string& mode, std::span<const Pattern> patterns = kPatterns) {
  for (const Pattern pattern : patterns) {
    for (const int width : {1, 2, 8}) {
      const Words words{"granularity",
                        std::string("pattern=") + to_string(pattern),
                        "width=" + std::to_string(width),
                        "check=1",
                        "steps=40",
                        "dependencies=5",
                        "cores=2",
                        "mode=" + mode};
      const Json figures = measured(runtime, words);
      if (figures.is_null()) return;  // This runtime does not support the mode.
      BOOST_TEST_CONTEXT(runtime << " " << mode << " " << to_string(pattern) << " width " << width) {
        BOOST_TEST(figures["wrong"].get<int>() == 0);
        BOOST_TEST(figures["tasks"].get<std::int64_t>() == GraphPattern({pattern, width, 5}).tasks(40));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(every_task_finds_the_outputs_of_its_inputs) {
  for (const std::string& runtime : kRuntimes) {
    if (absent(runtime)) continue;
    for (const char* mode : {"submitted", "static", "async", "recorded"}) check_graphs(runtime, mode);
  }
}

BOOST_AUTO_TEST_CASE(every_task_finds_its_inputs_in_a_halo_part) {
  constexpr std::array kStencils{Pattern::stencil_1d, Pattern::stencil_2d};
  check_graphs("troupe", "halos", kStencils);
}

BOOST_AUTO_TEST_CASE(overhead_runs_as_many_tasks_as_it_is_told) {
  for (const std::string& runtime : kRuntimes) {
    if (absent(runtime)) continue;
    for (const Shape shape : kShapes) {
      for (const char* handles : {"handles=0", "handles=2"}) {
        const Json figures =
            measured(runtime, {"overhead", std::string("shape=") + to_string(shape), handles, "tasks=255", "cores=2"});
        if (figures.is_null()) continue;
        BOOST_TEST(figures["tasks"].get<int>() == 255);
        BOOST_TEST(figures["us_per_task"].get<double>() > 0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(factorizations_are_right_and_their_figures_fit_together) {
  for (const char* runtime : {"troupe", "starpu", "lapack"}) {
    if (absent(runtime)) continue;
    for (const char* algorithm : {"cholesky", "lu", "qr"}) {
      for (const char* n : {"1", "200", "333"}) {
        const Json figures =
            measured(runtime, {"linalg", std::string("algorithm=") + algorithm, std::string("n=") + n, "cores=2"});
        BOOST_TEST_CONTEXT(runtime << " " << algorithm << " " << n) {
          BOOST_TEST_REQUIRE(figures.is_object());
          BOOST_TEST(figures["residual"].get<double>() < 30);
          BOOST_TEST(figures["fastest_seconds"].get<double>() <= figures["seconds"].get<double>());
          const double rate = figures["flops"].get<double>() / figures["seconds"].get<double>() * 1e-9;
          BOOST_TEST(figures["gflops"].get<double>() == rate, boost::test_tools::tolerance(1e-9));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(sparse_systems_are_solved) {
  for (const char* runtime : {"troupe", "umfpack"}) {
    if (absent(runtime)) continue;
    for (const char* points : {"1", "7"}) {
      const Json figures = measured(runtime, {"sparse", std::string("points=") + points, "wind=30", "cores=2"});
      BOOST_TEST_CONTEXT(runtime << " " << points) {
        BOOST_TEST_REQUIRE(figures.is_object());
        BOOST_TEST(figures["residual"].get<double>() < 30);
        BOOST_TEST(figures["seconds"].get<double>() > 0);
        BOOST_TEST(figures["stored_bytes"].get<double>() > 0);
      }
    }
  }
  if (!absent("troupe")) BOOST_TEST(run("troupe", {"sparse", "ordering=best"}).exit_status == kBadWords);
}

/// The result must be equal to the last bit for every runtime and every grain of tasks.
BOOST_AUTO_TEST_CASE(sparse_factors_are_the_same_by_all_runtimes) {
  const auto checksum_of = [](const std::string& runtime, const Words& words) {
    Words all{"sparse-lu", "n=7", "block=24", "super=3", "cores=2"};
    all.insert(all.end(), words.begin(), words.end());
    const Json figures = measured(runtime, all);
    BOOST_TEST_REQUIRE(figures.is_object());
    BOOST_TEST(figures["kernel_share"].get<double>() > 0);
    BOOST_TEST(figures["kernel_share"].get<double>() < 1.01);
    const double rate = figures["flops"].get<double>() / figures["seconds"].get<double>() * 1e-9;
    BOOST_TEST(figures["gflops"].get<double>() == rate, boost::test_tools::tolerance(1e-9));
    return figures["checksum"].get<std::string>();
  };
  if (absent("troupe")) return;
  std::set<std::string> different;
  for (const char* structure : {"third", "third-closed", "bots", "band:2"}) {
    const std::string word = std::string("structure=") + structure;
    const std::string fine = checksum_of("troupe", {word});
    different.insert(fine);
    BOOST_TEST_CONTEXT(structure) {
      for (const char* grain : {"grain=coarse", "grain=multi"})
        BOOST_TEST(checksum_of("troupe", {word, grain}) == fine);
      for (const char* peer : {"starpu", "openmp"}) {
        if (!absent(peer)) BOOST_TEST(checksum_of(peer, {word}) == fine);
      }
    }
  }
  different.insert(checksum_of("troupe", {"seed=2"}));
  BOOST_TEST(different.size() == 5U);
}

/// The runners check the results. Here they must also be equal to the last bit for every runtime and number of cores,
/// with inputs that no cut-off divides.
BOOST_AUTO_TEST_CASE(recursive_programs_have_the_same_results_in_all_runtimes) {
  for (const Recursion program : kRecursions) {
    std::set<std::string> checksums;
    for (const char* runtime : {"troupe", "openmp", "tbb", "taskflow"}) {
      if (absent(runtime)) continue;
      for (const char* cores : {"cores=1", "cores=2"}) {
        Words words{"recursion", std::string("program=") + to_string(program), cores};
        switch (program) {
          case Recursion::fibonacci: words.insert(words.end(), {"n=17", "cutoff=3"}); break;
          case Recursion::quicksort: words.insert(words.end(), {"n=5001", "cutoff=7"}); break;
          case Recursion::queens: words.insert(words.end(), {"n=7", "cutoff=9"}); break;
          case Recursion::strassen: words.insert(words.end(), {"n=76", "cutoff=10"}); break;
          case Recursion::cholesky: words.insert(words.end(), {"n=101", "cutoff=9"}); break;
          case Recursion::barnes_hut: words.insert(words.end(), {"n=777", "cutoff=9"}); break;
          case Recursion::fft: words.insert(words.end(), {"n=4096", "cutoff=9"}); break;
          case Recursion::alignment: words.insert(words.end(), {"n=7", "cutoff=2"}); break;
          case Recursion::health: words.insert(words.end(), {"n=4", "cutoff=1"}); break;
          case Recursion::floorplan: words.insert(words.end(), {"n=6", "cutoff=9"}); break;
          case Recursion::tree: words.insert(words.end(), {"n=201", "cutoff=100"}); break;
          case Recursion::knapsack: words.insert(words.end(), {"n=24", "cutoff=9"}); break;
        }
        const Json figures = measured(runtime, words);
        BOOST_TEST_REQUIRE(figures.is_object());
        BOOST_TEST(figures["ms"].get<double>() > 0);
        checksums.insert(figures["checksum"].get<std::string>());
      }
    }
    BOOST_TEST_CONTEXT(to_string(program)) { BOOST_TEST(checksums.size() == 1U); }
  }
}

BOOST_AUTO_TEST_CASE(factorizations_take_tiles_that_do_not_divide_the_matrix) {
  for (const char* runtime : {"troupe", "starpu"}) {
    if (absent(runtime)) continue;
    for (const char* algorithm : {"cholesky", "lu", "qr"}) {
      const Json figures = measured(runtime, {"linalg", std::string("algorithm=") + algorithm, "n=271", "tile=50",
                                              "tile_rows=100", "inner=32", "cores=2"});
      BOOST_TEST_REQUIRE(figures.is_object());
      BOOST_TEST(figures["tile"].get<int>() == 50);
    }
  }
}

BOOST_AUTO_TEST_CASE(all_schedulers_of_starpu_factorize) {
  if (absent("starpu")) return;
  for (const char* scheduler : {"lws", "ws", "prio", "eager"}) {
    const Words words{"linalg", "n=200", "cores=2", std::string("scheduler=") + scheduler};
    BOOST_TEST(measured("starpu", words).is_object());
  }
  BOOST_TEST(run("starpu", {"linalg", "scheduler=roulette"}).exit_status == kBadWords);
}

BOOST_AUTO_TEST_CASE(the_peak_of_matrix_products_is_measured_on_the_cores_named) {
  if (absent("peak")) return;
  const Json figures = measured("peak", {"dgemm", "n=128", "cores=2"});
  BOOST_TEST(figures["gflops"].get<double>() > 0);
  BOOST_TEST(figures["cores"].get<int>() == 2);
  BOOST_TEST(run("peak", {"dgemm", "n=1000000"}).exit_status == kBadWords);
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
  BOOST_TEST(code({"linalg", "algorithm=svd"}) == kBadWords);
  BOOST_TEST(code({"linalg", "n=0"}) == kBadWords);
  BOOST_TEST(code({"linalg", "n=131073"}) == kBadWords);
  BOOST_TEST(code({"sparse-lu", "structure=half"}) == kBadWords);
  BOOST_TEST(code({"sparse-lu", "grain=medium"}) == kBadWords);
  BOOST_TEST(code({"sparse-lu", "super=9"}) == kBadWords);
  BOOST_TEST(code({"sparse-lu", "n=0"}) == kBadWords);
  BOOST_TEST(code({"constructs", "construct=bridge"}) == kBadWords);
  BOOST_TEST(code({"constructs", "n=2001"}) == kBadWords);
  BOOST_TEST(code({"recursion", "program=hanoi"}) == kBadWords);
  BOOST_TEST(code({"recursion", "program=queens", "n=17"}) == kBadWords);
  BOOST_TEST(code({"recursion", "program=fft", "n=1000"}) == kBadWords);
  BOOST_TEST(code({"recursion", "program=alignment", "n=1001"}) == kBadWords);
  BOOST_TEST(code({"recursion", "program=health", "n=11"}) == kBadWords);
  BOOST_TEST(code({"recursion", "program=floorplan", "n=13"}) == kBadWords);
  BOOST_TEST(code({"recursion", "program=tree", "cutoff=501"}) == kBadWords);
  BOOST_TEST(code({"recursion", "program=knapsack", "n=501"}) == kBadWords);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::bench
