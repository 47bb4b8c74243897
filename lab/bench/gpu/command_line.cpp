#include "lab/bench/gpu/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "apps/command_line.hpp"
#include "kernels/sparse/super_block.hpp"
#include "lab/bench/gpu/cuda_peers.hpp"
#include "lab/bench/gpu/measurements.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"

namespace troupe::bench {

namespace {

const std::vector<std::string> kParts{"in-memory", "out-of-core", "product", "batched", "policies"};

struct Arguments {
  GpuBenchOptions options;
  std::vector<std::string> parts = kParts;
  bool tiny = false;
  bool probe = false;
  std::string json;
};

void add_options(CLI::App& app, Arguments& arguments) {
  GpuBenchOptions& options = arguments.options;
  const auto positive = CLI::Range(std::int64_t{1}, std::int64_t{1} << 20U);
  app.add_option("--parts", arguments.parts, fmt::format("What to measure: {}", fmt::join(kParts, ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(kParts));
  app.add_option("--n", options.in_memory, "Orders of the matrices in GPU memory")->delimiter(',')->check(positive);
  app.add_option("--out-of-core", options.out_of_core, "Order of the matrix that does not fit into GPU memory")
      ->check(positive);
  app.add_option("--product", options.product, "Order of the matrices that are multiplied")->check(positive);
  app.add_option("--policies", options.policies, "Order of the matrix for the comparison of policies")->check(positive);
  app.add_option("--tile", options.tile, "Edge of the tiles; orders are multiples of it")->check(positive);
  app.add_option("--policy-tile", options.policy_tile, "The same for the comparison of policies")->check(positive);
  app.add_option("--block", options.block, "Rows of the blocks whose products are batched")->check(positive);
  app.add_option("--super", options.supers, "Blocks on a side of super-blocks")
      ->delimiter(',')
      ->check(CLI::Range(1, kernels::kLargestSide));
  app.add_option("--rounds", options.rounds, "Measured rounds, after one to warm up")->check(CLI::Range(1, 1000));
  app.add_option("--policy", options.policy, "Policy where the GPU works alone");
  app.add_option("--compare", options.compared_policies, "Policies to compare")->delimiter(';');
  app.add_option("--gpus", options.gpus, "GPUs that Troupe uses; 0: cores and no peers, to try the program")
      ->check(CLI::Range(0, 64));
  app.add_flag("--tiny", arguments.tiny, "Sizes that only show that everything works");
  app.add_flag("--probe", arguments.probe, "Only say which GPU there is, or why there is none");
  app.add_option("--json", arguments.json, "Write the figures to this file, too");
}

void make_tiny(GpuBenchOptions& options) {
  options.in_memory = {512};
  options.out_of_core = 768;
  options.product = 512;
  options.policies = 512;
  options.tile = 128;
  options.policy_tile = 128;
  options.block = 32;
  options.supers = {3};
  options.rounds = 1;
}

void require_multiples(const GpuBenchOptions& options) {
  std::vector<std::int64_t> orders = options.in_memory;
  orders.insert(orders.end(), {options.out_of_core, options.product});
  for (const std::int64_t n : orders) {
    if (n % options.tile != 0) {
      throw Error(ErrorCode::invalid_argument, fmt::format("{} is no multiple of the tile, {}", n, options.tile));
    }
  }
  if (options.policies % options.policy_tile != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} is no multiple of the tile, {}", options.policies, options.policy_tile));
  }
}

/// Prints a figure as soon as it is measured, since the measurement of all figures takes minutes.
void announce(const GpuFigure& figure) {
  if (!figure.failure.empty()) {
    fmt::print("{}: FAILED: {}\n", figure.what, figure.failure);
  } else {
    fmt::print("{}: {}, {:.0f} Gflop/s\n", figure.what, traces::human_seconds(figure.seconds), figure.gflops);
  }
  std::fflush(stdout);
}

std::vector<GpuFigure> measure(const Arguments& arguments) {
  const auto wanted = [&](const char* part) {
    return std::ranges::find(arguments.parts, part) != arguments.parts.end();
  };
  const GpuBenchOptions& options = arguments.options;
  std::vector<GpuFigure> figures;
  double in_memory_gflops = 0;
  const auto add = [&](GpuFigure figure) {
    announce(figure);
    figures.push_back(std::move(figure));
  };
  if (wanted("in-memory")) {
    for (const std::int64_t n : options.in_memory) {
      add(measure_in_memory(options, n));
      in_memory_gflops = std::max(in_memory_gflops, figures.back().gflops);
    }
  }
  if (wanted("out-of-core")) add(measure_out_of_core(options, in_memory_gflops));
  if (wanted("product")) add(measure_product(options));
  if (wanted("batched")) {
    for (const int super : options.supers) {
      add(measure_batched_product<double>(options, super));
      add(measure_batched_product<float>(options, super));
    }
  }
  if (wanted("policies")) {
    for (const std::string& policy : options.compared_policies) add(measure_policy(options, policy));
  }
  return figures;
}

std::string percentage(double fraction) { return fraction < 0 ? "" : fmt::format("{:.1f} %", 100 * fraction); }

void print_table(const std::vector<GpuFigure>& figures) {
  traces::Table table({"measured", ">time", ">Gflop/s", ">residual", ">launches", ">prediction error", "beside",
                       ">its time", ">its residual", ">ratio", ">aim", "verdict"});
  for (const GpuFigure& figure : figures) {
    if (!figure.failure.empty()) {
      table.add_row({figure.what, "", "", "", "", "", figure.peer, "", "", "", "", "FAILED: " + figure.failure});
      continue;
    }
    const bool compared = figure.ratio > 0;
    const bool peer_checked = figure.peer_seconds > 0 && figure.peer_residual > 0;
    std::string verdict = figure.accepted() ? "right" : "WRONG";
    if (compared && figure.accepted()) verdict += figure.ratio >= figure.target ? ", aim met" : ", below the aim";
    table.add_row({figure.what, traces::human_seconds(figure.seconds), fmt::format("{:.0f}", figure.gflops),
                   fmt::format("{:.2g}", figure.residual),
                   figure.launches > 0 ? fmt::format("{:g}", figure.launches) : "", percentage(figure.prediction_error),
                   figure.peer, figure.peer_seconds > 0 ? traces::human_seconds(figure.peer_seconds) : "",
                   peer_checked ? fmt::format("{:.2g}", figure.peer_residual) : "",
                   compared ? fmt::format("{:.3f}", figure.ratio) : "",
                   compared ? fmt::format("{:.2f}", figure.target) : "", verdict});
  }
  fmt::print("\n{}", table.text());
}

void write_json(const std::string& file, const std::vector<GpuFigure>& figures) {
  Json all = Json::array();
  for (const GpuFigure& f : figures) {
    all.push_back({{"what", f.what},
                   {"seconds", f.seconds},
                   {"gflops", f.gflops},
                   {"residual", f.residual},
                   {"launches", f.launches},
                   {"prediction_error", f.prediction_error},
                   {"peer", f.peer},
                   {"peer_seconds", f.peer_seconds},
                   {"peer_residual", f.peer_residual},
                   {"ratio", f.ratio},
                   {"target", f.target},
                   {"failure", f.failure}});
  }
  std::ofstream out(file);
  out << all.dump(2) << '\n';
  if (!out.flush()) throw Error(ErrorCode::io, "'" + file + "' could not be written");
}

int run(const Arguments& arguments) {
  require_multiples(arguments.options);
  if (arguments.options.gpus > 0) {
    if (const std::string reason = why_no_gpu(); !reason.empty()) {
      fmt::print(stderr, "troupe-gpu-bench: nothing was measured: {}\n", reason);
      return kNoGpu;
    }
    fmt::print("GPU: {}\n", gpu_description());
  }
  if (arguments.probe) return apps::kSuccess;
  const std::vector<GpuFigure> figures = measure(arguments);
  print_table(figures);
  if (!arguments.json.empty()) write_json(arguments.json, figures);
  return std::ranges::all_of(figures, &GpuFigure::accepted) ? apps::kSuccess : apps::kFailure;
}

}  // namespace

int run_gpu_bench(int argc, const char* const* argv) {
  CLI::App app("Troupe on a GPU beside NVIDIA's own libraries on the same GPU");
  Arguments arguments;
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
    if (arguments.tiny) make_tiny(arguments.options);
    return run(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? apps::kSuccess : apps::kUnusable;
  } catch (const Error& error) {
    fmt::print(stderr, "troupe-gpu-bench: {}\n", error.what());
    return apps::exit_code(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "troupe-gpu-bench: {}\n", error.what());
    return apps::kFailure;
  }
}

}  // namespace troupe::bench
