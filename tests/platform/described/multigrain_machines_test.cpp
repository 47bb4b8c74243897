// Tests the machines of the multigrain paper. The times in platform/described/machines/*-gtx4*.json must follow from
// the assumptions that the files list, and must be labelled as assumed.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "platform/described/embedded_machines.hpp"
#include "proto/json/json.hpp"
#include "troupe/machine.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(multigrain_machines)

namespace {

Json file_of(const std::string& name) {
  for (const EmbeddedMachine& machine : embedded_machines()) {
    if (machine.name == name) return Json::parse(machine.json);
  }
  return {};
}

/// Returns the fraction of the peak of the core or the GPU that the kernel is assumed to reach.
double assumed_share(const Json& assumptions, const std::string& kernel, int tile, bool on_gpu) {
  const double gemm = assumptions["core_gemm_share_of_peak"];
  if (on_gpu) return assumptions[tile == 192 ? "gpu_single_gemm_share_of_peak" : "gpu_streamed_gemm_share_of_peak"];
  if (kernel.starts_with("trsm")) return gemm * assumptions["trsm_share_of_gemm_rate"].get<double>();
  if (kernel.starts_with("getrf")) return gemm * assumptions["getrf_share_of_gemm_rate"].get<double>();
  return gemm;
}

BOOST_AUTO_TEST_CASE(have_the_papers_processors) {
  const auto first = load_machine("amd-gtx470").value_or_throw();
  const auto second = load_machine("xeon-gtx480").value_or_throw();
  // The description counts one core that drives the GPU as well, so 23 or 7 cores remain as workers.
  BOOST_TEST(first.cores == 24);
  BOOST_TEST(second.cores == 8);
  BOOST_TEST(first.gpus.at(0).memory.count == std::uint64_t{1} << 30U);
  BOOST_TEST(second.gpus.at(0).memory.count == 1288490188U);
  for (const auto* machine : {&first, &second}) {
    BOOST_TEST(machine->route(0, 1).bandwidth_mb_per_s == 5980);
    BOOST_TEST(machine->route(1, 0).latency.count() == 11000);
  }
}

BOOST_AUTO_TEST_CASE(have_times_that_follow_from_labelled_assumptions) {
  for (const auto& [name, core_peak, gpu_peak] :
       {std::tuple("amd-gtx470", 13.6, 1089.0), std::tuple("xeon-gtx480", 18.2, 1344.0)}) {
    const Json machine = file_of(name);
    const Json& assumptions = machine["assumptions"];
    BOOST_TEST(assumptions["core_peak_gflop_per_s"] == core_peak);
    BOOST_TEST(assumptions["gpu_peak_gflop_per_s"] == gpu_peak);
    BOOST_TEST(machine["kernels"].size() == 7U);
    for (const Json& kernel : machine["kernels"]) {
      const auto called = kernel["kernel"].get<std::string>();
      const int tile = kernel["tile"];
      const auto gflops = [&](const Json& time) {
        return kernel["flops"].get<double>() / time["mean"].get<double>() / 1e3;
      };
      BOOST_TEST(kernel["time_origin"].get<std::string>().starts_with("assumed"));
      BOOST_TEST(gflops(kernel["cpu_us"]) == core_peak * assumed_share(assumptions, called, tile, false),
                 boost::test_tools::tolerance(1e-3));
      BOOST_TEST(kernel.contains("gpu_us") == called.starts_with("gemm"));
      if (!kernel.contains("gpu_us")) continue;
      BOOST_TEST(gflops(kernel["gpu_us"][0]) == gpu_peak * assumed_share(assumptions, called, tile, true),
                 boost::test_tools::tolerance(1e-3));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
