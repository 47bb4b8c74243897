#include "platform/described/plausible_times.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "platform/described/embedded_machines.hpp"
#include "proto/json/json.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/tries.hpp"
#include "troupe/machine.hpp"

// Times that are wrong by a factor of a thousand must be refused. The times of all known machines are far from the
// limits.
namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(plausible_times)

namespace {

using tests::contains;

/// Every `kStride`-th kernel of a machine is spoilt. Sanitizers are slow, so there are fewer tries with them.
constexpr std::size_t kStride = tests::kSanitized ? 31 : 5;

/// Returns the times of gemm at four tile sizes and of trsm at two, on a core and on two GPUs.
std::vector<DescribedKernel> kernels() {
  DescribedKernel gemm{"cholesky", "gemm", "double", {}, {}};
  for (const double edge : {256.0, 512.0, 1024.0, 2048.0}) {
    const double flops = 2 * edge * edge * edge;
    gemm.tiles.push_back({edge, flops, KernelTime{flops / 20e3, 0}, {{flops / 300e3, 0}, {flops / 500e3, 0}}});
    gemm.paths.push_back("gemm at " + std::to_string(static_cast<int>(edge)));
  }
  DescribedKernel trsm{"cholesky", "trsm", "double", {gemm.tiles[0], gemm.tiles[1]}, {"trsm at 256", "trsm at 512"}};
  return {gemm, trsm};
}

std::string wrong(const std::vector<DescribedKernel>& kernels) { return implausible_time(kernels, {"G", "G"}); }

void says(const std::vector<DescribedKernel>& kernels, const std::vector<std::string>& parts) {
  const std::string text = wrong(kernels);
  for (const std::string& part : parts) BOOST_TEST(contains(text, part), "no '" << part << "' in: " << text);
}

BOOST_AUTO_TEST_CASE(times_in_line_are_taken) {
  BOOST_TEST(wrong(kernels()) == "");
  BOOST_TEST(implausible_time({}, {}) == "");
}

BOOST_AUTO_TEST_CASE(a_tile_out_of_line_with_its_neighbours_is_named) {
  for (std::size_t tile = 0; tile < 4; ++tile) {
    for (const double factor : {1000.0, 0.001}) {
      auto spoilt = kernels();
      spoilt[0].tiles[tile].cpu->mean_us *= factor;
      says(spoilt, {spoilt[0].paths[tile] + ".cpu_us has", "GFlop/s", "neither time nor rate falls to less than 1/30"});
      spoilt = kernels();
      spoilt[0].tiles[tile].gpus[1].mean_us *= factor;
      says(spoilt, {spoilt[0].paths[tile] + ".gpu_us of GPU 1 has", "1/30"});
      spoilt = kernels();
      spoilt[0].tiles[tile].flops *= factor;
      says(spoilt, {spoilt[0].paths[tile], "operations of one kernel grow with the cube"});
    }
  }
}

BOOST_AUTO_TEST_CASE(tiles_whose_operations_are_not_counted_are_compared_by_their_edges) {
  auto spoilt = kernels();
  for (TileTimes& tile : spoilt[0].tiles) tile.flops = 0;
  BOOST_TEST(wrong(spoilt) == "");
  spoilt[0].tiles[2].cpu->mean_us *= 1000;
  says(spoilt, {"gemm at 1024.cpu_us has", "at tile 1024", "1/30"});
}

BOOST_AUTO_TEST_CASE(a_cluster_out_of_line_with_one_core_is_named) {
  auto taken = kernels();
  for (DescribedKernel& kernel : taken) {
    for (TileTimes& tile : kernel.tiles) tile.clusters = {{8, {tile.cpu->mean_us / 6, 0}}};
  }
  BOOST_TEST(wrong(taken) == "");
  for (const double factor : {1000.0, 0.001}) {
    auto spoilt = taken;
    spoilt[0].tiles[1].clusters[0].time.mean_us *= factor;
    says(spoilt, {"gemm at 512.cluster_us of 8 cores", "1/30"});
    spoilt = taken;
    for (DescribedKernel& kernel : spoilt) {
      for (TileTimes& tile : kernel.tiles) tile.clusters[0].time.mean_us *= factor;
    }
    says(spoilt, {"gemm at 256.cluster_us of 8 cores", "gemm at 256.cpu_us", "8 cores take at most 10 times as long"});
  }
}

BOOST_AUTO_TEST_CASE(a_gpu_out_of_line_with_others_of_its_model_is_named) {
  auto spoilt = kernels();
  for (TileTimes& tile : spoilt[1].tiles) tile.gpus[0].mean_us *= 1000;
  says(spoilt, {"trsm at 256.gpu_us of GPU 0", "GPU 1", "GPUs of one model differ by less than a factor of 50"});
  BOOST_TEST(contains(implausible_time(spoilt, {"G", "H"}), "best rate"));
}

BOOST_AUTO_TEST_CASE(a_kernel_out_of_line_with_all_others_is_named) {
  for (const double factor : {1000.0, 0.001}) {
    auto spoilt = kernels();
    for (TileTimes& tile : spoilt[1].tiles) tile.cpu->mean_us *= factor;
    says(spoilt, {"trsm at ", ".cpu_us", "gemm at ", "within a factor of 100", "same core"});
    spoilt = kernels();
    for (TileTimes& tile : spoilt[1].tiles) {
      for (KernelTime& time : tile.gpus) time.mean_us *= factor;
    }
    says(spoilt, {"trsm at ", ".gpu_us", "gemm at ", "within a factor of 300", "same GPU"});
  }
}

BOOST_AUTO_TEST_CASE(a_time_that_is_a_thousand_times_off_is_found_in_the_machines_that_come_with_troupe) {
  for (const EmbeddedMachine& machine : embedded_machines()) {
    const Json good = Json::parse(machine.json);
    int single = 0;
    int found = 0;
    for (std::size_t i = 0; i < good["kernels"].size(); i += kStride) {
      for (const double factor : {1000.0, 0.001}) {
        Json spoilt = good;
        auto& mean = spoilt["kernels"][i]["cpu_us"]["mean"];
        mean = mean.get<double>() * factor;
        spoilt["kernels"][i]["cpu_us"]["dev"] = nullptr;
        ++single;
        found += parse_machine(spoilt.dump(), "spoilt").ok() ? 0 : 1;
      }
    }
    BOOST_TEST_MESSAGE(machine.name << ": " << found << " of " << single << " slips are found");
    BOOST_TEST(found > single * 9 / 10, machine.name);
  }
}

/// Multiplies all times of a kernel on cores, or all on GPUs, by a factor.
Json slipped(Json machine, const Json& kernel, bool on_gpus, double factor) {
  for (Json& one : machine["kernels"]) {
    if (one["kernel"] != kernel["kernel"] || one["application"] != kernel["application"] ||
        one["precision"] != kernel["precision"]) {
      continue;
    }
    const auto slip = [&](Json& time) {
      time["mean"] = factor * time["mean"].get<double>();
      time["dev"] = nullptr;
    };
    if (!on_gpus) slip(one["cpu_us"]);
    for (Json& time : one["gpu_us"]) {
      if (on_gpus) slip(time);
    }
  }
  return machine;
}

BOOST_AUTO_TEST_CASE(a_kernel_all_of_whose_times_are_off_is_found_where_its_rates_tell) {
  int all = 0;
  int found = 0;
  for (const EmbeddedMachine& machine : embedded_machines()) {
    const Json good = Json::parse(machine.json);
    for (std::size_t i = 0; i < good["kernels"].size(); i += kStride) {
      const Json& kernel = good["kernels"][i];
      // A kernel without a number of operations has no rates to check.
      if (kernel["flops"].is_null()) continue;
      for (const bool on_gpus : {false, true}) {
        for (const double factor : {1000.0, 0.001}) {
          ++all;
          found += parse_machine(slipped(good, kernel, on_gpus, factor).dump(), "slipped").ok() ? 0 : 1;
          // Times that are only wrong by a factor of four could be true, so they are accepted.
          const auto near = parse_machine(slipped(good, kernel, on_gpus, factor > 1 ? 4 : 0.25).dump(), "near");
          BOOST_TEST(near.ok(), (near.ok() ? "" : near.failure().message));
        }
      }
    }
  }
  BOOST_TEST_MESSAGE(found << " of " << all << " slips are found");
  BOOST_TEST(found > all * 3 / 4);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
