#include "troupe/machine.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "proto/json/json.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(machine_description)

namespace {

using tests::contains;

std::string read(const std::string& path_in_tree) {
  std::ifstream file(std::string(TROUPE_SOURCE_DIR) + '/' + path_in_tree, std::ios::binary);
  BOOST_REQUIRE_MESSAGE(file.good(), "cannot read " << path_in_tree);
  return {std::istreambuf_iterator<char>(file), {}};
}

MachineDescription loaded(const std::string& name) {
  auto machine = load_machine(name);
  BOOST_REQUIRE_MESSAGE(machine.ok(), (machine.ok() ? "" : machine.failure().message));
  return std::move(machine).value();
}

Failure failure_of(const std::string& name_or_path) {
  const auto machine = load_machine(name_or_path);
  BOOST_REQUIRE_MESSAGE(!machine.ok(), "'" << name_or_path << "' was loaded");
  return machine.failure();
}

/// Returns the mean time on a core divided by the average of the GPUs' mean times. The README of the descriptions
/// defines this ratio.
double gpu_over_core(const MachineDescription& machine, const char* application, const char* kernel,
                     const char* precision, double edge) {
  const KernelTimes* times = machine.find_kernel(application, kernel, precision);
  BOOST_REQUIRE(times != nullptr);
  double sum = 0;
  for (std::size_t gpu = 0; gpu < machine.gpus.size(); ++gpu) sum += times->gpu(gpu, edge).mean_us;
  return times->cpu(edge).mean_us / (sum / static_cast<double>(machine.gpus.size()));
}

std::vector<std::string> link_names(const MachineDescription& machine, const DescribedRoute& route) {
  std::vector<std::string> names;
  for (const std::uint32_t link : route.links) names.push_back(machine.links[link].name);
  return names;
}

BOOST_AUTO_TEST_CASE(five_machines_come_with_troupe_each_under_its_own_name) {
  const std::vector<std::string> expected{"amd-gtx470", "h200-nvlink",    "idgraf",     "idgraf-double",
                                          "sirocco",    "sirocco-double", "xeon-gtx480"};
  BOOST_TEST(known_machines() == expected, boost::test_tools::per_element());
  for (const std::string& name : expected) {
    const MachineDescription machine = loaded(name);
    BOOST_TEST(machine.name == name);
    BOOST_TEST(!machine.description.empty());
    BOOST_TEST(!machine.source.empty());
  }
}

BOOST_AUTO_TEST_CASE(the_library_holds_the_files_of_the_tree) {
  for (const std::string& name : known_machines()) {
    const auto from_tree = parse_machine(read("platform/described/machines/" + name + ".json"), name);
    BOOST_REQUIRE(from_tree.ok());
    const MachineDescription embedded = loaded(name);
    BOOST_TEST(from_tree.value().description == embedded.description);
    BOOST_TEST(from_tree.value().kernels.size() == embedded.kernels.size());
  }
}

BOOST_AUTO_TEST_CASE(idgraf_has_the_cores_gpus_and_kernels_of_its_file) {
  const MachineDescription machine = loaded("idgraf");
  BOOST_TEST(machine.cores == 12);
  BOOST_TEST(machine.sockets == 2);
  BOOST_TEST(machine.cpu_model == "Intel Xeon X5650, 2.67 GHz, 6 cores per socket");
  BOOST_REQUIRE(machine.gpus.size() == 8);
  BOOST_TEST(machine.gpus[7].model == "Tesla C2050");
  BOOST_TEST(machine.gpus[7].memory.count == 2817982464U);
  BOOST_TEST(machine.gpus[7].near_cores == (std::vector<int>{6, 7, 8, 9, 10, 11}), boost::test_tools::per_element());
  BOOST_TEST(machine.links.size() == 31);
  BOOST_TEST(machine.kernels.size() == 17);

  const KernelTimes* gemm = machine.find_kernel("gemm", "gemm", "double");
  BOOST_REQUIRE(gemm != nullptr);
  BOOST_TEST(gemm->flops_per_cube() == 8.0);
  BOOST_TEST(machine.find_kernel("stencil", "stencil_update", "byte")->flops_per_cube() == 0.0);
  BOOST_TEST(machine.find_kernel("cholesky", "gemm", "double") == nullptr);
  BOOST_TEST(machine.find_kernel("cholesky", "geqrt", "single") == nullptr);
}

BOOST_AUTO_TEST_CASE(times_of_measured_tiles_are_those_of_the_file) {
  const MachineDescription machine = loaded("idgraf-double");
  const KernelTimes* gemm = machine.find_kernel("cholesky", "gemm", "double");
  BOOST_REQUIRE(gemm != nullptr);
  BOOST_TEST((gemm->edges() == std::vector<double>{320, 512, 640, 960}));
  BOOST_TEST(gemm->cpu(512).mean_us == 27970.0);
  BOOST_TEST(gemm->cpu(512).deviation_us == 787.0);
  BOOST_TEST(gemm->gpu(7, 960).mean_us == 5910.0);
  BOOST_TEST(gemm->gpu(7, 960).deviation_us == 216.9);
  BOOST_TEST(gemm->flops_per_cube() == 2.0);
}

BOOST_AUTO_TEST_CASE(interpolation_reproduces_what_idgraf_double_interpolated) {
  // The times at 512 were calculated from the times at 320 and 640, and rounded to four digits.
  const KernelTimes* measured = nullptr;
  const MachineDescription idgraf = loaded("idgraf");
  const MachineDescription completed = loaded("idgraf-double");
  for (const char* kernel : {"gemm", "trsm_left_lower", "trsm_right_upper"}) {
    measured = idgraf.find_kernel("lu", kernel, "double");
    const KernelTimes* times = completed.find_kernel("lu", kernel, "double");
    BOOST_REQUIRE(measured != nullptr);
    BOOST_REQUIRE(times != nullptr);
    BOOST_TEST(measured->cpu(512).mean_us == times->cpu(512).mean_us, boost::test_tools::tolerance(1e-3));
  }
}

BOOST_AUTO_TEST_CASE(a_deviation_that_is_not_known_is_zero) {
  const MachineDescription machine = loaded("sirocco-double");
  const KernelTimes* potrf = machine.find_kernel("cholesky", "potrf", "double");
  BOOST_REQUIRE(potrf != nullptr);
  BOOST_TEST(potrf->cpu(960).deviation_us == 0.0);
  BOOST_TEST(potrf->gpu(3, 1920).deviation_us == 0.0);
}

BOOST_AUTO_TEST_CASE(clusters_of_sirocco_double_follow_its_one_and_ten_cores) {
  const MachineDescription machine = loaded("sirocco-double");
  const KernelTimes* gemm = machine.find_kernel("cholesky", "gemm", "double");
  BOOST_REQUIRE(gemm != nullptr);
  BOOST_TEST((gemm->core_counts() == std::vector<int>{1, 10}));
  BOOST_TEST(gemm->cluster(10, 960).mean_us == 6246.0);
  BOOST_TEST(gemm->cluster(10, 1920).mean_us == 44370.0);
  // These numbers are in docs/platforms.md, too.
  BOOST_TEST(gemm->cluster(5, 960).mean_us == 10944, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(gemm->cluster(20, 960).mean_us == 3897, boost::test_tools::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(the_row_of_latencies_that_was_recorded_wrongly_is_put_right) {
  const MachineDescription machine = loaded("idgraf");
  BOOST_TEST(machine.route(8, 1).latency.count() == 28000);  // The recorded latency is 23.14 us.
  BOOST_TEST(machine.route(8, 7).latency.count() == 18000);
  BOOST_TEST(machine.route(8, 0).latency.count() == 12000);
  BOOST_TEST(machine.route(1, 8).latency.count() == 27430);
}

BOOST_AUTO_TEST_CASE(a_link_that_a_route_lists_twice_counts_once) {
  const MachineDescription machine = loaded("idgraf");
  const std::vector<std::string> expected{"gpu0.up",      "switch0.up",      "bridge0.through", "bridge0.up", "host",
                                          "bridge1.down", "bridge1.through", "switch3.down",    "gpu7.down"};
  BOOST_TEST(link_names(machine, machine.route(1, 8)) == expected, boost::test_tools::per_element());
  for (const std::string& name : known_machines()) {
    const MachineDescription any = loaded(name);
    for (const DescribedRoute& route : any.routes) {
      const std::set<std::uint32_t> distinct(route.links.begin(), route.links.end());
      BOOST_TEST(distinct.size() == route.links.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(no_recorded_bandwidth_exceeds_a_link_on_its_route) {
  for (const std::string& name : known_machines()) {
    const MachineDescription machine = loaded(name);
    const Json file = Json::parse(read("platform/described/machines/" + name + ".json"));
    for (std::size_t from = 0; from < machine.node_count(); ++from) {
      for (std::size_t to = 0; to < machine.node_count(); ++to) {
        if (from == to) continue;
        BOOST_TEST(machine.route(from, to).bandwidth_mb_per_s ==
                   file["transfers"]["bandwidth_mb_per_s"][from][to].get<double>());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_speed_ups_are_those_of_the_published_table) {
  struct Entry {
    const char* machine;
    const char* application;
    const char* kernel;
    const char* precision;
    double edge;
    double ratio;
  };
  const std::vector<Entry> table{{"idgraf", "cholesky", "gemm", "single", 320, 19.7},
                                 {"idgraf", "cholesky", "syrk", "single", 960, 31.9},
                                 {"idgraf", "cholesky", "trsm", "single", 640, 5.58},
                                 {"idgraf", "cholesky", "potrf", "single", 960, 0.37},
                                 {"idgraf", "lu", "getrf", "double", 640, 1.68},
                                 {"idgraf", "lu", "trsm_right_upper", "double", 960, 14.5},
                                 {"idgraf", "gemm", "gemm", "double", 320, 29.7},
                                 {"idgraf", "stencil", "stencil_update", "byte", 192, 25.7},
                                 {"sirocco", "cholesky", "gemm", "single", 1440, 43.1},
                                 {"sirocco", "cholesky", "potrf", "single", 640, 0.53},
                                 {"sirocco", "lu", "trsm_left_lower", "single", 320, 10.8},
                                 {"sirocco", "lu", "gemm", "double", 960, 38.3},
                                 {"sirocco", "gemm", "gemm", "single", 960, 62.4},
                                 {"sirocco", "stencil", "stencil_update", "byte", 128, 8.81},
                                 {"sirocco-double", "cholesky", "potrf", "double", 960, 1.72},
                                 {"sirocco-double", "cholesky", "trsm", "double", 1920, 18.59},
                                 {"sirocco-double", "cholesky", "gemm", "double", 1920, 30.86}};
  for (const Entry& entry : table) {
    const double ratio =
        gpu_over_core(loaded(entry.machine), entry.application, entry.kernel, entry.precision, entry.edge);
    // The numbers in the table have two decimals or three digits.
    const double rounding = std::max(0.005, entry.ratio * 0.005) + 1e-9;
    BOOST_TEST(std::abs(ratio - entry.ratio) <= rounding,
               entry.machine << ' ' << entry.application << ' ' << entry.kernel << ' ' << entry.precision << ' '
                             << entry.edge << ": " << ratio << ", not " << entry.ratio);
  }
}

BOOST_AUTO_TEST_CASE(names_that_nothing_is_known_by_and_files_that_cannot_be_read_are_told) {
  const Failure unknown = failure_of("idgraph");
  BOOST_TEST((unknown.code == ErrorCode::invalid_argument));
  for (const std::string& part : known_machines()) BOOST_TEST(contains(unknown.message, part));
  BOOST_TEST(contains(unknown.message, "'idgraph'"));

  const tests::TemporaryFolder folder;
  const Failure absent = failure_of(folder.path("absent.json"));
  BOOST_TEST((absent.code == ErrorCode::io));
  BOOST_TEST(contains(absent.message, folder.path("absent.json")));
  BOOST_TEST((failure_of("absent.json").code == ErrorCode::io));
  BOOST_TEST((failure_of(folder.path()).code == ErrorCode::io));
  const Failure empty = failure_of(folder.write("empty", "\n"));
  BOOST_TEST((empty.code == ErrorCode::bad_input));
  BOOST_TEST(contains(empty.message, folder.path("empty")));
}

BOOST_AUTO_TEST_CASE(the_example_of_the_manual_is_read_and_behaves_as_it_says) {
  const std::string page = read("docs/platforms.md");
  const std::string_view fence = "```json\n";
  const auto begin = page.find(fence) + fence.size();
  const std::string example = page.substr(begin, page.find("```", begin) - begin);
  const tests::TemporaryFolder folder;
  const MachineDescription machine = loaded(folder.write("desk.json", example));
  BOOST_TEST(machine.name == "desk");
  BOOST_TEST(machine.cores == 4);
  BOOST_TEST(machine.sockets == 1);
  BOOST_TEST(machine.route(0, 1).bandwidth_mb_per_s == 12000.0);
  const KernelTimes* gemm = machine.find_kernel("cholesky", "gemm", "double");
  BOOST_REQUIRE(gemm != nullptr);
  BOOST_TEST(std::round(gemm->gpu(0, 724).mean_us) == 1788.0);
  BOOST_TEST(gemm->gpu(0, 256).mean_us == 100.0, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(gemm->gpu(0, 2048).mean_us == 32000.0, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(!machine.find_kernel("cholesky", "potrf", "double")->on_gpus());

  std::string misspelt = example;
  misspelt.replace(misspelt.find("[\"up\"]"), 6, "[\"pu\"]");
  const std::string message = failure_of(folder.write("desk.json", misspelt)).message;
  const std::string tail = message.substr(message.find("': ") + 3);
  BOOST_TEST(contains(page, tail), "the page does not show: " << tail);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
