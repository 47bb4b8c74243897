// Tests the description of a machine on which nothing was measured. Every number in
// platform/described/machines/h200-nvlink.json must name its origin and follow from the assumptions that the file
// lists.
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "platform/described/embedded_machines.hpp"
#include "proto/json/json.hpp"
#include "troupe/machine.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(h200_nvlink)

namespace {

Json file() {
  for (const EmbeddedMachine& machine : embedded_machines()) {
    if (machine.name == "h200-nvlink") return Json::parse(machine.json);
  }
  return {};
}

/// Returns true if the text of the key contains a word for the origin of a number.
bool names_an_origin(const Json& object, const std::string& key) {
  if (!object.contains(key)) return false;
  const auto text = object[key].get<std::string>();
  for (const char* word : {"data sheet", "assumed", "computed", "formula", "contained in", "sirocco-double.json"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

void all_name_an_origin(const Json& objects, const std::vector<std::string>& keys) {
  for (const Json& object : objects) {
    for (const std::string& key : keys) BOOST_TEST(names_an_origin(object, key), key << " in " << object.dump());
  }
}

/// Rounds a number to four significant digits.
double rounded(double value) {
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

/// Returns the assumed rate of a kernel on cores (kind 0) or GPUs (kind 1), as a fraction of the rate of gemm.
double fraction(const Json& assumptions, const std::string& kernel, std::size_t kind, const std::string& tile) {
  if (kernel == "gemm") return 1;
  if (kind == 1 && kernel.starts_with("trsm")) return assumptions["trsm_gpu_fraction_of_gemm_rate_by_tile"][tile];
  return assumptions["rate_as_fraction_of_gemm_rate (core, gpu)"][kernel][kind];
}

double assumed_time(const Json& assumptions, const Json& kernel, std::size_t kind) {
  static constexpr std::array<const char*, 2> kPeak{"core_peak_gflop_per_s", "gpu_peak_gflop_per_s"};
  static constexpr std::array<const char*, 2> kKind{"core", "gpu"};
  const auto name = kernel["kernel"].get<std::string>();
  const std::string tile = std::to_string(kernel["tile"].get<int>());
  const Json& over = assumptions["gpu_over_one_core_by_tile"];
  if (kind == 1 && over.contains(name)) return kernel["cpu_us"]["mean"].get<double>() / over[name][tile].get<double>();
  const double rate = assumptions[kPeak[kind]][kernel["precision"].get<std::string>()].get<double>() *
                      assumptions["gemm_fraction_of_peak_by_tile"][kKind[kind]][tile].get<double>() *
                      fraction(assumptions, name, kind, tile);
  return kernel["flops"].get<double>() / (rate * 1e3);
}

/// Returns the time of 56 cores together, divided by the time of one core.
double part_on_a_socket(const Json& assumptions, const Json& kernel) {
  const std::string tile = std::to_string(kernel["tile"].get<int>());
  const double share = assumptions["share_of_one_core_that_a_cluster_does_not_divide_by_tile"]
                                  [kernel["kernel"].get<std::string>()][tile];
  return share + (1 - share) / 56;
}

BOOST_AUTO_TEST_CASE(a_cluster_divides_as_much_as_one_of_sirocco_double) {
  const MachineDescription measured = load_machine("sirocco-double").value_or_throw();
  const Json assumptions = file()["assumptions"]["share_of_one_core_that_a_cluster_does_not_divide_by_tile"];
  for (const char* name : {"potrf", "trsm", "syrk", "gemm"}) {
    const KernelTimes* kernel = measured.find_kernel("cholesky", name, "double");
    BOOST_REQUIRE(kernel != nullptr);
    for (const double edge : {960.0, 1920.0}) {
      const double ten = kernel->cluster(10, edge).mean_us / kernel->cpu(edge).mean_us;
      const double share = assumptions[name][std::to_string(static_cast<int>(edge))];
      // The times and speed-ups in the description sirocco-double have only three or four digits.
      BOOST_TEST(share == (10 * ten - 1) / 9, boost::test_tools::tolerance(0.02));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_figure_names_its_origin) {
  const Json machine = file();
  BOOST_TEST(names_an_origin(machine["cpu"], "origin"));
  all_name_an_origin(machine["gpus"], {"memory_origin", "near_cores_origin"});
  all_name_an_origin(Json::array({machine["transfers"]}), {"bandwidth_origin", "latency_origin"});
  all_name_an_origin(machine["pci"]["links"], {"bandwidth_origin", "latency_origin"});
  all_name_an_origin(machine["kernels"], {"bytes_origin", "flops_origin", "time_origin"});
  for (const auto& [key, value] : machine["assumptions"].items()) {
    if (!value.is_object()) continue;
    const bool named = names_an_origin(value, "origin") ||
                       names_an_origin(machine["assumptions"], "rate_as_fraction_of_gemm_rate_origin");
    BOOST_TEST(named, key);
  }
}

BOOST_AUTO_TEST_CASE(its_figures_follow_from_data_sheets_and_assumptions) {
  const MachineDescription machine = load_machine("h200-nvlink").value_or_throw();
  BOOST_TEST(machine.cores == 2 * 56);
  BOOST_TEST(machine.gpus.size() == 8);
  BOOST_TEST(machine.gpus[0].memory.count == 141000000000U);
  BOOST_TEST(machine.links[0].bandwidth_mb_per_s == 0.8 * 2 * 8 * 4800 * 8);
  for (const DescribedLink& link : machine.links) {
    if (link.name.ends_with(".down")) BOOST_TEST(link.bandwidth_mb_per_s == std::round(32000.0 * 16 * 128 / 130 / 8));
    if (link.name.find("nvlink") != std::string::npos) BOOST_TEST(link.bandwidth_mb_per_s == 900e3 / 2);
  }
  BOOST_TEST(machine.route(1, 2).bandwidth_mb_per_s == 360000.0);
  BOOST_TEST(machine.route(8, 0).bandwidth_mb_per_s == 55000.0);
}

BOOST_AUTO_TEST_CASE(copies_between_gpus_leave_the_host_alone) {
  const MachineDescription machine = load_machine("h200-nvlink").value_or_throw();
  for (std::size_t from = 1; from < machine.node_count(); ++from) {
    for (std::size_t to = 1; to < machine.node_count(); ++to) {
      if (from == to) continue;
      for (const std::uint32_t link : machine.route(from, to).links) {
        BOOST_TEST(machine.links[link].name.find("nvlink") != std::string::npos);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(its_times_follow_from_the_fractions_that_it_lists) {
  const Json machine = file();
  const Json& assumptions = machine["assumptions"];
  const double core_deviation = assumptions["dev_fraction_of_mean"]["core"];
  const double gpu_deviation = assumptions["dev_fraction_of_mean"]["gpu"];
  const auto close = boost::test_tools::tolerance(1e-9);
  // If the digit after the last one is a 5, it may have been rounded up or down.
  const auto last_digit = boost::test_tools::tolerance(1.001e-3);
  for (const Json& kernel : machine["kernels"]) {
    const double core_us = kernel["cpu_us"]["mean"];
    BOOST_TEST(core_us == rounded(assumed_time(assumptions, kernel, 0)), close);
    BOOST_TEST(kernel["cpu_us"]["dev"].get<double>() == rounded(core_deviation * core_us), last_digit);
    const Json& cluster = kernel["cluster_us"].at(0);
    const double cluster_us = cluster["mean"];
    BOOST_TEST(cluster["cores"].get<int>() == 56);
    BOOST_TEST(cluster_us == rounded(core_us * part_on_a_socket(assumptions, kernel)), close);
    BOOST_TEST(cluster["dev"].get<double>() == rounded(core_deviation * cluster_us), last_digit);
    for (const Json& gpu : kernel["gpu_us"]) {
      const double gpu_us = gpu["mean"];
      BOOST_TEST(gpu_us == rounded(assumed_time(assumptions, kernel, 1)), close);
      BOOST_TEST(gpu["dev"].get<double>() == rounded(gpu_deviation * gpu_us), last_digit);
    }
  }
}

BOOST_AUTO_TEST_CASE(no_device_is_faster_than_its_peak_and_all_applications_are_there) {
  const MachineDescription machine = load_machine("h200-nvlink").value_or_throw();
  std::set<std::string> applications;
  for (const KernelTimes& kernel : machine.kernels) {
    applications.insert(kernel.application() + ' ' + kernel.precision());
    // The peak of one core in operations per microsecond.
    const double core_peak = kernel.precision() == "double" ? 64e3 : 128e3;
    for (const double edge : kernel.edges()) {
      const double flops = kernel.flops_per_cube() * edge * edge * edge;
      BOOST_TEST(flops / kernel.cpu(edge).mean_us < core_peak);
      for (std::size_t gpu = 0; gpu < machine.gpus.size(); ++gpu)
        BOOST_TEST(flops / kernel.gpu(gpu, edge).mean_us < 67e6);
    }
  }
  const std::set<std::string> expected{"cholesky double", "cholesky single", "lu double", "lu single", "qr double"};
  BOOST_TEST(applications == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
