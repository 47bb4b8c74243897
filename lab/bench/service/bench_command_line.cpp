#include "lab/bench/service/command_lines.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "lab/bench/service/measurements.hpp"
#include "traces/text/table.hpp"

namespace troupe::bench {

namespace {

std::string words(const Estimate& estimate, const std::string& unit) {
  if (unit == "s" && estimate.median < 0.01) {
    return fmt::format("{:.1f} us [{:.1f}-{:.1f}]", estimate.median * 1e6, estimate.low * 1e6, estimate.high * 1e6);
  }
  return fmt::format("{:.4g} {} [{:.4g}-{:.4g}]", estimate.median, unit, estimate.low, estimate.high);
}

int measure(const ServiceBenchOptions& options) {
  if (options.program.empty()) {
    throw Error(ErrorCode::invalid_argument, "'troupe' is not where it was built or installed: name it with --program");
  }
  // The limit is raised, because the benchmark makes each empty call as soon as the last one is answered.
  std::vector<std::string> serve{"--limits.calls_per_s", "1000000"};
  if (options.cores > 0) serve.insert(serve.end(), {"--runtime.cores", std::to_string(options.cores)});
  const ServiceProcess service(options.program, serve);
  traces::Table table({{"figure"}, {"service"}, {"beside"}, {"its figure"}, {"ratio"}, {"target"}});
  const auto add = [&](const ServiceFigure& one) {
    table.add_row({one.name, words(one.service, one.unit), one.other_name, words(one.other, one.unit),
                   fmt::format("{:.3f} [{:.3f}-{:.3f}]", one.ratio.median, one.ratio.low, one.ratio.high), one.target});
  };
  add(measure_empty_tasks(service, options));
  add(measure_one_task(service, options));
  if (options.n > 0) {
    for (const ServiceFigure& one : measure_cholesky(service, options)) add(one);
  }
  fmt::print("{}medians [intervals] of {} rounds, service and counterpart in turn\n", table.text(), options.rounds);
  return 0;
}

}  // namespace

int run_service_bench(int argc, const char* const* argv) {
  ServiceBenchOptions options;
  options.program = find_troupe();
  CLI::App app("What the service costs its clients, beside the runtime embedded in the same program",
               "troupe-service-bench");
  app.add_option("--program", options.program, "The program 'troupe'")->check(CLI::ExistingFile);
  app.add_option("--cores", options.cores, "Cores of the service and of the embedded runtime; 0: all")
      ->check(CLI::Range(0, 4096));
  app.add_option("--rounds", options.rounds, "Measured rounds (of the factorization at most 5)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--tasks", options.tasks, "Empty tasks in a round")->check(CLI::Range(1, 1 << 30));
  app.add_option("--calls", options.calls, "Graphs of one task in a round, and empty calls")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--n", options.n, "Order of the matrix that is factorized; 0: none")->check(CLI::Range(0, 1 << 20));
  app.add_option("--tile", options.tile, "Edge of its tiles")->check(CLI::Range(1, 1 << 16));
  CLI11_PARSE(app, argc, argv);
  try {
    return measure(options);
  } catch (const Error& error) {
    std::fprintf(stderr, "troupe-service-bench: %s\n", error.what());
    return error.code() == ErrorCode::invalid_argument ? 2 : 1;
  }
}

}  // namespace troupe::bench
