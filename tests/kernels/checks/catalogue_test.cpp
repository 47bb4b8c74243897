#include "kernels/checks/catalogue.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "kernels/element_codelets.hpp"
#include "kernels/tile_kernels.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(catalogue_of_codelets)

namespace {

constexpr auto kHuge = std::numeric_limits<std::int64_t>::max();

Layout tile(std::int64_t rows, std::int64_t cols) {
  return layout_of<double>(rows, cols, std::max<std::int64_t>(rows, 1));
}
Layout numbers(std::int64_t count) { return layout_of<int>(count, 1, std::max<std::int64_t>(count, 1)); }

struct Case {
  std::string name;
  std::vector<Layout> data;
  Arguments arguments = {};
};

bool accepts(const Case& one) {
  const CatalogueEntry* entry = find_in_catalogue(one.name);
  BOOST_REQUIRE_MESSAGE(entry != nullptr, one.name);
  return entry->check(one.data, one.arguments).ok();
}

Arguments offset(std::int64_t value) { return args(value); }
Arguments two(std::int64_t a, std::int64_t b) { return args(a, b); }
Arguments three(std::int64_t a, std::int64_t b, std::int64_t c) { return args(a, b, c); }

/// Returns one valid case for each codelet. Sizes that need not be equal are different.
std::vector<Case> right_cases() {
  return {
      {"potrf/double", {tile(9, 5)}, two(3, 100)},
      {"trsm_cholesky/double", {tile(9, 5), tile(4, 5)}, offset(4)},
      {"syrk/double", {tile(9, 3), tile(9, 5)}, offset(4)},
      {"gemm_nt/double", {tile(7, 3), tile(9, 3), tile(7, 5)}, offset(4)},
      {"gemm_nn/double", {tile(7, 3), tile(9, 5), tile(7, 5)}, offset(6)},
      {"gemm_tn/double", {tile(7, 3), tile(7, 5), tile(9, 5)}, offset(6)},
      {"solve_lower/double", {tile(9, 5), tile(9, 2)}, offset(4)},
      {"solve_unit_lower/double", {tile(9, 5), tile(9, 2)}, offset(0)},
      {"solve_lower_transposed/double", {tile(9, 5), tile(9, 2)}, offset(1)},
      {"solve_upper/double", {tile(9, 5), tile(9, 2)}, offset(2)},
      {"getrf_without_pivoting/double", {tile(9, 5)}, two(4, 0)},
      {"trsm_right_upper/double", {tile(9, 5), tile(4, 5)}, offset(4)},
      {"getrf_panel/double", {numbers(5), tile(12, 5), tile(0, 5), tile(8, 5)}, two(15, 100)},
      {"swap_and_solve/double", {tile(9, 5), numbers(12), tile(10, 3), tile(6, 3)}, two(4, 13)},
      {"swap_rows/double", {numbers(8), numbers(4), tile(5, 3), tile(15, 3)}, two(8, 8)},
      {"getrf_incpiv/double", {tile(9, 5), tile(8, 5), numbers(5)}, two(100, 1)},
      {"gessm/double", {tile(8, 5), numbers(5), tile(9, 3)}},
      {"gessm_back/double", {tile(9, 5), numbers(5), tile(9, 3)}},
      {"tstrf/double", {tile(7, 6), tile(9, 5), tile(2, 5), numbers(5)}, three(2, 100, 1)},
      {"ssssm/double", {tile(9, 5), tile(2, 5), numbers(5), tile(6, 3), tile(9, 3)}, offset(1)},
      {"ssssm_back/double", {tile(9, 5), tile(5, 5), numbers(5), tile(5, 3), tile(9, 3)}, offset(0)},
      {"geqrt/double", {tile(9, 5), tile(2, 5), tile(8, 5)}},
      {"gemqrt/double", {tile(8, 5), tile(5, 5), tile(9, 3)}},
      {"gemqrt_transposed/double", {tile(9, 5), tile(1, 5), tile(9, 3)}},
      {"tpqrt/double", {tile(7, 5), tile(9, 5), tile(2, 5)}, offset(2)},
      {"tpmqrt/double", {tile(9, 5), tile(2, 5), tile(6, 3), tile(9, 3)}, offset(1)},
      {"tpmqrt_transposed/double", {tile(9, 5), tile(2, 5), tile(5, 3), tile(9, 3)}, offset(0)},
      {"fill_symmetric/double", {tile(9, 5)}, args(std::int64_t{7}, std::int64_t{9}, std::uint64_t{1}, 3.0)},
      {"copy/double", {tile(9, 5), tile(9, 5)}},
      {"fill/double", {tile(9, 5)}, args(1.0)},
      {"axpy/double", {tile(9, 5), tile(9, 5)}, args(2.0)},
      {"scale/double", {tile(9, 5)}, args(2.0)},
      {"dot/double", {tile(9, 5), tile(9, 5), tile(1, 1)}},
      {"nothing", {}},
      {"sleep", {}, offset(kLongestSleep_ns)},
  };
}

/// Returns cases with one mistake each. Mistakes that are possible with every codelet are not in this list; the test
/// adds them.
std::vector<Case> wrong_cases() {
  return {
      {"potrf/double", {tile(9, 5)}, two(5, 0)},
      {"potrf/double", {tile(9, 5)}, two(-1, 0)},
      {"potrf/double", {tile(4, 5)}, two(0, 0)},
      {"potrf/double", {tile(9, 5)}, two(kHuge, 0)},
      {"potrf/double", {tile(9, 5)}, two(0, kHuge)},
      {"potrf/double", {tile(9, 5)}, two(0, -1)},
      {"trsm_cholesky/double", {tile(9, 5), tile(4, 6)}, offset(4)},
      {"trsm_cholesky/double", {tile(9, 5), tile(4, 5)}, offset(5)},
      {"trsm_cholesky/double", {tile(9, 5), tile(4, 5)}, offset(-1)},
      {"syrk/double", {tile(8, 3), tile(9, 5)}, offset(3)},
      {"syrk/double", {tile(10, 3), tile(9, 5)}, offset(3)},
      {"syrk/double", {tile(9, 3), tile(9, 5)}, offset(5)},
      {"syrk/double", {tile(9, 3), tile(9, 5)}, offset(std::numeric_limits<std::int64_t>::min())},
      {"gemm_nt/double", {tile(6, 3), tile(9, 3), tile(7, 5)}, offset(4)},
      {"gemm_nt/double", {tile(7, 4), tile(9, 3), tile(7, 5)}, offset(4)},
      {"gemm_nt/double", {tile(7, 3), tile(9, 3), tile(7, 5)}, offset(5)},
      {"gemm_nt/double", {tile(7, 3), tile(4, 3), tile(7, 5)}, offset(0)},
      {"gemm_nn/double", {tile(6, 3), tile(9, 5), tile(7, 5)}, offset(6)},
      {"gemm_nn/double", {tile(7, 3), tile(9, 4), tile(7, 5)}, offset(6)},
      {"gemm_nn/double", {tile(7, 3), tile(9, 5), tile(7, 5)}, offset(7)},
      {"gemm_nn/double", {tile(7, 3), tile(9, 5), tile(7, 5)}, offset(kHuge)},
      {"gemm_tn/double", {tile(8, 3), tile(7, 5), tile(9, 5)}, offset(6)},
      {"gemm_tn/double", {tile(7, 3), tile(7, 6), tile(9, 5)}, offset(6)},
      {"gemm_tn/double", {tile(7, 3), tile(7, 5), tile(9, 5)}, offset(7)},
      {"solve_lower/double", {tile(9, 5), tile(8, 2)}, offset(3)},
      {"solve_lower/double", {tile(9, 5), tile(10, 2)}, offset(3)},
      {"solve_lower/double", {tile(9, 5), tile(9, 2)}, offset(5)},
      {"solve_unit_lower/double", {tile(9, 5), tile(8, 2)}, offset(3)},
      {"solve_lower_transposed/double", {tile(9, 5), tile(8, 2)}, offset(3)},
      {"solve_upper/double", {tile(9, 5), tile(8, 2)}, offset(4)},
      {"solve_upper/double", {tile(9, 5), tile(9, 2)}, offset(-3)},
      {"getrf_without_pivoting/double", {tile(9, 5)}, two(5, 0)},
      {"trsm_right_upper/double", {tile(9, 5), tile(4, 4)}, offset(4)},
      {"getrf_panel/double", {numbers(4), tile(20, 5)}, two(15, 15)},
      {"getrf_panel/double", {numbers(6), tile(20, 5)}, two(14, 15)},
      {"getrf_panel/double", {numbers(5), tile(12, 5), tile(8, 5)}, two(16, 16)},
      {"getrf_panel/double", {numbers(5), tile(12, 5), tile(8, 4)}, two(0, 0)},
      {"getrf_panel/double", {numbers(5), tile(4, 5)}, two(0, 0)},
      {"getrf_panel/double", {numbers(5), tile(20, 5)}, two(-1, 0)},
      {"getrf_panel/double", {numbers(5), tile(20, 5)}, two(3, 2)},
      {"getrf_panel/double", {numbers(5), tile(20, 5)}, two(0, kLargestSize - 19)},
      {"getrf_panel/double", {numbers(5), tile(kLargestSize, 5), tile(1, 5)}, two(0, 0)},
      {"getrf_panel/double", {numbers(5)}, two(0, 0)},
      {"getrf_panel/double", {}, two(0, 0)},
      {"getrf_panel/double", {tile(20, 5)}, two(0, 0)},
      {"getrf_panel/double", {tile(20, 5), numbers(5)}, two(0, 0)},
      {"getrf_panel/double", {numbers(5), numbers(5), tile(20, 5)}, two(0, 0)},
      {"getrf_panel/double", {numbers(5), tile(20, 5), numbers(5)}, two(0, 0)},
      {"swap_and_solve/double", {tile(9, 5), numbers(5), tile(20, 3)}, two(5, 12)},
      {"swap_and_solve/double", {tile(9, 5), numbers(5), tile(20, 3)}, two(2, 1)},
      {"swap_and_solve/double", {tile(9, 5), numbers(5), tile(8, 3), tile(12, 3)}, two(2, 14)},
      {"swap_and_solve/double", {tile(9, 5), numbers(21), tile(20, 3)}, two(2, 2)},
      {"swap_and_solve/double", {tile(9, 5), numbers(5), tile(20, 3), tile(9, 2)}, two(0, 0)},
      {"swap_and_solve/double", {tile(9, 5), numbers(5), tile(20, 3)}, two(2, kHuge)},
      {"swap_and_solve/double", {tile(9, 5), tile(20, 3)}, two(2, 11)},
      {"swap_rows/double", {numbers(8), tile(4, 3), tile(3, 3)}, two(0, 0)},
      {"swap_rows/double", {numbers(8), numbers(4), tile(20, 3)}, two(9, 9)},
      {"swap_rows/double", {numbers(8), tile(20, 3)}, two(-1, 0)},
      {"swap_rows/double", {numbers(8), tile(20, 3)}, two(1, 0)},
      {"swap_rows/double", {tile(20, 3)}, two(0, 0)},
      {"swap_rows/double", {numbers(8)}, two(0, 0)},
      {"getrf_incpiv/double", {tile(9, 5), tile(4, 5), numbers(5)}, two(0, 0)},
      {"getrf_incpiv/double", {tile(9, 5), tile(10, 5), numbers(5)}, two(0, 0)},
      {"getrf_incpiv/double", {tile(9, 5), tile(8, 4), numbers(5)}, two(0, 0)},
      {"getrf_incpiv/double", {tile(9, 5), tile(8, 5), numbers(6)}, two(0, 0)},
      {"getrf_incpiv/double", {tile(9, 5), tile(8, 5), numbers(5)}, two(-1, 0)},
      {"getrf_incpiv/double", {tile(9, 5), tile(8, 5), numbers(5)}, two(0, 2)},
      {"gessm/double", {tile(4, 5), numbers(5), tile(9, 3)}},
      {"gessm/double", {tile(8, 5), numbers(4), tile(9, 3)}},
      {"gessm_back/double", {tile(8, 5), numbers(5), tile(7, 3)}},
      {"tstrf/double", {tile(7, 6), tile(9, 5), tile(2, 5), numbers(5)}, three(3, 0, 0)},
      {"tstrf/double", {tile(7, 6), tile(9, 5), tile(2, 5), numbers(5)}, three(0, -1, 0)},
      {"tstrf/double", {tile(7, 6), tile(9, 5), tile(2, 5), numbers(5)}, three(0, 0, 2)},
      {"tstrf/double", {tile(7, 6), tile(9, 5), tile(2, 5), numbers(5)}, three(0, 0, -1)},
      {"tstrf/double", {tile(7, 4), tile(9, 5), tile(2, 5), numbers(5)}, three(0, 0, 0)},
      {"tstrf/double", {tile(4, 6), tile(9, 5), tile(2, 5), numbers(5)}, three(0, 0, 0)},
      {"tstrf/double", {tile(7, 6), tile(9, 5), tile(0, 5), numbers(5)}, three(0, 0, 0)},
      {"tstrf/double", {tile(7, 6), tile(9, 5), tile(6, 5), numbers(5)}, three(0, 0, 0)},
      {"tstrf/double", {tile(7, 6), tile(9, 5), tile(2, 4), numbers(5)}, three(0, 0, 0)},
      {"tstrf/double", {tile(7, 6), tile(9, 5), tile(2, 5), numbers(4)}, three(0, 0, 0)},
      {"tstrf/double", {tile(7, 6), tile(kLargestSize - 4, 5), tile(2, 5), numbers(5)}, three(0, 0, 0)},
      {"ssssm/double", {tile(9, 5), tile(2, 5), numbers(5), tile(6, 3), tile(9, 3)}, offset(2)},
      {"ssssm/double", {tile(9, 5), tile(2, 5), numbers(5), tile(4, 3), tile(9, 3)}, offset(0)},
      {"ssssm/double", {tile(9, 5), tile(2, 5), numbers(5), tile(6, 3), tile(8, 3)}, offset(0)},
      {"ssssm/double", {tile(9, 5), tile(2, 5), numbers(5), tile(6, 2), tile(9, 3)}, offset(0)},
      {"ssssm/double", {tile(9, 5), tile(2, 4), numbers(5), tile(6, 3), tile(9, 3)}, offset(0)},
      {"ssssm/double", {tile(9, 5), tile(2, 5), numbers(6), tile(6, 3), tile(9, 3)}, offset(0)},
      {"ssssm_back/double", {tile(9, 5), tile(0, 5), numbers(5), tile(6, 3), tile(9, 3)}, offset(0)},
      {"geqrt/double", {tile(4, 5), tile(2, 5), tile(4, 5)}},
      {"geqrt/double", {tile(9, 5), tile(0, 5), tile(9, 5)}},
      {"geqrt/double", {tile(9, 5), tile(6, 5), tile(9, 5)}},
      {"geqrt/double", {tile(9, 5), tile(2, 4), tile(9, 5)}},
      {"geqrt/double", {tile(9, 5), tile(2, 5), tile(10, 5)}},
      {"geqrt/double", {tile(9, 5), tile(2, 5), tile(4, 5)}},
      {"geqrt/double", {tile(9, 5), tile(2, 5), tile(9, 4)}},
      {"gemqrt/double", {tile(9, 5), tile(2, 5), tile(8, 3)}},
      {"gemqrt/double", {tile(9, 5), tile(0, 5), tile(9, 3)}},
      {"gemqrt/double", {tile(9, 5), tile(6, 5), tile(9, 3)}},
      {"gemqrt/double", {tile(4, 5), tile(2, 5), tile(4, 3)}},
      {"gemqrt_transposed/double", {tile(9, 5), tile(2, 4), tile(9, 3)}},
      {"tpqrt/double", {tile(4, 5), tile(9, 5), tile(2, 5)}, offset(0)},
      {"tpqrt/double", {tile(7, 5), tile(9, 5), tile(2, 5)}, offset(3)},
      {"tpmqrt/double", {tile(9, 5), tile(2, 5), tile(6, 3), tile(9, 3)}, offset(2)},
      {"tpqrt/double", {tile(5, 4), tile(9, 5), tile(2, 5)}, offset(0)},
      {"tpqrt/double", {tile(5, 5), tile(9, 5), tile(0, 5)}, offset(0)},
      {"tpqrt/double", {tile(5, 5), tile(9, 5), tile(6, 5)}, offset(0)},
      {"tpqrt/double", {tile(5, 5), tile(9, 5), tile(2, 4)}, offset(0)},
      {"tpmqrt/double", {tile(8, 5), tile(2, 5), tile(6, 3), tile(9, 3)}, offset(0)},
      {"tpmqrt/double", {tile(9, 5), tile(2, 5), tile(4, 3), tile(9, 3)}, offset(0)},
      {"tpmqrt/double", {tile(9, 5), tile(2, 5), tile(6, 2), tile(9, 3)}, offset(0)},
      {"tpmqrt/double", {tile(9, 5), tile(2, 4), tile(6, 3), tile(9, 3)}, offset(0)},
      {"tpmqrt_transposed/double", {tile(9, 5), tile(0, 5), tile(5, 3), tile(9, 3)}, offset(0)},
      {"fill_symmetric/double", {tile(9, 5)}, args(kHuge, std::int64_t{9}, std::uint64_t{1}, 3.0)},
      {"fill_symmetric/double", {tile(9, 5)}, args(std::int64_t{9}, std::int64_t{-1}, std::uint64_t{1}, 3.0)},
      {"copy/double", {tile(9, 5), tile(5, 9)}},
      {"copy/double", {tile(9, 5), tile(9, 4)}},
      {"axpy/double", {tile(9, 5), tile(8, 5)}, args(2.0)},
      {"dot/double", {tile(9, 5), tile(9, 6), tile(1, 1)}},
      {"dot/double", {tile(9, 5), tile(9, 5), tile(2, 1)}},
      {"sleep", {}, offset(kLongestSleep_ns + 1)},
      {"sleep", {}, offset(-1)},
  };
}

std::string described(const Case& one) {
  const auto outcome = find_in_catalogue(one.name)->check(one.data, one.arguments);
  return one.name + ": " + (outcome ? "accepted" : outcome.failure().message);
}

BOOST_AUTO_TEST_CASE(names_are_unique_and_lead_to_their_codelets) {
  std::set<std::string> names;
  for (const CatalogueEntry& entry : kernels::catalogue()) {
    BOOST_TEST(names.insert(entry.name).second, entry.name);
    BOOST_TEST(find_in_catalogue(entry.name) == &entry);
    BOOST_TEST(entry.codelet.definition().known_name() == entry.name);
    const CodeletDefinition& definition = entry.codelet.definition();
    BOOST_TEST((definition.typed || !definition.groups.empty()), entry.name);
    BOOST_TEST(!entry.description.empty());
  }
  BOOST_TEST(find_in_catalogue("gemm") == nullptr);
  BOOST_TEST(find_in_catalogue("") == nullptr);
  BOOST_TEST(find_in_catalogue("zzz") == nullptr);
}

BOOST_AUTO_TEST_CASE(data_and_arguments_have_names_modes_and_types) {
  for (const CatalogueEntry& entry : catalogue()) {
    BOOST_TEST_CONTEXT(entry.name) {
      const CodeletDefinition& codelet = entry.codelet.definition();
      BOOST_TEST(entry.data.size() == (codelet.variadic ? codelet.groups.size() : codelet.modes.size()));
      BOOST_TEST(entry.arguments.size() == codelet.argument_types.size());
      std::set<std::string> names;
      for (const CatalogueData& data : entry.data) {
        BOOST_TEST(!data.name.empty());
        BOOST_TEST(!data.element.empty());
        names.insert(data.name);
      }
      for (const CatalogueArgument& argument : entry.arguments) {
        BOOST_TEST(!argument.name.empty());
        BOOST_TEST(!argument.type.empty());
        // A name contains no separator, and no two names are equal.
        BOOST_TEST(argument.name.find_first_of(",;") == std::string::npos);
        names.insert(argument.name);
      }
      BOOST_TEST(names.size() == entry.data.size() + entry.arguments.size());
    }
  }
  const CatalogueEntry& swap = *find_in_catalogue("swap_and_solve/float");
  BOOST_REQUIRE(swap.data.size() == 3U);
  BOOST_TEST(swap.data[1].name == "P");
  BOOST_TEST(swap.data[1].element == "int32");
  BOOST_TEST(!swap.data[1].repeated);
  BOOST_TEST(swap.data[2].name == "C");
  BOOST_TEST((swap.data[2].mode == AccessMode::read_write && swap.data[2].repeated));
  BOOST_TEST(swap.data[2].element == "float");
  BOOST_TEST(swap.arguments.back().name == "first");
  BOOST_TEST(swap.arguments.back().type == "int64");
}

BOOST_AUTO_TEST_CASE(what_programs_submit_is_what_the_catalogue_has) {
  BOOST_TEST(codelets<float>().gemm_nn.definition().known_name() == "gemm_nn/float");
  BOOST_TEST(codelets<double>().gemm_nn.name() == "gemm");
  BOOST_TEST(&find_in_catalogue("gemm_nn/float")->codelet.definition() == &codelets<float>().gemm_nn.definition());
  BOOST_TEST(&find_in_catalogue("dot/double")->codelet.definition() == &element_codelets<double>().dot.definition());
}

BOOST_AUTO_TEST_CASE(every_tile_kernel_has_its_row) {
  for (const TileKernel<double>& kernel : tile_kernels<double>()) {
    BOOST_TEST_CONTEXT(kernel.name) {
      BOOST_TEST((kernel.make != nullptr && kernel.conditions != nullptr));
      BOOST_TEST(tile_kernel(kernel.codelet).name == kernel.name);
      const Codelet& codelet = codelets<double>().*kernel.codelet;
      BOOST_TEST(codelet.definition().known_name() == precise_name<double>(kernel.name));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_codelet_takes_a_right_case) {
  std::set<std::string> seen;
  for (const Case& one : right_cases()) {
    BOOST_TEST(accepts(one), described(one));
    seen.insert(one.name);
  }
  for (const CatalogueEntry& entry : kernels::catalogue()) {
    if (!entry.name.ends_with("/float")) BOOST_TEST(seen.contains(entry.name), entry.name);
  }
}

BOOST_AUTO_TEST_CASE(every_wrong_case_is_refused_and_the_message_names_the_codelet) {
  for (const Case& one : wrong_cases()) {
    BOOST_TEST(!accepts(one), described(one));
    if (accepts(one)) continue;
    const auto outcome = find_in_catalogue(one.name)->check(one.data, one.arguments);
    BOOST_TEST((outcome.failure().code == ErrorCode::invalid_argument));
    BOOST_TEST(outcome.failure().message.find("'" + one.name + "'") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(layouts_that_no_kernel_may_see_are_refused_by_all) {
  for (const Case& right : right_cases()) {
    for (std::size_t i = 0; i < right.data.size(); ++i) {
      const auto refuses = [&](const char* what, auto change) {
        Case wrong = right;
        change(wrong.data[i]);
        BOOST_TEST(!accepts(wrong), right.name << ", handle " << i << ": " << what);
      };
      refuses("elements of one byte", [](Layout& l) { l.element_size = 1; });
      refuses("elements of no byte", [](Layout& l) { l.element_size = 0; });
      refuses("elements of another type", [](Layout& l) { l.element_tag = type_tag<char>(); });
      refuses("columns that overlap", [](Layout& l) { l.ld = l.rows - 1; });
      refuses("negative rows", [](Layout& l) { l.rows = -1; });
      refuses("negative columns", [](Layout& l) { l.cols = -1; });
      refuses("too many rows", [](Layout& l) { l.rows = l.ld = kLargestSize + 1; });
      refuses("too many columns", [](Layout& l) { l.cols = kLargestSize + 1; });
      refuses("columns too far apart", [](Layout& l) { l.ld = kLargestSize + 1; });
      refuses("sizes that wrap around", [](Layout& l) { l.rows = l.cols = l.ld = kHuge; });
    }
    Case more = right;
    more.data.push_back(tile(1, 1));
    BOOST_TEST(!accepts(more), right.name << ": one handle more");
    if (!right.data.empty()) {
      Case fewer = right;
      fewer.data.pop_back();
      BOOST_TEST(!accepts(fewer), right.name << ": one handle fewer");
    }
  }
}

BOOST_AUTO_TEST_CASE(arguments_of_another_number_or_type_are_refused_by_all) {
  for (const Case& right : right_cases()) {
    Case more = right;
    more.arguments.append(char{1});
    BOOST_TEST(!accepts(more), right.name << ": one argument more");
    if (right.arguments.size() == 0) continue;
    Case none = right;
    none.arguments = {};
    BOOST_TEST(!accepts(none), right.name << ": no arguments");
    Case other = right;
    other.arguments = {};
    for (std::size_t i = 0; i < right.arguments.size(); ++i) other.arguments.append(std::int32_t{0});
    BOOST_TEST(!accepts(other), right.name << ": arguments of another type");
  }
}

BOOST_AUTO_TEST_CASE(vectors_with_gaps_are_refused) {
  Layout gaps = layout_of<int>(2, 4, 3);
  BOOST_TEST(!accepts({"swap_rows/double", {gaps, tile(20, 3)}, two(0, 0)}));
  gaps = layout_of<int>(2, 4, 2);
  BOOST_TEST(accepts({"swap_rows/double", {gaps, tile(20, 3)}, two(0, 0)}));
}

BOOST_AUTO_TEST_CASE(empty_data_are_accepted) {
  BOOST_TEST(accepts({"potrf/double", {tile(0, 0)}, two(0, 0)}));
  BOOST_TEST(accepts({"gemm_nt/double", {tile(0, 0), tile(0, 0), tile(0, 0)}, offset(0)}));
  BOOST_TEST(accepts({"geqrt/double", {tile(3, 0), tile(0, 0), tile(3, 0)}}));
  BOOST_TEST(accepts({"swap_rows/double", {numbers(0), tile(0, 0)}, two(0, 0)}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
