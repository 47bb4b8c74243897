#include "service/codelets/kernel_limit.hpp"

#include <boost/test/unit_test.hpp>

#include "graph/codelets/codelet_definition.hpp"
#include "service/codelets/codelet_library.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/devices.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(kernel_limit)

namespace {

using namespace std::chrono_literals;
using tests::contains;

/// A core with 25 GFlop/s. Counts how often the limit asks for the core's speed.
struct Fixture {
  [[nodiscard]] KernelLimit limit(double seen = 0, KindSet kinds = kOnCores) {
    return KernelLimit({.longest = 2s,
                        .seen = [seen](const std::string& codelet) { return codelet == "gemm" ? seen : 0; },
                        .core_speed =
                            [this] {
                              ++asked;
                              return 2.5e10;
                            },
                        .kinds = kinds});
  }
  /// Judges a matrix product of three n x n tiles.
  [[nodiscard]] KernelLimit::Verdict judge(const KernelLimit& limit, std::int64_t n,
                                           const DeviceSet& devices = {}) const {
    const std::vector<Layout> tiles(3, layout_of<double>(n, n, n));
    return limit.judge(*library.find("gemm_nt/double"), tiles, args(std::int64_t{0}), devices);
  }
  [[nodiscard]] std::string gemm(std::int64_t n, const KernelLimit& limit) const {
    return judge(limit, n).refused.value_or(Failure{}).message;
  }
  CodeletLibrary library;
  int asked = 0;
};

BOOST_FIXTURE_TEST_CASE(a_kernel_that_no_core_runs_in_time_is_refused, Fixture) {
  const KernelLimit unknown({.longest = 2s});
  BOOST_TEST(gemm(2000, unknown) == "");
  BOOST_TEST(gemm(5000, unknown) == "");
  const std::string why = gemm(10'000, unknown);
  BOOST_TEST(contains(why, "gemm_nt/double would run for 13.3 s or more on a core"), why);
  BOOST_TEST(contains(why, "lets a kernel run for 2.0 s (limits.kernel_s): use smaller blocks of data"), why);
}

BOOST_FIXTURE_TEST_CASE(the_speed_of_these_cores_counts_and_is_asked_for_where_it_matters, Fixture) {
  BOOST_TEST(gemm(300, limit()) == "");
  BOOST_TEST(gemm(20'000, limit()) != "");
  BOOST_TEST(asked == 0);
  BOOST_TEST(gemm(2000, limit()) == "");
  const std::string why = gemm(5000, limit());
  BOOST_TEST(contains(why, "would run for 6.7 s or more on a core"), why);
  BOOST_TEST(asked == 2);
}

BOOST_FIXTURE_TEST_CASE(what_was_seen_here_counts, Fixture) {
  // The best speed that was seen is 8 GFlop/s. Even at four times this speed, the product of order 5000 takes 7.8 s.
  BOOST_TEST(contains(gemm(5000, limit(8e9)), "7.8 s or more"));
  BOOST_TEST(gemm(2000, limit(8e9)) == "");
  // The limit ignores a speed that no core can have.
  BOOST_TEST(gemm(10'000, limit(1e15)) != "");
}

BOOST_FIXTURE_TEST_CASE(emulated_accelerators_are_no_faster_than_cores_and_others_are, Fixture) {
  BOOST_TEST(gemm(5000, limit(0, kOnCores | kind_set(DeviceKind::emulated))) != "");
  const KernelLimit beside_a_gpu = limit(0, kOnCores | kind_set(DeviceKind::cuda));
  BOOST_TEST(!judge(beside_a_gpu, 2000).refused.has_value());
  BOOST_TEST(!judge(beside_a_gpu, 2000).not_on_cores);
  // A GPU may run the task, but a core may not.
  BOOST_TEST_REQUIRE(library.find("gemm_nt/double")->codelet.definition().runs_on(DeviceKind::cuda));
  BOOST_TEST(!judge(beside_a_gpu, 5000).refused.has_value());
  BOOST_TEST(judge(beside_a_gpu, 5000).not_on_cores);
  BOOST_TEST(judge(beside_a_gpu, 5000, DeviceSet::cores()).refused.has_value());
  const auto why = judge(beside_a_gpu, 60'000).refused;
  BOOST_TEST_REQUIRE(why.has_value());
  BOOST_TEST(contains(why->message, "would run for 4.3 s or more on an accelerator"), why->message);
}

BOOST_AUTO_TEST_CASE(kernels_of_plugins_count_their_operations_on_few_elements_too) {
  Codelet search("search", {AccessMode::read_write});
  search.cpu([](double&) {});
  search.flops([](const KernelContext&) { return 1e13; });
  const std::vector<Layout> one{layout_of<double>(1, 1, 1)};
  const auto why = KernelLimit({.longest = 2s}).judge({search}, one, {}).refused;
  BOOST_TEST_REQUIRE(why.has_value());
  BOOST_TEST(contains(why->message, "search would run for 66.7 s or more"), why->message);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_says_how_long_it_takes_is_believed) {
  const CodeletLibrary library;
  const KernelLimit limit({.longest = 2s});
  const ServiceCodelet& sleep = *library.find("sleep");
  BOOST_TEST(!limit.judge(sleep, {}, args(std::int64_t{2'000'000'000})).refused.has_value());
  BOOST_TEST(limit.judge(sleep, {}, args(std::int64_t{2'000'000'001})).refused.has_value());
  BOOST_TEST(!KernelLimit({}).judge(sleep, {}, args(std::int64_t{9'000'000'000})).refused.has_value());
  BOOST_TEST(!limit.judge(*library.find("nothing"), {}, {}).refused.has_value());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
