#include "apps/simulate/derived_kernels.hpp"

#include <boost/test/unit_test.hpp>
#include <utility>
#include <vector>

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(derived_kernels)

namespace {

constexpr std::pair<const char*, const char*> kPlaces[]{
    {"getrf_incpiv", "geqrt"}, {"gessm", "unmqr"}, {"tstrf", "tsqrt"}, {"ssssm", "tsmqr"}};

BOOST_AUTO_TEST_CASE(take_half_the_time_of_those_of_qr) {
  auto machine = platform::load_machine("idgraf-double").value_or_throw();
  const auto derived = derive_incremental_lu(machine);
  BOOST_TEST_REQUIRE(derived.size() == 4U);
  for (std::size_t i = 0; i < derived.size(); ++i) {
    BOOST_TEST((derived[i].kernel == kPlaces[i].first && derived[i].from == kPlaces[i].second));
    const auto* const lu = machine.find_kernel("lu", kPlaces[i].first, "double");
    const auto* const qr = machine.find_kernel("qr", kPlaces[i].second, "double");
    BOOST_TEST_REQUIRE(lu != nullptr);
    BOOST_TEST(lu->cpu(512).mean_us == qr->cpu(512).mean_us / 2);
    BOOST_TEST(lu->gpu(7, 960).mean_us == qr->gpu(7, 960).mean_us / 2);
    // The derived kernel has half as many operations for each tile size, so its times still belong to the same tile
    // sizes.
    BOOST_TEST(lu->flops_per_cube() == qr->flops_per_cube() / 2);
  }
  BOOST_TEST(text_of(derived) ==
             "getrf_incpiv, gessm, tstrf, ssssm: half the times of geqrt, unmqr, tsqrt, tsmqr (QR), which do twice the "
             "operations");
}

BOOST_AUTO_TEST_CASE(leave_what_is_described_alone) {
  auto machine = platform::load_machine("idgraf-double").value_or_throw();
  machine.kernels.emplace_back(
      "lu", "tstrf", "double",
      std::vector{platform::TileTimes{512, 512.0 * 512 * 512, platform::KernelTime{123, 0}, {}}}, machine.gpus.size());
  const auto derived = derive_incremental_lu(machine);
  BOOST_TEST(derived.size() == 3U);
  BOOST_TEST(machine.find_kernel("lu", "tstrf", "double")->cpu(512).mean_us == 123);
  BOOST_TEST(derive_incremental_lu(machine).empty());
}

BOOST_AUTO_TEST_CASE(need_those_of_qr) {
  auto machine = platform::load_machine("idgraf").value_or_throw();
  BOOST_TEST(derive_incremental_lu(machine).empty());
  BOOST_TEST(text_of({}).empty());
  BOOST_TEST(machine.find_kernel("lu", "tstrf", "double") == nullptr);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
