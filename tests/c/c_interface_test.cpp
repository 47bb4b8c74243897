// Tests the C interface with a program in C (program.c).
#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>

#include "tests/c/program.h"

namespace troupe::tests {

namespace c_interface {

struct Fixture {
  Fixture() { BOOST_REQUIRE_MESSAGE(troupe_start(1, nullptr, &runtime) == TROUPE_OK, troupe_error_message()); }
  ~Fixture() { troupe_runtime_free(runtime); }

  void passes(const char* wrong) { BOOST_TEST(wrong == nullptr, (wrong != nullptr ? wrong : "")); }

  troupe_runtime* runtime = nullptr;
};

}  // namespace c_interface

BOOST_FIXTURE_TEST_SUITE(c_interface, Fixture)

BOOST_AUTO_TEST_CASE(built_in_kernels_are_found_by_name_and_run) { passes(built_in_kernels(runtime)); }
BOOST_AUTO_TEST_CASE(kernels_in_c_get_their_data_and_arguments) { passes(own_kernels(runtime)); }
BOOST_AUTO_TEST_CASE(arrays_with_three_dimensions_are_divided_into_boxes) { passes(volumes(runtime)); }
BOOST_AUTO_TEST_CASE(failures_have_codes_and_texts) { passes(failures(runtime)); }
BOOST_AUTO_TEST_CASE(graphs_are_recorded_and_run) { passes(recordings(runtime)); }

BOOST_AUTO_TEST_CASE(every_element_type_can_be_used) { passes(all_types(runtime)); }
BOOST_AUTO_TEST_CASE(matrices_are_factorized_and_systems_solved) { passes(factorizations(runtime)); }

BOOST_AUTO_TEST_CASE(programs_have_types_and_reductions_of_their_own) {
  int ends = 0;
  passes(own_reductions(runtime, &ends));
  troupe_runtime_free(runtime);
  runtime = nullptr;
  BOOST_TEST(ends == 1);
}

BOOST_AUTO_TEST_CASE(a_service_that_is_not_there_is_an_error_with_a_hint) {
  troupe_runtime* remote = nullptr;
  const troupe_error outcome = troupe_connect("/nonexistent/folder", nullptr, &remote);
  BOOST_TEST(remote == nullptr);
  // The function also exists in a build without the service.
  const bool without = outcome == TROUPE_NO_IMPLEMENTATION;
  BOOST_TEST((without || outcome == TROUPE_IO));
  const char* const hint = without ? "TROUPE_SERVICE" : "troupe serve";
  BOOST_TEST(std::string(troupe_error_message()).find(hint) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(each_thread_has_its_own_message) {
  BOOST_TEST(troupe_wait(nullptr) == TROUPE_INVALID_ARGUMENT);
  const std::string mine = troupe_error_message();
  std::thread([] { troupe_start(-5, nullptr, nullptr); }).join();
  BOOST_TEST(troupe_error_message() == mine);
}

BOOST_AUTO_TEST_CASE(numbers_that_mean_nothing_are_refused) {
  troupe_data* data = nullptr;
  BOOST_TEST(troupe_allocate(runtime, static_cast<troupe_type>(5000), 1, 1, nullptr, &data) == TROUPE_INVALID_ARGUMENT);
  BOOST_TEST(troupe_allocate(runtime, TROUPE_DOUBLE, -1, 1, nullptr, &data) == TROUPE_INVALID_ARGUMENT);
  BOOST_TEST(data == nullptr);
  const troupe_mode declared = TROUPE_DECLARED;
  troupe_codelet* codelet = nullptr;
  BOOST_TEST(troupe_codelet_declare("x", &declared, 1, nullptr, 0, &codelet) == TROUPE_INVALID_ARGUMENT);
  BOOST_TEST(troupe_future_wait({}) == TROUPE_INVALID_ARGUMENT);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
