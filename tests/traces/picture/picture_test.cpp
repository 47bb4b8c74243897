#include "traces/picture/picture.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <random>
#include <utility>

#include "platform/files/child_process.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/traces/files/trace_sample.hpp"
#include "traces/picture/picture_layout.hpp"
#include "traces/picture/picture_script.hpp"

namespace troupe::traces {

namespace picture {

using tests::contains;
using tests::TemporaryFolder;
using Names = std::vector<std::string>;

bool no_gnuplot() {
  if (platform::run_child({"gnuplot", "--version"}, "", std::chrono::seconds(60)).ok()) return false;
  tests::skip("gnuplot is not installed");
  return true;
}

Picture small_picture() {
  Picture picture;
  picture.title = "Cholesky, n = 8192";
  picture.subtitle = {"policy lws"};
  picture.workers = {"cpu core 0", "cpu core 1"};
  picture.spans = {{0, "potrf", 0, 0.5}, {0, "gemm", 0.5, 3}, {1, "trsm", 0.6, 1.5}};
  return picture;
}

/// Returns the width and height of a PNG image, from its first chunk; zeros if the text is no PNG image.
std::pair<unsigned, unsigned> png_size(const std::string& png) {
  if (png.size() < 24 || !png.starts_with("\x89PNG\r\n\x1a\n")) return {0, 0};
  const auto number = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = at; i < at + 4; ++i) value = value << 8U | static_cast<unsigned char>(png[i]);
    return value;
  };
  return {number(16), number(20)};
}

struct PictureFixture {
  TemporaryFolder folder;

  void fails(const std::string& path, ErrorCode code, std::string_view part) {
    for (const auto& failure : {draw_failure(path), check_failure(path)}) {
      BOOST_TEST((failure.code == code));
      BOOST_TEST_CONTEXT("message: " << failure.message) BOOST_TEST(contains(failure.message, part));
    }
  }

  static Failure draw_failure(const std::string& path) {
    const auto drawn = draw_picture(path, small_picture());
    BOOST_TEST_REQUIRE(!drawn.ok());
    return drawn.failure();
  }

  static Failure check_failure(const std::string& path) {
    const auto checked = check_picture_path(path);
    BOOST_TEST_REQUIRE(!checked.ok());
    return checked.failure();
  }
};

}  // namespace picture

BOOST_FIXTURE_TEST_SUITE(picture, PictureFixture)

BOOST_AUTO_TEST_CASE(of_a_trace_has_its_tasks_from_the_begin_on) {
  const Trace trace = tests::sample_trace();
  const Picture made = picture_of(trace, {"a run", {"one", "two"}, tests::HandMadeTrace::at(10)});
  BOOST_TEST(made.title == "a run");
  BOOST_TEST((made.workers == Names{"one", "two"}));
  BOOST_TEST_REQUIRE(made.spans.size() == 4U);
  BOOST_TEST(made.spans[0].start_s == 0);
  BOOST_TEST(made.spans[2].worker == 1U);
  BOOST_TEST(made.spans[2].codelet == "gemm");
  BOOST_TEST(made.spans[2].start_s == 32e-6, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(made.spans[2].end_s == 50e-6, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(of_a_trace_with_clusters_has_their_cores_and_what_they_used) {
  const Picture made = picture_of(tests::cluster_trace(), {"a run", {"cluster of 4 cores 0-3", "cpu core 4"}, {}});
  BOOST_TEST((made.cores == std::vector<int>{4, 1}));
  BOOST_TEST_REQUIRE(made.spans.size() == 3U);
  for (const PictureSpan& span : made.spans) BOOST_TEST(span.used == (span.end_s < 15e-6 ? 0.625 : 1));
}

BOOST_AUTO_TEST_CASE(rows_of_clusters_are_higher) {
  Picture picture = small_picture();
  picture.cores = {4, 1};
  const auto layout = lay_out(picture, 1, {});
  const double cluster = layout.rows[1] - layout.rows[0], core = layout.rows[2] - layout.rows[1];
  BOOST_TEST(cluster == 2 * core, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(layout.plot_bottom - layout.plot_top == cluster + core, boost::test_tools::tolerance(1e-9));
  picture.cores.clear();
  BOOST_TEST(lay_out(picture, 1, {}).rows[1] == core, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(says_what_the_height_of_a_task_means_where_it_means_something) {
  const std::string words = "as high as the share of the cores";
  Picture picture = small_picture();
  const auto svg = [&] {
    const auto summary = summarize(picture);
    return PictureScript(picture, summary.value()).svg();
  };
  BOOST_TEST(!contains(svg(), words));
  picture.cores = {4, 1};
  picture.spans[1].used = 0.5;
  BOOST_TEST(contains(svg(), words));
}

BOOST_AUTO_TEST_CASE(numbers_of_cores_and_shares_that_make_no_sense_are_refused) {
  for (const std::vector<int>& cores : {std::vector<int>{4}, {4, 0}, {4, 1, 1}}) {
    Picture picture = small_picture();
    picture.cores = cores;
    BOOST_TEST(!summarize(picture).ok());
  }
  for (const double used : {-0.1, 1.1, std::nan("")}) {
    Picture picture = small_picture();
    picture.spans[0].used = used;
    BOOST_TEST(!summarize(picture).ok());
  }
}

BOOST_AUTO_TEST_CASE(writes_both_forms_whichever_is_named) {
  if (no_gnuplot()) return;
  for (const std::string name : {"run.svg", "run.png"}) {
    const TemporaryFolder fresh;
    BOOST_TEST(check_picture_path(fresh.path(name)).ok());
    BOOST_TEST(fresh.names().empty());
    const auto drawn = draw_picture(fresh.path(name), small_picture());
    BOOST_TEST_REQUIRE(drawn.ok());
    BOOST_TEST(drawn.value().svg == fresh.path("run.svg"));
    BOOST_TEST(drawn.value().png == fresh.path("run.png"));
    BOOST_TEST(fresh.names() == (Names{"run.png", "run.svg"}), boost::test_tools::per_element());
    const auto svg = fresh.read("run.svg");
    for (const auto* text : {"Cholesky, n = 8192", "policy lws", "cpu core 1", "potrf  1 task, 500 ms", "30.0 %",
                             "3 tasks on 2 workers in 3.00 s; workers busy 65.0 % of the time", "time (s)", "idle"}) {
      BOOST_TEST_CONTEXT(text) BOOST_TEST(contains(svg, text));
    }
    BOOST_TEST(svg.ends_with("</svg>\n\n"));
    const auto [width, height] = png_size(fresh.read("run.png"));
    BOOST_TEST(width == 2400U);
    BOOST_TEST(height > 400U);
  }
}

BOOST_AUTO_TEST_CASE(draws_fifty_thousand_tasks_quickly_into_small_files) {
  if (no_gnuplot()) return;
  Picture picture;
  for (int i = 0; i < 16; ++i) picture.workers.push_back("cpu core " + std::to_string(i));
  std::mt19937 random(1);
  std::vector<double> now(16);
  for (std::size_t i = 0; i < 50'000; ++i) {
    auto& start = now[i % 16];
    const double end = start + 1e-3 * static_cast<double>(1 + random() % 100);
    picture.spans.push_back({i % 16, "k" + std::to_string(random() % 6), start, end});
    start = end;
  }
  const auto started = std::chrono::steady_clock::now();
  BOOST_TEST(draw_picture(folder.path("run.svg"), picture).ok());
  BOOST_TEST((std::chrono::steady_clock::now() - started < std::chrono::seconds(30)));
  BOOST_TEST(folder.read("run.svg").size() < 8'000'000U);
  BOOST_TEST(folder.read("run.png").size() < 2'000'000U);
}

BOOST_AUTO_TEST_CASE(draws_runs_of_any_shape) {
  if (no_gnuplot()) return;
  Picture picture;
  picture.workers = {"only"};
  /// Checks that the picture is complete and contains all of these words.
  const auto shows = [&](const std::string& name, const std::vector<std::string>& words) {
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST_REQUIRE(draw_picture(folder.path(name + ".svg"), picture).ok());
      const std::string svg = folder.read(name + ".svg");
      BOOST_TEST(svg.ends_with("</svg>\n\n"));
      for (const std::string& word : words) BOOST_TEST(contains(svg, word), "no '" << word << "'");
      BOOST_TEST((png_size(folder.read(name + ".png")).first == 2400U));
    }
  };
  shows("empty", {"only", "0 tasks on 1 worker"});
  picture.spans = {{0, "a", 0, 0}};
  shows("instant", {"only", "a  1 task", "1 task on 1 worker"});
  picture.spans = {{0, "a", 1e-9, 3e-9}};
  shows("short", {"a  1 task, 2.00 ns"});
  picture.spans = {{0, "a", 1e5, 1e6}};
  shows("long", {"a  1 task"});
  picture.workers.assign(500, "many");
  shows("many", {"1 task on 500 workers", "many"});
}

BOOST_AUTO_TEST_CASE(text_is_drawn_and_never_run) {
  if (no_gnuplot()) return;
  const auto proof = folder.path("proof");
  Picture picture = small_picture();
  picture.title = "it's <b> & \"q\" `touch " + proof + "` \\n {x}_1^2 @m\n!touch " + proof;
  picture.subtitle = {"'; system('touch " + proof + "'); '", "\xff\xc0 bytes", "gr\xc3\xbc\xc3\x9f"};
  picture.workers[0] = "'\nsystem \"touch " + proof + "\"\n'";
  picture.spans[0].codelet = "e\ne\n!touch " + proof;
  BOOST_TEST(draw_picture(folder.path("run.svg"), picture).ok());
  BOOST_TEST(folder.names() == (Names{"run.png", "run.svg"}), boost::test_tools::per_element());
  const auto svg = folder.read("run.svg");
  BOOST_TEST(contains(svg, "it\xe2\x80\x99s &lt;b> &amp; \"q\" `touch"));
  BOOST_TEST(contains(svg, "?? bytes"));
  BOOST_TEST(contains(svg, "gr\xc3\xbc\xc3\x9f"));
}

BOOST_AUTO_TEST_CASE(names_what_is_wrong_with_the_path) {
  fails(folder.path("run.pdf"), ErrorCode::invalid_argument, "'.svg' or '.png'");
  fails(folder.path(".svg"), ErrorCode::invalid_argument, "'.svg' or '.png'");
  fails("", ErrorCode::invalid_argument, "'.svg' or '.png'");
  fails(folder.path("none/run.svg"), ErrorCode::io, "No such file");
  std::filesystem::create_directory(folder.path("run.png"));
  fails(folder.path("run.svg"), ErrorCode::io, "Is a directory");
  BOOST_TEST(folder.names() == Names{"run.png"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(names_the_package_where_gnuplot_is_missing) {
  {
    const tests::EnvironmentVariable path("PATH", folder.path());
    fails(folder.path("run.svg"), ErrorCode::io, "install the package gnuplot-nox");
  }
  BOOST_TEST(folder.names().empty());
}

BOOST_AUTO_TEST_CASE(leaves_the_old_picture_where_there_is_no_space_for_a_new_one) {
  if (no_gnuplot()) return;
  folder.write("run.svg", "old");
  {
    const tests::FileSizeLimit limit(2000);
    const auto drawn = draw_picture(folder.path("run.svg"), small_picture());
    BOOST_TEST_REQUIRE(!drawn.ok());
    BOOST_TEST((drawn.failure().code == ErrorCode::io));
    BOOST_TEST(contains(drawn.failure().message, "run.svg"));
  }
  BOOST_TEST(folder.read("run.svg") == "old");
  BOOST_TEST(folder.names() == Names{"run.svg"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
