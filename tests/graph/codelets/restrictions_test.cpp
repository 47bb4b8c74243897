#include "graph/codelets/restrictions.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

namespace troupe {

BOOST_AUTO_TEST_SUITE(restrictions)

namespace {

BOOST_AUTO_TEST_CASE(codelets_and_devices_are_read) {
  const auto read = parse_restrictions("potrf,trsm:cores;gemm:gpus");
  BOOST_TEST_REQUIRE(read.ok());
  const Restrictions expected{
      {"potrf", DeviceSet::cores()}, {"trsm", DeviceSet::cores()}, {"gemm", DeviceSet::accelerators()}};
  BOOST_TEST((read.value() == expected));
  BOOST_TEST(parse_restrictions("").value().empty());
}

BOOST_AUTO_TEST_CASE(workers_and_models_are_read) {
  const auto read = parse_restrictions("gemm:h200;syrk:#3|GPU 1;trsm:cores|#0");
  BOOST_TEST_REQUIRE(read.ok());
  const auto worker = [](std::uint32_t number) { return DeviceSet::worker(WorkerId(number)); };
  const Restrictions expected{{"gemm", DeviceSet::named("h200")},
                              {"syrk", worker(3) | DeviceSet::named("GPU 1")},
                              {"trsm", DeviceSet::cores() | worker(0)}};
  BOOST_TEST((read.value() == expected));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said) {
  const auto refusal = [](std::string_view text) { return parse_restrictions(text).failure().message; };
  const std::string order =
      "names of codelets come first and then cores, gpus, a model or a worker (#3), as in potrf,trsm:cores";
  BOOST_TEST(refusal("potrf") == "restriction 'potrf': " + order);
  for (const std::string part : {"potrf:", "potrf:#", "potrf:#x", "potrf:#-1", "potrf:#1x", "potrf:#99999999999",
                                 "potrf:cores|", "potrf:|cores", "potrf:cores||gpus"}) {
    BOOST_TEST(refusal(part) == "restriction '" + part + "': " + order);
  }
  BOOST_TEST(refusal("potrf:cores;;trsm:cores") == "restriction '': " + order);
  BOOST_TEST(refusal(":gpus") == "restriction ':gpus': the name of a codelet is missing");
  BOOST_TEST(refusal("potrf,:gpus") == "restriction 'potrf,:gpus': the name of a codelet is missing");
  BOOST_TEST(refusal("potrf:gpus;") ==
             "restriction 'potrf:gpus;': nothing comes after the last semicolon: leave it out");
  BOOST_TEST(refusal("potrf,,trsm:gpus") == "restriction 'potrf,,trsm:gpus': the name of a codelet is missing");
  BOOST_TEST(refusal("potrf:gpus;potrf:cores") == "restriction 'potrf:cores': potrf is restricted twice");
}

BOOST_AUTO_TEST_CASE(sets_of_devices_are_joined_and_met) {
  BOOST_TEST(DeviceSet().all());
  BOOST_TEST(!DeviceSet::cores().all());
  BOOST_TEST((DeviceSet::cores() | DeviceSet::accelerators()).all());
  BOOST_TEST((DeviceSet::cores() & DeviceSet::accelerators()).kinds() == 0);
  BOOST_TEST(to_string(DeviceSet::cores()) == "cpu core");
  BOOST_TEST(to_string(DeviceSet::accelerators()) == "CUDA GPU, emulated GPU, OpenCL device, OpenCL device in place");
  BOOST_TEST(to_string(DeviceSet::cores() & DeviceSet::accelerators()) == "no device");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
