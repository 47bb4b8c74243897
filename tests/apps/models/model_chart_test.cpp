#include "apps/models/model_chart.hpp"

#include <boost/test/unit_test.hpp>

#include "apps/models/model_report.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/devices.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(model_chart)

namespace {

using tests::contains;

scheduler::ExecutionHistory sample() {
  scheduler::ExecutionHistory history;
  const auto add = [&](const char* name, DeviceKind kind, double size, double time) {
    scheduler::KernelHistory& kernel = history.kernel({name, kind, 8, true});
    for (int i = 0; i < 3; ++i) kernel.add(kernel.shape(static_cast<std::uint64_t>(size), {.size = size}), time);
  };
  for (const double size : {1e6, 8e6, 64e6}) {
    add("gemm", DeviceKind::cpu_core, size, size * 1e-10);
    add("gemm", DeviceKind::emulated, size, size * 2e-10);
  }
  add("o'dd", DeviceKind::cpu_core, 1e6, 1e-3);
  // A program asked for the time of this kernel, but no task of this kernel was measured.
  (void)history.kernel({"unused", DeviceKind::cpu_core, 8, true}).shape(1, {.size = 1});
  return history;
}

BOOST_AUTO_TEST_CASE(has_a_panel_for_each_kernel_with_points_of_each_kind_and_the_law_through_them) {
  const std::string script = model_script(sample(), {});
  for (const char* part : {"set terminal svg", "gemm, double", "title 'cpu core'", "title 'emulated GPU'",
                           "$L0K0 using 1:2 with lines", "$L0K2 using 1:2 with lines", "$P1K0 using 1:2:3:4"}) {
    BOOST_TEST(contains(script, part), "no '" << part << "' in\n" << script);
  }
  BOOST_TEST(!contains(script, "unused"));
  BOOST_TEST(!contains(script, "$L1K0"));
}

BOOST_AUTO_TEST_CASE(draws_only_the_kernels_that_are_asked_for) {
  const std::string script = model_script(sample(), {"gemm"});
  BOOST_TEST(contains(script, "gemm"));
  BOOST_TEST(!contains(script, "dd, double"));
  BOOST_TEST(model_script(sample(), {"unused"}).empty());
  BOOST_TEST(model_script({}, {}).empty());
}

BOOST_AUTO_TEST_CASE(names_of_devices_stay_in_their_panel_and_commands_of_opencl_have_none) {
  scheduler::ExecutionHistory history;
  const auto add = [&](const char* name, const DeviceType& device) {
    scheduler::KernelHistory& kernel = history.kernel({name, device, 8, true});
    for (int i = 0; i < 3; ++i) kernel.add(kernel.shape(1, {.size = 1e6}), 1e-3);
  };
  const std::string model = "Somebody's Accelerator with a Name that Goes on and on, 80GB, Revision 7";
  add("gemm", {DeviceKind::opencl, 1, model});
  add("read buffer", DeviceKind::cpu_core);
  const std::string script = model_script(history, {});
  BOOST_TEST(contains(script, "Somebody\xe2\x80\x99s Accelerat"), script);
  BOOST_TEST(!contains(script, "on and on, 80GB"), script);
  BOOST_TEST(!contains(script, "read buffer"), script);
  BOOST_TEST(contains(model_script(history, {"read buffer"}), "read buffer"));
}

BOOST_AUTO_TEST_CASE(a_table_has_sizes_speeds_and_laws) {
  KeptModels models;
  models.history = sample();
  models.links = {{{"host", "GPU 0"}, {std::chrono::microseconds(10), 25e9}}};
  const std::string text = models_table(models, {});
  for (const char* part : {"gemm", "emulated GPU", "64 MFlop", "10", "s^1.000", "25 GB/s"}) {
    BOOST_TEST(contains(text, part), "no '" << part << "' in\n" << text);
  }
  BOOST_TEST(!contains(text, "unused"));
  BOOST_TEST(contains(models_table(models, {"nothing"}), "troupe model calibrate"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
