// Tests the commands `troupe run sparse-lu` and `troupe solve --sparse`.
#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "proto/json/json.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

namespace sparse_commands {

using tests::contains;
using tests::fails;
using tests::succeeds;
using tests::Words;

/// A folder, with functions that write matrix files. Each entry is a row, a column (both counted from 1) and a value.
struct SparseFolder {
  tests::TemporaryFolder folder;

  std::string coordinate(int order, const std::vector<std::string>& entries) const {
    std::string text =
        fmt::format("%%MatrixMarket matrix coordinate real general\n{0} {0} {1}\n", order, entries.size());
    for (const std::string& entry : entries) text += entry + "\n";
    return folder.write("a.mtx", text);
  }
  /// Returns a file with a tridiagonal matrix, which is not symmetric. It describes diffusion and wind along a line.
  std::string line(int order) const {
    std::vector<std::string> entries;
    for (int i = 1; i <= order; ++i) {
      entries.push_back(fmt::format("{0} {0} 4", i));
      if (i > 1) entries.push_back(fmt::format("{} {} -1.5", i, i - 1));
      if (i < order) entries.push_back(fmt::format("{} {} -0.5", i, i + 1));
    }
    return coordinate(order, entries);
  }
};

}  // namespace sparse_commands

BOOST_FIXTURE_TEST_SUITE(command_line_sparse, sparse_commands::SparseFolder)

using namespace sparse_commands;

BOOST_AUTO_TEST_CASE(factorizes_every_structure_with_every_grain_and_checks_it) {
  for (const char* structure : {"third", "third-closed", "bots", "band:2"}) {
    for (const char* grain : {"fine", "coarse", "multi"}) {
      Words words{"run", "sparse-lu", "--structure", structure, "--grain", grain,
                  "--n", "9",         "--block",     "24",      "--check", "--json"};
      if (std::string_view(grain) != "fine") words.insert(words.end(), {"--super", "4"});
      const auto json = Json::parse(succeeds(words));
      BOOST_TEST_CONTEXT(structure << ", " << grain) {
        BOOST_TEST(json["app"] == "sparse-lu");
        BOOST_TEST(json["problem"] == structure);
        BOOST_TEST(json["n"] == 9 * 24);
        BOOST_TEST(json["grain"] == grain);
        BOOST_TEST(json["super"] == (std::string_view(grain) == "fine" ? 1 : 4));
        BOOST_TEST(json["residual"].get<double>() < 30);
        BOOST_TEST(json["difference_from_sequential"] == 0.0);
        BOOST_TEST(json["stored_bytes"] == json["stored_blocks"].get<int>() * 24 * 24 * 8);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_pieces_of_workers_are_those_of_the_last_run) {
  const auto pieces = [](const char* repeat) {
    const auto json = Json::parse(succeeds({"run", "sparse-lu", "--n", "10", "--block", "16", "--super", "5", "--grain",
                                            "multi", "--cores", "2", "--json", "--repeat", repeat}));
    int sum = 0;
    for (const auto& worker : json["workers"]) sum += worker["pieces"].get<int>();
    return sum;
  };
  const int once = pieces("1");
  BOOST_TEST(once > 0);
  BOOST_TEST(pieces("3") == once);
}

BOOST_AUTO_TEST_CASE(runs_on_a_core_and_emulated_accelerators_with_a_quarter_of_the_memory) {
  for (const char* grain : {"fine", "coarse", "multi"}) {
    // The blocks of the matrix need 400 KiB of memory.
    Words words{"run",
                "sparse-lu",
                "--n",
                "10",
                "--block",
                "24",
                "--grain",
                grain,
                "--precision",
                "double",
                "--cores",
                "1",
                "--emulated-gpus",
                "2:memory=128KiB",
                "--check",
                "--json",
                "--repeat",
                "2"};
    if (std::string_view(grain) != "fine") words.insert(words.end(), {"--super", "2"});
    const auto json = Json::parse(succeeds(words));
    BOOST_TEST(json["gpus"] == 2);
    BOOST_TEST(json["residual"].get<double>() < 30);
    BOOST_TEST(json["difference_from_sequential"] == 0.0);
    BOOST_TEST(json["bytes_host_to_device"].get<double>() > 0);
  }
}

BOOST_AUTO_TEST_CASE(products_alone_are_run_and_counted) {
  const Words words{"run", "sparse-lu", "--n", "9", "--block", "24", "--super", "3", "--json", "--precision", "double"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), words.begin(), words.end());
    return Json::parse(succeeds(more));
  };
  const auto all = with({"--reuse", "uses", "--policy", "multigrain", "--models", "none"});
  const auto products = with({"--steps", "3"});
  BOOST_TEST(all["steps"] == "all");
  BOOST_TEST(products["steps"] == "3");
  // There are 3 x 3 super-blocks. They need 3 factorizations of diagonal super-blocks, 6 solves and 5 products.
  BOOST_TEST(all["tasks"] == 14);
  BOOST_TEST(products["tasks"] == 5);
  BOOST_TEST(products["replaced_pivots"] == 0);
  BOOST_TEST(products["flops"].get<double>() < all["flops"].get<double>());
  fails(2, {"run", "sparse-lu", "--steps", "3", "--check"}, {"--check", "--steps all"});
  fails(2, {"run", "sparse-lu", "--steps", "2"}, {"--steps", "3"});
  fails(2, {"run", "sparse-lu", "--steps", "3", "--structure", line(20)}, {"--steps", "made for the purpose"});
  fails(2, {"run", "lu", "--steps", "3"}, {"--steps", "sparse-lu"});
}

BOOST_AUTO_TEST_CASE(factorizes_a_file) {
  const std::string text = succeeds({"run", "sparse-lu", "--structure", line(50), "--block", "8", "--super", "2",
                                     "--ordering", "natural", "--check", "--report"});
  BOOST_TEST(contains(text, "ordering  natural"));
  BOOST_TEST(contains(text, "19 blocks of 8 x 8 are stored"));
  BOOST_TEST(contains(text, "bit by bit"));
}

BOOST_AUTO_TEST_CASE(solves_a_file_and_says_what_it_took) {
  const std::string file = line(300);
  const std::string text = succeeds({"solve", file, "--sparse"});
  for (const char* part : {"300 x 300, sparse, 898 elements", "fill-in", "memory", "ordering", "below the bound"}) {
    BOOST_TEST(contains(text, part), part << " is missing in: " << text);
  }
  const auto json = Json::parse(succeeds({"solve", file, "--sparse", "--block", "16", "--super", "3", "--ordering",
                                          "rcm", "--json", "--precision", "float"}));
  for (const char* key : {"stored_blocks", "blocks_before_fill_in", "stored_bytes", "fill_in", "replaced_pivots",
                          "seconds", "analysis_seconds", "solution_seconds", "refinements", "peak_memory_bytes",
                          "tasks", "workers", "smallest_pivot", "smallest_pivot_row", "gflops", "policy", "cores"}) {
    BOOST_TEST(json.contains(key), "no key '" << key << "'");
  }
  BOOST_TEST(json["method"] == "sparse-lu");
  BOOST_TEST(json["nonzeros"] == 898);
  BOOST_TEST(json["block"] == 16);
  BOOST_TEST(json["residual"].get<double>() < 30);
}

BOOST_AUTO_TEST_CASE(writes_the_solutions_of_several_right_hand_sides) {
  // The matrix has no element on its diagonal.
  const std::string file = coordinate(3, {"1 2 2", "2 3 4", "3 1 8", "1 3 1"});
  const std::string b = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n3 2\n7\n12\n8\n3\n4\n8\n");
  const std::string x = folder.path("x.mtx");
  succeeds({"solve", file, "--sparse", "--rhs", b, "--output", x});
  std::istringstream lines(folder.read("x.mtx"));
  std::string line;
  while (std::getline(lines, line) && line.starts_with('%')) {
  }
  BOOST_TEST(line == "3 2");
  for (const double expected : {1, 2, 3, 1, 1, 1}) {
    double value = 0;
    lines >> value;
    BOOST_TEST(value == expected, boost::test_tools::tolerance(1e-14));
  }
}

BOOST_AUTO_TEST_CASE(names_the_row_where_it_fails) {
  const std::string singular = coordinate(3, {"1 1 1", "2 2 1", "2 3 1", "3 2 1", "3 3 1"});
  const std::string b = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n1\n2\n");
  const std::string x = folder.path("x.mtx");
  const auto ran = tests::run_program({"solve", singular, "--sparse", "--rhs", b, "--output", x});
  BOOST_TEST(ran.exit_status == 1);
  BOOST_TEST(contains(ran.output, "NOT below the bound"));
  BOOST_TEST(contains(ran.errors, "the pivot of row 3 was too small"));
  BOOST_TEST(contains(ran.errors, "without --sparse"));
  BOOST_TEST(!std::filesystem::exists(x));
  fails(2, {"solve", coordinate(3, {"1 1 1", "2 1 1", "3 1 1", "1 2 1", "1 3 1"}), "--sparse"},
        {"left without a diagonal element"});
  fails(2, {"solve", coordinate(2, {"1 1 1", "1 2 1"}), "--sparse"}, {"row 2 is zero"});
}

BOOST_AUTO_TEST_CASE(every_right_hand_side_has_to_be_accepted) {
  const std::string a = coordinate(1, {"1 1 1e-10"});
  const std::string x = folder.path("x.mtx");
  for (const char* columns : {"1e300\n1\n", "1\n1e300\n"}) {
    const std::string b =
        folder.write("b.mtx", std::string("%%MatrixMarket matrix array real general\n1 2\n") + columns);
    const auto ran = tests::run_program({"solve", a, "--sparse", "--rhs", b, "--output", x});
    BOOST_TEST(ran.exit_status == 1);
    BOOST_TEST(tests::contains(ran.errors, "in row 1 it, or its products with the matrix's elements, are too large"));
    BOOST_TEST(!std::filesystem::exists(x));
  }
}

BOOST_AUTO_TEST_CASE(no_right_hand_side_has_a_larger_error_than_what_is_told) {
  // The second right-hand side has the larger residual. The first one has the larger backward error.
  const std::string a = coordinate(2, {"1 1 3", "1 2 1", "2 1 1", "2 2 7"});
  const auto solved = [&](const std::string& columns) {
    const std::string b = folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 " + columns);
    return Json::parse(
        succeeds({"solve", a, "--sparse", "--precision", "float", "--json", "--rhs", b, "--models", "none"}));
  };
  const auto both = solved("2\n75\n6678\n75\n3808\n");
  for (const char* alone : {"1\n75\n6678\n", "1\n75\n3808\n"}) {
    const auto one = solved(alone);
    for (const char* error : {"residual", "backward_error"}) {
      BOOST_TEST(one[error].get<double>() <= both[error].get<double>(), error);
    }
  }
}

BOOST_AUTO_TEST_CASE(replaced_pivots_are_the_reason_of_a_failed_check) {
  const std::string file = coordinate(2, {"1 1 1", "1 2 2", "2 1 2", "2 2 4"});
  const auto ran = tests::run_program({"run", "sparse-lu", "--structure", file, "--check"});
  BOOST_TEST(ran.exit_status == 1);
  BOOST_TEST(contains(ran.errors, "1 pivots were too small and replaced, the first in row"), ran.errors);
}

BOOST_AUTO_TEST_CASE(tasks_that_are_too_many_are_refused) {
  const std::string large = line(16385);
  for (const Words& words : {Words{"solve", large, "--sparse"}, Words{"run", "sparse-lu", "--structure", large}}) {
    Words block = words;
    block.insert(block.end(), {"--block", "1"});
    fails(2, block, {"blocks of 1 rows are too many", "order 16385", "give 2 rows or more"});
  }
  // The blocks need at most 128 MB of memory, but their tasks need terabytes.
  fails(2, {"run", "sparse-lu", "--n", "4000", "--block", "1", "--grain", "fine"},
        {"tasks need", "--block", "--super"});
}

BOOST_AUTO_TEST_CASE(refuses_what_cannot_be_used) {
  const auto refused = [](const Words& words, const std::string& what) { fails(2, words, {what}); };
  const std::string pattern =
      folder.write("p.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n");
  const std::string wide = folder.write("w.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n");
  const auto refused_file = [&](const std::string& file, const std::string& what) {
    refused({"solve", file, "--sparse"}, what);
    refused({"run", "sparse-lu", "--structure", file}, what);
  };
  refused_file(pattern, "gives no values");
  refused_file(wide, "2 x 3");
  refused_file(folder.path("none.mtx"), "cannot open");
  const std::string singular = coordinate(2, {"1 1 1", "1 2 1"});
  refused_file(singular, singular + ": the matrix is singular: row 2 is zero");
  refused_file(singular, "remove dependent equations");
  const std::string good = line(5);
  refused({"run", "sparse-lu", "--block", "0"}, "--block");
  refused({"run", "sparse-lu", "--super", "0"}, "from 1 x 1 to 8 x 8");
  refused({"run", "sparse-lu", "--super", "9"}, "as many as its mask holds");
  refused({"run", "sparse-lu", "--grain", "fine", "--super", "4"}, "--super");
  refused({"run", "sparse-lu", "--structure", "half"}, "third-closed");
  refused({"run", "sparse-lu", "--structure", "band:-1"}, "width of the band");
  refused({"run", "sparse-lu", "--n", "100000"}, "--n counts blocks");
  refused({"run", "sparse-lu", "--grain", "large"}, "fine, coarse, multi");
  refused({"run", "sparse-lu", "--tile", "3"}, "--tile");
  refused({"run", "lu", "--structure", "bots"}, "sparse-lu");
  refused({"run", "sparse-lu", "--clusters", "auto", "--policy", "lws"}, "'lws' learns none");
  refused({"run", "sparse-lu", "--ordering", "rcm"}, "FILE.mtx");
  refused({"run", "sparse-lu", "--structure", good, "--n", "3"}, "a file has its size");
  refused({"solve", good, "--block", "4"}, "--sparse");
  refused({"solve", good, "--sparse", "--method", "qr"}, "--method");
  refused({"solve", good, "--sparse", "--super", "9"}, "as many as its mask holds");
  refused({"solve", good, "--sparse", "--output", good}, "overwrite");
  refused({"solve", good, "--sparse", "--rhs",
           folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n")},
          "2 rows");
  refused({"solve", good, "--sparse", "--rhs",
           folder.write("b.mtx", "%%MatrixMarket matrix array real general\n5 99999999999\n1\n")},
          "the right-hand sides need");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
