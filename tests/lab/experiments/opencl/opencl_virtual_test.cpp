// Compares runs on the paper's machines with times that are calculated by hand.
#include "lab/experiments/opencl/opencl_virtual.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(opencl_virtual)

namespace {

/// Returns options for one run with few points.
OpenClOptions few() {
  OpenClOptions options;
  options.blocks = {{1'000'000, {99}}, {25'000'000, {40}}};
  options.reuse_blocks = {25};
  options.bands = {12};
  options.policies = {"heft", "eager"};
  options.repeat = 1;
  return options;
}

const OpenClPlace kBlocks{OpenClProgram::black_scholes, 1'000'000, 99};

}  // namespace

BOOST_AUTO_TEST_CASE(times_are_those_of_links_and_kernels) {
  const auto results = OpenClVirtualResults::measure(few(), {}, {.enabled = false, .label = ""});
  const auto seconds = [&](const OpenClPlace& place, const std::string& line) {
    const OpenClPoint* point = results.point(place, line);
    BOOST_TEST_REQUIRE(point != nullptr, line);
    return point->seconds.median;
  };
  // Each GPU has 33 blocks. Its link moves 20 bytes for each option, at 3 GB/s. Kernels and copies overlap, so the
  // copies determine the time.
  const double gpus = 33e6 * 20 / 3e9;
  BOOST_TEST(seconds(kBlocks, opencl_lines::kRoundRobin) > gpus);
  BOOST_TEST(seconds(kBlocks, opencl_lines::kRoundRobin) < 1.02 * gpus);
  // The assumptions say that the processors are as fast as three GPUs. Noise and launches take little time.
  BOOST_TEST(std::abs(seconds(kBlocks, opencl_lines::kProcessors) / gpus - 1) < 0.03);
  // No policy can be faster than processors and GPUs together.
  for (const char* policy : {"heft", "eager"})
    BOOST_TEST(seconds(kBlocks, opencl_lines::line("all", policy)) > gpus / 2);
  // A frame's result has 4 bytes for each pixel, and the kernel takes as long as the copy of the result.
  const OpenClPlace image{OpenClProgram::tone_mapping, 1'600'000, 12};
  const double frames = 20 * 19.2e6 * 4 / 3e9;
  const double input = 19.2e6 * 16 / 3e9;
  BOOST_TEST(seconds(image, opencl_lines::line(opencl_lines::kOneGpu, "heft")) > frames + 0.9 * input);
  BOOST_TEST(seconds(image, opencl_lines::line(opencl_lines::kOneGpu, "heft")) < 1.1 * (frames + input));
  BOOST_TEST(results.failures().empty());
}

BOOST_AUTO_TEST_CASE(bytes_are_at_least_those_that_have_to_be_copied) {
  const auto results = OpenClVirtualResults::measure(few(), {}, {.enabled = false, .label = ""});
  BOOST_TEST(results.points().size() == 3U * 4U + 1U + 2U * 3U);
  for (const auto& [key, point] : results.points()) {
    BOOST_TEST_CONTEXT(key.first.name() << ", " << key.second) {
      BOOST_TEST(point.bytes.median >= key.first.compulsory_bytes());
      BOOST_TEST(point.seconds.median > 0);
    }
  }
  // Each block is used once, so it is copied once, whichever device computes it.
  BOOST_TEST(results.point(kBlocks, "all, heft")->bytes.median == 99e6 * 20);
}

BOOST_AUTO_TEST_CASE(assumptions_matter_where_they_should) {
  const auto seconds = [](const OpenClAssumptions& assumptions, const OpenClPlace& place, const std::string& line) {
    OpenClOptions options = few();
    options.policies = {"heft"};
    options.blocks = {{1'000'000, {99}}};
    return OpenClVirtualResults::measure(options, assumptions, {.enabled = false, .label = ""})
        .point(place, line)
        ->seconds.median;
  };
  const OpenClPlace image{OpenClProgram::tone_mapping, 1'600'000, 12};
  const double processors = seconds({}, kBlocks, opencl_lines::kProcessors);
  BOOST_TEST(std::abs(seconds({.processors = 0.5}, kBlocks, opencl_lines::kProcessors) / processors - 2) < 0.1);
  const double gpus = seconds({}, kBlocks, opencl_lines::kRoundRobin);
  BOOST_TEST(std::abs(seconds({.links = 2}, kBlocks, opencl_lines::kRoundRobin) / gpus - 1.5) < 0.05);
  BOOST_TEST(seconds({.tone_mapping = 4}, image, "GPUs, heft") > 3 * seconds({}, image, "GPUs, heft"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
