#include "platform/opencl/opencl_choice.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(opencl_choice)

namespace {

OpenClDevices three_devices() {
  OpenClDevices all;
  for (const auto sort : {OpenClDeviceSort::cpu, OpenClDeviceSort::gpu, OpenClDeviceSort::accelerator}) {
    OpenClDevice& device = all.devices.emplace_back();
    device.index = static_cast<int>(all.devices.size()) - 1;
    device.sort = sort;
    device.name = "model " + std::to_string(device.index);
  }
  return all;
}

std::vector<int> chosen(const std::string& text) {
  std::vector<int> indices;
  for (const OpenClDevice& device : choose_opencl_devices(text, three_devices()).value_or_throw()) {
    indices.push_back(device.index);
  }
  return indices;
}

void refuses(const std::string& text, const OpenClDevices& there, const std::vector<std::string>& parts) {
  const auto refused = choose_opencl_devices(text, there);
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST((refused.failure().code == ErrorCode::invalid_argument));
  for (const std::string& part : parts) {
    BOOST_TEST(tests::contains(refused.failure().message, part), refused.failure().message << " says " << part);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(devices_are_chosen_by_sort_or_by_number) {
  BOOST_TEST((chosen("all") == std::vector{0, 1, 2}));
  BOOST_TEST((chosen("cpu") == std::vector{0}));
  BOOST_TEST((chosen("gpu") == std::vector{1}));
  BOOST_TEST((chosen("2") == std::vector{2}));
  BOOST_TEST((chosen("2,0") == std::vector{2, 0}));
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_refused_with_what_there_is) {
  const std::string there = "there are 0 (model 0, cpu), 1 (model 1, gpu), 2 (model 2, accelerator)";
  refuses("3", three_devices(), {"'3'", "there is no device 3", there});
  refuses("0,7", three_devices(), {"there is no device 7", there});
  refuses("1,1", three_devices(), {"device 1 is named twice", there});
  refuses("-1", three_devices(), {"'-1' is no number", "all, gpu, cpu or numbers", there});
  refuses("GPU", three_devices(), {"'GPU' is no number", there});
  refuses("", three_devices(), {"'' is no number"});
  refuses("0,", three_devices(), {"'' is no number"});
  refuses("99999999999999999999", three_devices(), {"no number"});
  OpenClDevices one = three_devices();
  one.devices.resize(1);
  refuses("gpu", one, {"there is none", "there are 0 (model 0, cpu)"});
}

BOOST_AUTO_TEST_CASE(without_devices_the_reason_is_said) {
  refuses("all", {}, {"no OpenCL driver is installed here"});
  refuses("0", {.devices = {}, .skipped = {{"a driver", "it is broken"}}},
          {"no OpenCL devices here that can be used", "troupe info says why"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
