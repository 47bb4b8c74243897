#include "lab/experiments/policy_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "apps/simulate/simulation_pool.hpp"

namespace troupe::apps {

namespace {

/// Bytes are compared at the points with this number of GPUs and with twice this number. With fewer GPUs, most data are
/// copied only once.
constexpr int kManyGpus = 4;
/// The largest ratio of a rival's time to the fastest rival's time with which the rival can still be the thriftiest.
constexpr double kFastEnough = 1.25;

struct Series {
  std::string machine;
  std::vector<linalg::Application> applications;
  Precision precision;
  std::vector<std::int64_t> sizes;
  std::int64_t tile;
  std::vector<int> gpus;
};

std::vector<PolicyPoint> points_of(const std::vector<Series>& all) {
  std::vector<PolicyPoint> points;
  for (const Series& series : all) {
    for (const linalg::Application application : series.applications) {
      for (const std::int64_t n : series.sizes) {
        for (const int gpus : series.gpus) {
          points.push_back({series.machine, application, series.precision, n, series.tile, gpus});
        }
      }
    }
  }
  return points;
}

constexpr linalg::Application kSweepCholesky = linalg::Application::cholesky;
constexpr linalg::Application kSweepLu = linalg::Application::lu;
constexpr linalg::Application kSweepQr = linalg::Application::qr;
constexpr Precision kSingle = Precision::single_precision;
constexpr Precision kDouble = Precision::double_precision;

/// Returns the means over all runs of one policy at one point.
PolicyFigure figure_of(const std::string& policy, const FactorizationOutcome* outcomes, int repeat) {
  PolicyFigure figure{policy, 0, 0};
  for (int i = 0; i < repeat; ++i) {
    figure.seconds += outcomes[i].seconds / repeat;
    figure.bytes += static_cast<double>(outcomes[i].report.transfers.total().count) / repeat;
  }
  return figure;
}

PolicyComparison compare(const PolicyPoint& point, PolicyFigure measured, std::vector<PolicyFigure> rivals) {
  PolicyComparison comparison{point, std::move(measured), std::move(rivals), {}, {}};
  comparison.fastest = *std::min_element(comparison.rivals.begin(), comparison.rivals.end(),
                                         [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  comparison.thriftiest = comparison.fastest;
  for (const PolicyFigure& rival : comparison.rivals) {
    if (rival.seconds > kFastEnough * comparison.fastest.seconds) continue;
    if (rival.bytes < comparison.thriftiest.bytes) comparison.thriftiest = rival;
  }
  return comparison;
}

}  // namespace

std::string PolicyPoint::name() const {
  return fmt::format("{} {} {}/{} {}", machine, to_string(application), n, tile, gpus);
}

std::vector<PolicyPoint> tuned_points() {
  return points_of({{"idgraf-double", {kSweepCholesky, kSweepLu, kSweepQr}, kDouble, {8192, 16384}, 512, {1, 2, 4, 8}},
                    {"idgraf", {kSweepCholesky, kSweepLu}, kSingle, {19200}, 960, {1, 2, 3, 4, 5, 6, 7, 8}},
                    {"sirocco", {kSweepCholesky}, kSingle, {19200, 38400}, 960, {1, 2, 3, 4}},
                    {"sirocco-double", {kSweepCholesky}, kDouble, {19200}, 960, {1, 2, 3, 4}}});
}

std::vector<PolicyPoint> other_points() {
  return points_of({{"h200-nvlink", {kSweepCholesky, kSweepLu, kSweepQr}, kDouble, {30720}, 1920, {1, 2, 4, 8}},
                    {"idgraf-double", {kSweepCholesky, kSweepLu, kSweepQr}, kDouble, {11520}, 640, {1, 2, 4, 8}}});
}

std::vector<std::string> rival_policies() {
  std::vector<std::string> rivals{"heft", "heft-rank", "mct", "mct:shared", "heteroprio", "lws"};
  for (const char* alpha : {"0", "0.25", "0.5", "0.75", "1"}) {
    for (const char* prediction : {"", ",cp"}) rivals.push_back(fmt::format("dada:alpha={}{}", alpha, prediction));
  }
  return rivals;
}

std::vector<PolicyComparison> compare_policies(const PolicyExperimentOptions& options,
                                               const ProgressOptions& progress) {
  std::map<std::string, platform::MachineDescription> machines;
  for (const PolicyPoint& point : options.points) {
    if (!machines.contains(point.machine)) {
      machines.emplace(point.machine, platform::load_machine(point.machine).value_or_throw());
    }
  }
  std::vector<std::string> policies{options.policy};
  policies.insert(policies.end(), options.rivals.begin(), options.rivals.end());
  const auto repeat = static_cast<std::size_t>(options.repeat);
  const std::size_t per_point = policies.size() * repeat;
  const auto make = [&](std::size_t i) {
    const PolicyPoint& point = options.points[i / per_point];
    SimulatedRun run;
    run.application = point.application;
    run.precision = point.precision;
    run.n = point.n;
    run.tile = point.tile;
    run.policy = policies[i % per_point / repeat];
    run.simulation.machine = machines.at(point.machine);
    run.simulation.gpus.resize(static_cast<std::size_t>(point.gpus));
    std::iota(run.simulation.gpus.begin(), run.simulation.gpus.end(), 0);
    run.simulation.noise = true;
    run.simulation.seed = options.seed + i % repeat;
    run.simulation.knowledge.kernel_error = options.kernel_error;
    run.simulation.knowledge.bandwidth_error = options.bandwidth_error;
    return run;
  };
  const std::vector<FactorizationOutcome> outcomes =
      simulate_all({options.points.size() * per_point, make}, options.jobs, progress);
  std::vector<PolicyComparison> comparisons;
  for (std::size_t p = 0; p < options.points.size(); ++p) {
    std::vector<PolicyFigure> figures;
    for (std::size_t k = 0; k < policies.size(); ++k) {
      figures.push_back(figure_of(policies[k], &outcomes[p * per_point + k * repeat], options.repeat));
    }
    comparisons.push_back(compare(options.points[p], figures.front(), {figures.begin() + 1, figures.end()}));
  }
  return comparisons;
}

PolicySummary summarize(const std::vector<PolicyComparison>& comparisons) {
  PolicySummary summary;
  double makespans = 0;
  double bytes = 0;
  int many = 0;
  for (const PolicyComparison& comparison : comparisons) {
    makespans += std::log(comparison.makespan_ratio());
    if (comparison.makespan_ratio() > summary.makespan_worst) {
      summary.makespan_worst = comparison.makespan_ratio();
      summary.worst_point = comparison.point.name();
    }
    if (comparison.point.gpus != kManyGpus && comparison.point.gpus != 2 * kManyGpus) continue;
    bytes += std::log(comparison.bytes_ratio());
    ++many;
  }
  if (!comparisons.empty()) summary.makespan_mean = std::exp(makespans / static_cast<double>(comparisons.size()));
  if (many > 0) summary.bytes_mean = std::exp(bytes / many);
  return summary;
}

}  // namespace troupe::apps
