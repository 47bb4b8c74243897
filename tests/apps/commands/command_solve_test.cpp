// Tests the command `troupe solve` and the pictures that it writes.
#include <built_paths.hpp>  // written by the build

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <string>

#include "proto/json/json.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {
namespace {

using tests::absent;
using tests::contains;
using tests::fails;
using tests::no_gnuplot;
using tests::run_program;
using tests::succeeds;
using tests::TemporaryFolder;
using tests::Words;

/// Returns the text of a file that begins with `%%MatrixMarket matrix FORM`, followed by `rest`.
std::string matrix_file(const std::string& form, const std::string& rest) {
  return "%%MatrixMarket matrix " + form + "\n" + rest;
}

struct FolderFixture {
  TemporaryFolder folder;

  std::string general(const std::string& entries, const std::string& size = "3 3 3") const {
    return folder.write("a.mtx", matrix_file("coordinate real general", size + "\n" + entries));
  }
  std::string array(const std::string& name, const std::string& content) const {
    return folder.write(name, matrix_file("array real general", content));
  }
  /// Checks that the folder contains exactly these files.
  void has(Words names) const {
    std::sort(names.begin(), names.end());
    BOOST_TEST(folder.names() == names, boost::test_tools::per_element());
  }
};

BOOST_FIXTURE_TEST_SUITE(command_line_solve, FolderFixture)

BOOST_AUTO_TEST_CASE(solves_by_every_method_and_writes_the_solution) {
  const std::string file = folder.write(
      "spd.mtx", matrix_file("coordinate integer symmetric", "3 3 5\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1\n3 3 4\n"));
  const std::string b = array("b.mtx", "3 2\n2\n4\n10\n3\n2\n3\n");  // The solutions are 1 2 3 and 1 1 1.
  const std::string x = folder.path("x.mtx");
  for (const char* method : {"auto", "cholesky", "lu", "qr"}) {
    for (const char* precision : {"float", "double"}) {
      succeeds({"solve", file, "--rhs", b, "--method", method, "--output", x, "--precision", precision, "--tile", "2"});
      std::istringstream lines(folder.read("x.mtx"));
      std::string line;
      while (std::getline(lines, line) && line.starts_with('%')) {
      }
      BOOST_TEST(line == "3 2");
      for (const double expected : {1, 2, 3, 1, 1, 1}) {
        double value = 0;
        lines >> value;
        BOOST_TEST(value == expected, boost::test_tools::tolerance(1e-5));
      }
    }
  }
  has({"spd.mtx", "b.mtx", "x.mtx"});
}

BOOST_AUTO_TEST_CASE(prints_json_that_has_the_documented_keys) {
  const std::string file = general("1 1 1\n2 2 2\n3 3 3\n");
  const auto json = Json::parse(succeeds({"solve", file, "--json", "--seed", "4"}));
  for (const char* key : {"app", "n", "tile", "precision", "policy", "cores", "gpus", "seed", "seconds", "gflops",
                          "residual", "tasks", "workers", "matrix", "method"}) {
    BOOST_TEST(json.contains(key), "no key '" << key << "'");
  }
  BOOST_TEST(json["app"] == "solve");
  BOOST_TEST(json["matrix"] == file);
  BOOST_TEST(json["method"] == "lu");
  BOOST_TEST(json["n"] == 3);
  BOOST_TEST(!json.contains("remark"));
}

BOOST_AUTO_TEST_CASE(prints_json_for_a_file_whose_name_is_no_text) {
  const std::string file = folder.write("\xff\xfe.mtx", matrix_file("coordinate real general", "1 1 1\n1 1 2\n"));
  BOOST_TEST(Json::parse(succeeds({"solve", file, "--json"}))["n"] == 1);
}

BOOST_AUTO_TEST_CASE(says_why_cholesky_became_lu) {
  const std::string file =
      folder.write("a.mtx", matrix_file("coordinate real symmetric", "3 3 4\n1 1 1\n2 1 5\n2 2 1\n3 3 1\n"));
  const std::string text = succeeds({"solve", file});
  BOOST_TEST(contains(text, "leading minor of order 2"));
  BOOST_TEST(contains(text, "LU with partial pivoting instead of Cholesky"));
  const auto json = Json::parse(succeeds({"solve", file, "--json"}));
  BOOST_TEST(json["method"] == "lu");
  BOOST_TEST(contains(json["remark"].get<std::string>(), "leading minor of order 2"));
  fails(2, {"solve", file, "--method", "cholesky"},
        {file, "not positive definite", "leading minor of order 2", "--method lu"});
  has({"a.mtx"});
}

BOOST_AUTO_TEST_CASE(refuses_files_that_cannot_be_used) {
  const std::string missing = folder.path("missing.mtx");
  fails(2, {"solve", missing}, {missing, "No such file"});
  fails(2, {"solve", folder.path()}, {folder.path(), "irectory"});
  fails(2, {"solve", ""}, {"matrix", "empty"});
  fails(2, {"solve", missing, "--rhs", ""}, {"--rhs", "empty"});
  fails(2, {"solve", missing, "--output", ""}, {"--output", "empty"});
  fails(2, {"solve", folder.write("empty.mtx", "")}, {"empty.mtx"});
  fails(2, {"solve", folder.write("text.mtx", "hello\n")}, {"text.mtx", "MatrixMarket"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n")}, {"a.mtx", "3"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n3 3")}, {"a.mtx", "line 5"});
  fails(2, {"solve", general("1 1 1\n2 2 nan\n3 3 1\n")}, {"a.mtx", "line 4", "nan"});
  fails(2, {"solve", general("1 1 1\n2 2 inf\n3 3 1\n")}, {"a.mtx", "line 4"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n4 3 1\n")}, {"a.mtx", "line 5", "4"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n0 3 1\n")}, {"a.mtx", "line 5", "0"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n3 3 1\n", "3 4 3")}, {"a.mtx", "3 x 4", "square"});
  fails(2, {"solve", folder.write("p.mtx", matrix_file("coordinate pattern general", "1 1 1\n1 1\n"))},
        {"p.mtx", "pattern"});
  fails(2, {"solve", folder.write("c.mtx", matrix_file("coordinate complex general", "1 1 1\n1 1 1 0\n"))},
        {"c.mtx", "complex"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n3 3 1\n"), "--method", "cholesky"}, {"a.mtx", "symmetric", "--method lu"});
}

BOOST_AUTO_TEST_CASE(refuses_singular_matrices) {
  const std::string file = general("1 1 1\n2 3 1\n3 3 1\n");  // Column 2 has no element.
  for (const char* method : {"auto", "lu"}) {
    fails(2, {"solve", file, "--method", method, "--output", folder.path("x.mtx")},
          {file, "singular", "column 2 is zero", "no solution"});
  }
  const std::string dependent = general("1 1 1\n2 1 1\n3 3 1\n1 2 1\n2 2 1\n", "3 3 5");
  fails(2, {"solve", dependent, "--method", "lu"}, {dependent, "singular", "pivot 2 is exactly zero", "no solution"});
  // With dependent columns, rounding decides whether QR finds the matrix singular, so QR is only tested with a row of
  // zeros.
  const std::string empty_row = general("1 1 1\n1 2 2\n3 3 1\n");
  for (const char* method : {"lu", "qr"}) {
    fails(2, {"solve", empty_row, "--method", method}, {empty_row, "singular", "row 2 is zero"});
  }
  const std::string symmetric =
      folder.write("s.mtx", matrix_file("coordinate real symmetric", "2 2 3\n1 1 1\n2 1 1\n2 2 1\n"));
  fails(2, {"solve", symmetric}, {symmetric, "singular", "pivot 2"});
  has({"a.mtx", "s.mtx"});
}

BOOST_AUTO_TEST_CASE(estimates_the_condition_and_says_when_no_digit_can_be_relied_upon) {
  const auto hilbert = [&](int n) {
    std::string text = fmt::format("{} {}\n", n, n);
    for (int j = 1; j <= n; ++j) {
      for (int i = 1; i <= n; ++i) text += fmt::format("{}\n", 1.0 / (i + j - 1));
    }
    return array(fmt::format("h{}.mtx", n).c_str(), text);
  };
  for (const char* method : {"lu", "qr"}) {
    // The condition number of the Hilbert matrix of order 4 is 2.8e4; for order 20 it is too large for double
    // precision.
    const auto good = Json::parse(succeeds({"solve", hilbert(4), "--method", method, "--json"}));
    const double condition = 1 / good["reciprocal_condition"].get<double>();
    BOOST_TEST((condition > 3e3 && condition < 3e5), condition);
    BOOST_TEST(!good.contains("doubt"));
    const auto bad = Json::parse(succeeds({"solve", hilbert(20), "--method", method, "--json"}));
    BOOST_TEST(bad["reciprocal_condition"].get<double>() < 1.2e-16);
    BOOST_TEST(contains(bad["doubt"].get<std::string>(), "singular to double precision"));
    BOOST_TEST(contains(succeeds({"solve", hilbert(20), "--method", method}), "may have no correct digit"));
  }
}

BOOST_AUTO_TEST_CASE(says_what_made_a_solution_inaccurate_and_writes_none) {
  const std::string out = folder.path("x.mtx");
  const auto inaccurate = [&](const std::string& file, const char* method, const char* why) {
    const platform::ChildOutput ran = run_program({"solve", file, "--method", method, "--output", out});
    BOOST_TEST(ran.exit_status == 1);
    BOOST_TEST(contains(ran.errors, why), ran.errors);
    BOOST_TEST(!std::filesystem::exists(out));
  };
  const std::string large = array("large.mtx", "2 2\n1e308\n1e308\n1e308\n-1e308\n");
  const std::string small = array("small.mtx", "2 2\n3e-320\n1e-320\n2e-320\n-5e-320\n");
  for (const char* method : {"lu", "qr"}) {
    inaccurate(large, method, "larger than double precision can hold");
    inaccurate(small, method, "few digits left");
  }
  // Wilkinson's matrix: in the last column, the elements double in each step of the elimination.
  constexpr int kOrder = 120;
  std::string text = fmt::format("{} {}\n", kOrder, kOrder);
  for (int j = 0; j < kOrder; ++j) {
    for (int i = 0; i < kOrder; ++i) text += i == j || j == kOrder - 1 ? "1\n" : i > j ? "-1\n" : "0\n";
  }
  const std::string growing = array("growing.mtx", text);
  inaccurate(growing, "lu", "use --method qr");
  succeeds({"solve", growing, "--method", "qr"});
}

BOOST_AUTO_TEST_CASE(keeps_its_input_and_the_links_that_its_output_is_written_through) {
  const std::string file = general("1 1 1\n2 2 1\n3 3 1\n");
  const std::string b = array("b.mtx", "3 1\n1\n1\n1\n");
  std::filesystem::create_symlink("a.mtx", folder.path("same.mtx"));
  fails(2, {"solve", file, "--output", folder.path("same.mtx")}, {"--output", "overwrite"});
  fails(2, {"solve", file, "--rhs", b, "--output", b}, {"--output", "overwrite"});
  std::filesystem::create_symlink("not/yet.mtx", folder.path("link.mtx"));
  fails(2, {"solve", file, "--output", folder.path("link.mtx")}, {"link.mtx"});
  std::filesystem::create_directory(folder.path("not"));
  succeeds({"solve", file, "--output", folder.path("link.mtx")});
  BOOST_TEST(std::filesystem::is_symlink(folder.path("link.mtx")));
  BOOST_TEST(contains(folder.read("not/yet.mtx"), "3 1"));
}

BOOST_AUTO_TEST_CASE(refuses_a_right_hand_side_that_does_not_fit) {
  const std::string file = general("1 1 1\n2 2 1\n3 3 1\n");
  fails(2, {"solve", file, "--rhs", array("b.mtx", "2 1\n1\n1\n")}, {"b.mtx", "2 rows", "a.mtx", "3"});
  fails(2, {"solve", file, "--rhs", folder.path("none.mtx")}, {"none.mtx", "No such file"});
  fails(2, {"solve", file, "--rhs", array("b.mtx", "3 1\n1\n1\n")}, {"b.mtx"});
  fails(2, {"solve", file, "--rhs", array("b.mtx", "3 1\n1\nnan\n1\n")}, {"b.mtx", "nan"});
  fails(2, {"solve", file, "--rhs", array("b.mtx", "3 2000000000\n1\n")}, {"memory"});
}

BOOST_AUTO_TEST_CASE(refuses_an_output_that_cannot_be_written_before_it_reads_the_matrix) {
  const std::string damaged = general("1 1 1\n2 2 nan\n3 3 1\n");
  fails(2, {"solve", damaged, "--output", folder.path("no/folder/x.mtx")}, {"no/folder/x.mtx", "No such file"});
  fails(2, {"solve", damaged, "--output", folder.path()}, {folder.path(), "irectory"});
  has({"a.mtx"});
}

BOOST_AUTO_TEST_CASE(leaves_no_part_of_a_solution_where_there_is_no_space) {
  std::string numbers;
  for (int i = 0; i < 900; ++i) numbers += i % 31 == 0 ? "1\n" : "0\n";
  const std::string file = array("a.mtx", "30 30\n" + numbers);
  folder.write("x.mtx", "what was there");
  {
    const tests::FileSizeLimit disk_is_full(10);
    const platform::ChildOutput ran = run_program({"solve", file, "--output", folder.path("x.mtx")});
    BOOST_TEST(ran.exit_status == 1);
    BOOST_TEST(contains(ran.errors, "x.mtx"));
  }
  has({"a.mtx", "x.mtx"});
  BOOST_TEST(folder.read("x.mtx") == "what was there");
  if (std::filesystem::exists("/dev/full")) {
    const platform::ChildOutput ran = run_program({"solve", file, "--output", "/dev/full"});
    BOOST_TEST(ran.exit_status == 1);
    BOOST_TEST(contains(ran.errors, "/dev/full"));
  }
}

BOOST_AUTO_TEST_CASE(refuses_what_the_user_may_not_touch) {
  Words as_user;
  if (::getuid() == 0) {
    as_user = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    Words version = as_user;
    version.insert(version.end(), {TROUPE_EXECUTABLE, "--version"});
    if (absent(version, "run as root, and no other user can run the program")) return;
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  const std::string file = general("1 1 1\n2 2 1\n3 3 1\n");
  const std::string secret = folder.write("secret.mtx", folder.read("a.mtx"));
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  fails(2, {"solve", secret}, {secret, "Permission denied"}, as_user);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  fails(2, {"solve", file, "--output", folder.path("x.mtx")}, {"x.mtx", "Permission denied"}, as_user);
  if (!no_gnuplot()) {
    fails(2, {"run", "lu", "--n", "50", "--picture", folder.path("x.svg")}, {"x.svg", "Permission denied"}, as_user);
  }
  has({"a.mtx", "secret.mtx"});
}

BOOST_AUTO_TEST_CASE(solves_real_matrices) {
  const std::string data = TROUPE_SOURCE_DIR "/../shared/data/";
  if (!std::filesystem::exists(data + "bcsstk13.mtx")) {
    tests::skip("no real matrices beside the repository");
    return;
  }
  const auto json = Json::parse(succeeds({"solve", data + "bcsstk13.mtx", "--json"}));
  BOOST_TEST(json["method"] == "cholesky");
  BOOST_TEST(json["residual"].get<double>() < 30);
  for (const char* method : {"lu", "qr"}) {
    const auto other = Json::parse(succeeds({"solve", data + "watt_2.mtx", "--method", method, "--json"}));
    BOOST_TEST(other["residual"].get<double>() < 30);
  }
  fails(2, {"solve", data + "rajat01.mtx"}, {"rajat01.mtx", "pattern"});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(command_line_picture, FolderFixture)

BOOST_AUTO_TEST_CASE(is_drawn_and_named) {
  if (no_gnuplot()) return;
  const auto json = Json::parse(
      succeeds({"run", "cholesky", "--n", "200", "--tile", "50", "--picture", folder.path("run.png"), "--json"}));
  BOOST_TEST(json["picture"]["svg"] == folder.path("run.svg"));
  BOOST_TEST(json["picture"]["png"] == folder.path("run.png"));
  has({"run.svg", "run.png"});
}

BOOST_AUTO_TEST_CASE(is_refused_before_the_run_where_it_cannot_be_written) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* name : {"run.pdf", "run", "no/folder/run.svg"}) {
    const std::string path = folder.path(name);
    fails(2, {"run", "cholesky", "--n", "1000", "--repeat", "100000", "--picture", path}, {path});
  }
  fails(2, {"run", "cholesky", "--picture", ""}, {"--picture", "empty"});
  BOOST_TEST((std::chrono::steady_clock::now() - start < std::chrono::seconds(60)));
  has({});
}

BOOST_AUTO_TEST_CASE(that_finds_no_space_leaves_no_part_and_the_results_are_shown) {
  if (no_gnuplot()) return;
  const tests::FileSizeLimit disk_is_full(1000);
  const platform::ChildOutput ran =
      run_program({"run", "cholesky", "--n", "200", "--tile", "50", "--picture", folder.path("run.svg")});
  BOOST_TEST(ran.exit_status == 1);
  BOOST_TEST(contains(ran.errors, "run.svg"));
  BOOST_TEST(contains(ran.output, "GFlop/s"));
  has({});
}

BOOST_AUTO_TEST_CASE(that_finds_a_full_file_system_leaves_no_part) {
  if (no_gnuplot()) return;
  const std::string mount = "mount -t tmpfs -o size=4k none " + folder.path();
  if (absent({"unshare", "--mount", "sh", "-c", mount}, "no file system can be mounted here")) return;
  const auto ran = platform::run_child({"unshare", "--mount", "sh", "-c",
                                        mount + " && " TROUPE_EXECUTABLE " run cholesky --n 200 --tile 50 --picture " +
                                            folder.path("run.svg") + "; echo code $?; ls -A " + folder.path()},
                                       "", std::chrono::seconds(120));
  BOOST_TEST_REQUIRE(ran.ok());
  BOOST_TEST(contains(ran.value().errors, "No space left on device"));
  BOOST_TEST(ran.value().output.ends_with("code 1\n"), ran.value().output);
}

BOOST_AUTO_TEST_CASE(of_an_interrupted_run_is_not_there) {
  if (absent({"timeout", "10", "true"}, "there is no timeout command")) return;
  const auto ran = platform::run_child({"timeout", "-s", "INT", "2", TROUPE_EXECUTABLE, "run", "lu", "--n", "500",
                                        "--repeat", "1000000", "--picture", folder.path("run.svg")},
                                       "", std::chrono::seconds(60));
  BOOST_TEST_REQUIRE(ran.ok());
  BOOST_TEST(ran.value().exit_status == 124);
  has({});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
