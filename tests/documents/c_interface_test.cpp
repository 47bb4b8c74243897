// Compiles and runs the code of docs/c-interface.md, as C++.
#include <troupe/troupe.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <filesystem>

#include "tests/support/temporary_folder.hpp"

namespace troupe::documents {

BOOST_AUTO_TEST_SUITE(fragments_of_c_interface)

namespace {

/// Returns an empty text, or the error message of the call that failed.
const char* solve(troupe_runtime* runtime, double* a, double* b) {
  const int n = 2, lda = 2, ldb = 2;
#include <document_blocks/c-interface/c-factorize.inc>
  return "";
failed:
  return troupe_error_message();
}

const char* look(troupe_runtime* runtime) {
#include <document_blocks/c-interface/c-look.inc>
  return "";
failed:
  return troupe_error_message();
}

BOOST_AUTO_TEST_CASE(a_matrix_of_the_program_is_factorized_and_the_run_looked_at) {
  const tests::TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  troupe_options options{};
  options.size = sizeof options;
  options.cores = 1;
  options.trace = 1;
  troupe_runtime* runtime = nullptr;
  BOOST_REQUIRE(troupe_start_with(&options, &runtime) == TROUPE_OK);
  double a[] = {4, 2, 2, 5}, b[] = {8, 8};
  BOOST_TEST(solve(runtime, a, b) == "");
  BOOST_TEST(b[0] == 1.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(b[1] == 1.0, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(look(runtime) == "");
  BOOST_TEST(std::filesystem::exists("t.json"));
  troupe_runtime_free(runtime);
  std::filesystem::current_path(before);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::documents
