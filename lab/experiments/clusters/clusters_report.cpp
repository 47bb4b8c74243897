#include "lab/experiments/clusters/clusters_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "apps/run/run_summary.hpp"
#include "lab/experiments/clusters/clusters_figures.hpp"
#include "lab/experiments/interval_json.hpp"
#include "proto/json/json.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

constexpr const char* kPaperPolicy = "mct";

const char* links_name(GpuLinks links) { return links == GpuLinks::one_each ? "one each" : "shared"; }

std::string clusters_setting(const ClustersReport& report) {
  const ClustersOptions& options = report.options;
  return fmt::format("{}, {} cores, double precision, {} runs of each point, seeds {} to {}", kClustersMachine,
                     kClustersCores, options.repeat, options.seed,
                     options.seed + static_cast<std::uint64_t>(options.repeat) - 1);
}

std::vector<VerdictColumn> clusters_columns(const ClustersReport& report) {
  std::vector<VerdictColumn> columns;
  for (const ClustersVariant& variant : report.variants) {
    columns.push_back({variant.assumptions.name(), &variant.judgements});
  }
  for (const ClustersPolicyVerdicts& other : report.other_policies)
    columns.push_back({other.policy, &other.judgements});
  return columns;
}

std::string markdown_claims(const ClustersReport& report, bool rules) {
  std::vector<std::string> measured;
  for (const Judgement& judgement : report.variants.front().judgements) measured.push_back(judgement.measured);
  return claims_markdown(clusters_claims(), clusters_columns(report), measured, rules);
}

std::string compared_text(const ClustersVariant& variant) {
  return fmt::format("{}: geometric mean {:.3f}, worst {:.3f} (n/tile GPUs: {})", variant.assumptions.name(),
                     variant.compared.mean, variant.compared.worst, variant.compared.worst_point);
}

std::string bound_text(const ClustersVariant& variant) {
  const auto nearest = variant.results.nearest_to_bound();
  return fmt::format("{}: {:.3f} ({})", variant.assumptions.name(), nearest.ratio, nearest.point);
}

std::string comparison_title(const ClustersReport& report) {
  return fmt::format("Speed of {} with its fastest of {} over that of the fastest rival ({}) with any of them",
                     report.options.policy, fmt::join(report.options.configurations, ", "),
                     fmt::join(report.options.rivals, ", "));
}

std::vector<ExperimentFigure> figures_of(const ClustersReport& report) {
  const ClustersVariant& first = report.variants.front();
  return clusters_figures(first.results, report.claims_policy, first.assumptions.name());
}

/// Returns one row of the table of speeds: n, tile and GPUs; then for each configuration the bound and the policies.
std::vector<std::string> speed_cells(const ClustersReport& report, const ClustersProblem& problem) {
  const ClustersResults& results = report.variants.front().results;
  std::vector<std::string> cells{std::to_string(problem.n()), std::to_string(problem.tile),
                                 std::to_string(problem.gpus)};
  for (const std::string& configuration : report.options.configurations) {
    for (const std::string& policy : report.options.policies()) {
      const ClustersPoint* point = results.point(problem, configuration, policy);
      cells.push_back(point == nullptr ? "" : fmt::format("{:.0f}", point->gflops(problem).median));
    }
    const ClustersBound* bound = results.bound(problem, configuration);
    cells.push_back(bound == nullptr ? "" : fmt::format("{:.0f}", problem.gflops(bound->best_s)));
  }
  return cells;
}

std::vector<std::string> speed_titles(const ClustersReport& report) {
  std::vector<std::string> titles{"n", "tile", "GPUs"};
  for (const std::string& configuration : report.options.configurations) {
    for (const std::string& policy : report.options.policies()) titles.push_back(configuration + " " + policy);
    titles.push_back(configuration + " bound");
  }
  return titles;
}

Json clusters_points_json(const ClustersResults& results) {
  Json points = Json::array();
  for (const auto& [key, point] : results.points()) {
    const auto& [problem, configuration, policy] = key;
    Json json{{"n", problem.n()},     {"tile", problem.tile},
              {"gpus", problem.gpus}, {"configuration", configuration},
              {"policy", policy},     {"run_seconds", point.seconds}};
    add_interval(json, "gflops", point.gflops(problem));
    add_interval(json, "bytes", point.bytes);
    if (const ClustersBound* bound = results.bound(problem, configuration)) {
      json["iterated_bound_seconds"] = bound->iterated_s;
      json["bound_seconds"] = bound->best_s;
      json["run_bounds_seconds"] = bound->run_s;
    }
    points.push_back(std::move(json));
  }
  return points;
}

}  // namespace

ClustersReport clusters_report(const ClustersOptions& options,
                               std::vector<std::pair<ClustersAssumptions, ClustersResults>> variants) {
  std::vector<std::string> policies = options.policies();
  ClustersReport report{options, policies.front(), {}, {}};
  if (std::ranges::find(policies, kPaperPolicy) != policies.end()) report.claims_policy = kPaperPolicy;
  for (auto& [assumptions, results] : variants) {
    std::vector<Judgement> judgements = judge_clusters(results, report.claims_policy);
    const PolicyWithClusters compared = compare_with_clusters(results, options.policy);
    report.variants.push_back({assumptions, std::move(results), std::move(judgements), compared});
  }
  for (const std::string& policy : policies) {
    if (policy == report.claims_policy) continue;
    report.other_policies.push_back({policy, judge_clusters(report.variants.front().results, policy)});
  }
  return report;
}

std::string clusters_text(const ClustersReport& report) {
  std::vector<std::string> titles = speed_titles(report);
  for (std::string& title : titles) title.insert(0, ">");
  traces::Table speeds(std::move(titles));
  const ClustersVariant& first = report.variants.front();
  for (const ClustersProblem& problem : first.results.problems()) speeds.add_row(speed_cells(report, problem));
  std::string text = fmt::format("{}\n\nGFlop/s (medians), assumed {}:\n\n{}\n", clusters_setting(report),
                                 first.assumptions.name(), speeds.text());
  text += fmt::format("Claims of the paper under {}, and under other policies with {}:\n\n{}\n", report.claims_policy,
                      first.assumptions.name(), claims_text(clusters_claims(), clusters_columns(report)));
  text += comparison_title(report) + "\n";
  for (const ClustersVariant& variant : report.variants) text += "  " + compared_text(variant) + "\n";
  text += "Smallest makespan over its bound\n";
  for (const ClustersVariant& variant : report.variants) text += "  " + bound_text(variant) + "\n";
  return text;
}

Json clusters_json(const ClustersReport& report) {
  const ClustersOptions& options = report.options;
  Json json{{"virtual", true},
            {"experiment", "clusters"},
            {"platform", kClustersMachine},
            {"precision", "double"},
            {"cores", kClustersCores},
            {"repeat", options.repeat},
            {"seed", options.seed},
            {"configurations", options.configurations},
            {"policy", options.policy},
            {"rival_policies", options.rivals},
            {"claims_policy", report.claims_policy}};
  json["claims"] = claims_json(clusters_claims(), clusters_columns(report));
  for (const ClustersVariant& variant : report.variants) {
    const auto nearest = variant.results.nearest_to_bound();
    json["variants"].push_back({{"deviation", variant.assumptions.deviation},
                                {"assumed_links", links_name(variant.assumptions.links)},
                                {"speed_ratio_mean", variant.compared.mean},
                                {"speed_ratio_worst", variant.compared.worst},
                                {"worst_point", variant.compared.worst_point},
                                {"least_over_bound", nearest.ratio},
                                {"least_over_bound_point", nearest.point},
                                {"points", clusters_points_json(variant.results)}});
  }
  return json;
}

std::string clusters_markdown(const ClustersReport& report) {
  const ClustersVariant& first = report.variants.front();
  std::string text = "# Clusters of cores in simulation\n\n" + clusters_setting(report) + ".\n";
  text += fmt::format(
      "\nThe claims are those of Cojean, Guermouche, Hugo, Namyst and Wacrenier (section 5), under {}. A claim comes "
      "to one or more comparisons of medians: it *holds* where all of them pass, *holds in part* where at least half "
      "do, and *does not hold* otherwise.\n\nThe paper says neither how kernel times vary nor how its GPUs are "
      "connected. *Assumed*: deviations in percent of the mean, and one link of 10.5 GB/s that all GPUs share, or one "
      "for each. One column for each; then other policies, assumed as in the first. Numbers are of the first.\n\n",
      report.claims_policy);
  text += markdown_claims(report, true);
  text += "\n## Policies with clusters\n\n" + comparison_title(report) + ":\n\n";
  for (const ClustersVariant& variant : report.variants) text += "- " + compared_text(variant) + "\n";
  text += "\nSmallest makespan over its bound, which is at least 1:\n\n";
  for (const ClustersVariant& variant : report.variants) text += "- " + bound_text(variant) + "\n";
  for (const ExperimentFigure& figure : figures_of(report)) text += figure_markdown(figure.name, figure.title);
  text += fmt::format("\n## GFlop/s\n\nMedians, assumed {}.\n\n| {} |\n|", first.assumptions.name(),
                      fmt::join(speed_titles(report), " | "));
  for (std::size_t i = 0; i < speed_titles(report).size(); ++i) text += "---|";
  text += '\n';
  for (const ClustersProblem& problem : first.results.problems()) {
    text += fmt::format("| {} |\n", fmt::join(speed_cells(report, problem), " | "));
  }
  return text;
}

std::string clusters_table(const ClustersReport& report) { return markdown_claims(report, false); }

std::string clusters_csv(const ClustersReport& report) {
  std::string text =
      "deviation,links,n,tile,gpus,configuration,policy,runs,gflops,gflops_low,gflops_high,spread,bytes,"
      "iterated_bound_gflops,bound_gflops\n";
  for (const ClustersVariant& variant : report.variants) {
    for (const auto& [key, point] : variant.results.points()) {
      const auto& [problem, configuration, policy] = key;
      const MedianInterval gflops = point.gflops(problem);
      const ClustersBound* bound = variant.results.bound(problem, configuration);
      fmt::format_to(std::back_inserter(text), "{:g},{},{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.6g},{:.12g},{},{}\n",
                     variant.assumptions.deviation, links_name(variant.assumptions.links), problem.n(), problem.tile,
                     problem.gpus, quoted_csv(configuration), quoted_csv(policy), point.seconds.size(), gflops.median,
                     gflops.low, gflops.high, point.spread(), point.bytes.median,
                     bound == nullptr ? "" : fmt::format("{:.9g}", problem.gflops(bound->iterated_s)),
                     bound == nullptr ? "" : fmt::format("{:.9g}", problem.gflops(bound->best_s)));
    }
  }
  return text;
}

Result<void> write_clusters_report(const std::string& folder, const ClustersReport& report) {
  return write_report(folder, figures_of(report),
                      {{"clusters.csv", clusters_csv(report)},
                       {"claims.csv", claims_csv(clusters_claims(), clusters_columns(report))},
                       {"table.md", clusters_table(report)},
                       {"report.md", clusters_markdown(report)},
                       {"report.json", as_text(clusters_json(report)) + '\n'}});
}

}  // namespace troupe::apps
