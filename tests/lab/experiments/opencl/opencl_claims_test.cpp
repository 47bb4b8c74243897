// Tests verdicts on invented results, and values that are read from programs and traces.
#include "lab/experiments/opencl/opencl_claims.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(opencl_claims)

namespace {

using tests::contains;

OpenClPoint exactly(double seconds, double bytes = 1) {
  return {{seconds, seconds, seconds, 0, 1}, {bytes, bytes, bytes, 0, 1}};
}

Judgement virtual_verdict(const OpenClVirtualResults::Points& points, const std::string& name) {
  const auto& claims = opencl_virtual_claims();
  const auto found = std::ranges::find(claims, name, &Claim::name);
  BOOST_TEST_REQUIRE((found != claims.end()), name);
  return judge_opencl(OpenClVirtualResults(points), "homeward")[static_cast<std::size_t>(found - claims.begin())];
}

OpenClMeasured two_devices() {
  OpenClMeasured measured;
  measured.devices = {"one", "other"};
  measured.works = opencl_works({});
  return measured;
}

Judgement measured_verdict(const OpenClMeasured& measured, const std::string& name) {
  const auto& claims = opencl_measured_claims();
  const auto found = std::ranges::find(claims, name, &Claim::name);
  BOOST_TEST_REQUIRE((found != claims.end()), name);
  return judge_opencl(measured)[static_cast<std::size_t>(found - claims.begin())];
}

const OpenClPlace kHundred{OpenClProgram::black_scholes, 1'000'000, 100};
const OpenClPlace kLarge{OpenClProgram::black_scholes, 25'000'000, 40};
const OpenClPlace kAgain{OpenClProgram::reuse, 1'000'000, 25};
const OpenClPlace kImage{OpenClProgram::tone_mapping, 1'600'000, 12};

}  // namespace

BOOST_AUTO_TEST_CASE(nearly_double_is_over_the_better_of_gpus_and_processors) {
  OpenClVirtualResults::Points points{{{kHundred, opencl_lines::kRoundRobin}, exactly(3)},
                                      {{kHundred, opencl_lines::kProcessors}, exactly(2)},
                                      {{kHundred, "all, eager"}, exactly(2 / 1.86)},
                                      {{kHundred, "all, homeward"}, exactly(2 / 1.84)}};
  BOOST_TEST((virtual_verdict(points, "double").verdict() == Verdict::holds));
  BOOST_TEST((virtual_verdict(points, "double-aim").verdict() == Verdict::does_not_hold));
  BOOST_TEST(contains(virtual_verdict(points, "double").measured, "all the machine has: 1.67"));
  points[{kHundred, "all, homeward"}] = exactly(2 / 1.86);
  BOOST_TEST((virtual_verdict(points, "double-aim").verdict() == Verdict::holds));
  // This claim does not use results of larger blocks.
  points[{kLarge, "all, homeward"}] = exactly(100);
  BOOST_TEST((virtual_verdict(points, "double-aim").verdict() == Verdict::holds));
}

BOOST_AUTO_TEST_CASE(a_run_beyond_the_memories_that_is_missing_is_a_failure) {
  OpenClVirtualResults::Points points{{{kLarge, "all, heft"}, exactly(3)}, {{kHundred, "all, eager"}, exactly(3)}};
  const Judgement judgement = virtual_verdict(points, "beyond-memory");
  BOOST_TEST(judgement.checks == 2);
  BOOST_TEST(judgement.passed == 1);
  BOOST_TEST(contains(judgement.measured, "eager: failed"));
}

BOOST_AUTO_TEST_CASE(policies_that_do_not_look_at_data_have_to_be_clearly_slower) {
  OpenClVirtualResults::Points points{{{kAgain, "all, heft"}, exactly(1)},
                                      {{kAgain, "all, dada:alpha=0.5,cp"}, exactly(1)},
                                      {{kAgain, "all, eager"}, exactly(1.1)}};
  BOOST_TEST(virtual_verdict(points, "reuse-best").passed == 1);
  points[{kAgain, "all, eager"}] = exactly(1.3);
  BOOST_TEST((virtual_verdict(points, "reuse-best").verdict() == Verdict::holds));
  points[{kAgain, "all, dada:alpha=0.5,cp"}] = exactly(0.9);
  BOOST_TEST(virtual_verdict(points, "reuse-best").passed == 1);
}

BOOST_AUTO_TEST_CASE(inputs_move_once) {
  // There are 25 million options. Each needs 12 bytes of input and 8 bytes of output.
  const double least = 25e6 * 20;
  BOOST_TEST(kAgain.compulsory_bytes() == least);
  const auto verdict = [&](double bytes) {
    return virtual_verdict({{{kAgain, "all, heft"}, exactly(1, bytes)}}, "moved-once").verdict();
  };
  BOOST_TEST((verdict(1.04 * least) == Verdict::holds));
  BOOST_TEST((verdict(1.06 * least) == Verdict::does_not_hold));
}

BOOST_AUTO_TEST_CASE(frames_on_three_gpus_and_a_slow_device) {
  OpenClVirtualResults::Points points{{{kImage, "one GPU, heft"}, exactly(2.7)},
                                      {{kImage, "GPUs, heft"}, exactly(1)},
                                      {{kImage, "all, heft"}, exactly(1.02)}};
  BOOST_TEST((virtual_verdict(points, "three-gpus").verdict() == Verdict::holds));
  BOOST_TEST((virtual_verdict(points, "slow-device").verdict() == Verdict::holds));
  points[{kImage, "all, heft"}] = exactly(1.04);
  points[{kImage, "one GPU, heft"}] = exactly(2.5);
  BOOST_TEST((virtual_verdict(points, "three-gpus").verdict() == Verdict::does_not_hold));
  BOOST_TEST((virtual_verdict(points, "slow-device").verdict() == Verdict::does_not_hold));
  BOOST_TEST((virtual_verdict(points, "slow-device-aim").verdict() == Verdict::not_tested));
}

BOOST_AUTO_TEST_CASE(what_was_not_measured_is_not_judged) {
  OpenClMeasured measured;
  measured.why_not = "no OpenCL devices";
  for (const Judgement& judgement : judge_opencl(measured)) {
    BOOST_TEST((judgement.verdict() == Verdict::not_tested));
    BOOST_TEST(judgement.measured == "not measured: no OpenCL devices");
  }
  OpenClMeasured one = two_devices();
  one.devices.pop_back();
  for (const OpenClWork& work : one.works) {
    for (const char* way : {opencl_ways::kDirect, opencl_ways::kOne, opencl_ways::kAll}) {
      one.points[{work.name, way}].seconds.median = 1;
    }
  }
  BOOST_TEST((measured_verdict(one, "measured-double").verdict() == Verdict::not_tested));
  BOOST_TEST((measured_verdict(one, "measured-overhead").verdict() == Verdict::holds));
}

BOOST_AUTO_TEST_CASE(several_devices_are_compared_with_the_drivers_one) {
  OpenClMeasured measured = two_devices();
  for (const OpenClWork& work : measured.works) {
    measured.points[{work.name, opencl_ways::kDirect}].seconds.median = 1;
    measured.points[{work.name, opencl_ways::kOne}].seconds.median = 1.1;
    measured.points[{work.name, opencl_ways::kAll}].seconds.median = 1 / 1.8;
  }
  BOOST_TEST(measured_verdict(measured, "measured-double").passed == 0);
  BOOST_TEST(measured_verdict(measured, "measured-double").checks == 3);
  // The claim needs a speed-up of 2.6 with three devices, which corresponds to 1.73 with two devices. Here the speed-up
  // with two devices is 1.8.
  BOOST_TEST((measured_verdict(measured, "measured-frames").verdict() == Verdict::holds));
  BOOST_TEST((measured_verdict(measured, "measured-range").verdict() == Verdict::holds));
  BOOST_TEST((measured_verdict(measured, "measured-overhead").verdict() == Verdict::does_not_hold));
  for (auto& [key, point] : measured.points) {
    if (key.second == opencl_ways::kAll) point.seconds.median = 1 / 1.9;
  }
  BOOST_TEST((measured_verdict(measured, "measured-double").verdict() == Verdict::holds));
}

BOOST_AUTO_TEST_CASE(bytes_that_were_copied_are_compared_with_those_that_have_to_be) {
  OpenClMeasured measured = two_devices();
  const auto work = std::ranges::find(measured.works, OpenClWorkSort::reuse, &OpenClWork::sort);
  BOOST_TEST_REQUIRE((work != measured.works.end()));
  // The work is 0.02 of 25 million options, with 20 bytes for each option.
  BOOST_TEST(work->compulsory_bytes.value() == 500000.0 * 20);
  measured.points[{work->name, opencl_ways::kAll}].bytes = 1.5 * *work->compulsory_bytes;
  measured.points[{work->name, opencl_ways::kOne}].bytes = *work->compulsory_bytes;
  const Judgement judgement = measured_verdict(measured, "measured-once");
  BOOST_TEST(judgement.checks == 2);
  BOOST_TEST(judgement.passed == 1);
}

BOOST_AUTO_TEST_CASE(only_correct_results_have_a_time) {
  BOOST_TEST(time_of_output("device: x\ntime: 0.125000 s\ncorrect\n").value() == 0.125);
  BOOST_TEST(!time_of_output("device: x\ntime: 0.125000 s\nwrong\n"));
  BOOST_TEST(!time_of_output("device: x\ntime: fast s\ncorrect\n"));
  BOOST_TEST(!time_of_output("device: x\ntime: 1\ncorrect\n"));
  BOOST_TEST(!time_of_output("device: x\ncorrect\n"));
  BOOST_TEST(!time_of_output(""));
}

BOOST_AUTO_TEST_CASE(copies_of_a_trace_are_added_up) {
  BOOST_TEST(copied_bytes(R"({"traceEvents":[{"ph":"X","cat":"copy","args":{"bytes":100}},{"ph":"M"},
                              {"ph":"X","cat":"task","args":{"bytes":5}},{"cat":"copy","args":{"bytes":11}}]})") ==
             111);
  BOOST_CHECK_THROW((void)copied_bytes("{"), Error);
  BOOST_CHECK_THROW((void)copied_bytes("[]"), Error);
}

BOOST_AUTO_TEST_CASE(sizes_follow_the_scale) {
  const auto works = opencl_works({.scale = 1});
  BOOST_TEST(works.front().name == "100 blocks of 1000000 options");
  const auto frames = std::ranges::find(works, OpenClWorkSort::frames, &OpenClWork::sort);
  BOOST_TEST(frames->name == "20 frames of 1600 x 12000");
  BOOST_TEST(opencl_works({.scale = 0.0001}).front().name == "100 blocks of 100 options");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
