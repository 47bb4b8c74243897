#include "service/codelets/kernel_limit.hpp"

#include <boost/test/unit_test.hpp>

#include "service/codelets/codelet_library.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(kernel_limit)

namespace {

using namespace std::chrono_literals;
using tests::contains;

struct Fixture {
  /// Three tiles of n x n, as a matrix product takes them.
  std::string gemm(std::int64_t n, double seen = 0) const {
    const KernelLimit limit(2s, [seen](const std::string& codelet) { return codelet == "gemm" ? seen : 0; });
    const std::vector<Layout> tiles(3, layout_of<double>(n, n, n));
    const auto why = limit.why_too_long(*library.find("gemm_nt/double"), tiles, args(std::int64_t{0}));
    return why ? why->message : "";
  }
  CodeletLibrary library;
};

BOOST_FIXTURE_TEST_CASE(a_kernel_that_no_core_runs_in_time_is_refused, Fixture) {
  BOOST_TEST(gemm(2000) == "");
  BOOST_TEST(gemm(5000) == "");
  const std::string why = gemm(10'000);
  BOOST_TEST(contains(why, "gemm_nt/double would run for 13.3 s or more on a core"), why);
  BOOST_TEST(contains(why, "lets a kernel run for 2.0 s (limits.kernel_s): use smaller blocks of data"), why);
}

BOOST_FIXTURE_TEST_CASE(what_was_seen_here_counts, Fixture) {
  // 20 GFlop/s at best: even at twice that, 5000 take 6 s.
  BOOST_TEST(contains(gemm(5000, 2e10), "6.2 s or more"));
  BOOST_TEST(gemm(2000, 2e10) == "");
  // A speed that cannot be is not believed.
  BOOST_TEST(gemm(10'000, 1e15) != "");
}

BOOST_FIXTURE_TEST_CASE(a_kernel_that_says_how_long_it_takes_is_believed, Fixture) {
  const KernelLimit limit(2s, nullptr);
  const ServiceCodelet& sleep = *library.find("sleep");
  BOOST_TEST(!limit.why_too_long(sleep, {}, args(std::int64_t{2'000'000'000})).has_value());
  BOOST_TEST(limit.why_too_long(sleep, {}, args(std::int64_t{2'000'000'001})).has_value());
  BOOST_TEST(!KernelLimit(0s, nullptr).why_too_long(sleep, {}, args(std::int64_t{9'000'000'000})).has_value());
  BOOST_TEST(!limit.why_too_long(*library.find("nothing"), {}, {}).has_value());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
