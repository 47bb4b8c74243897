#include "lab/experiments/policy_report.hpp"

#include <fmt/format.h>

#include "apps/run/run_summary.hpp"
#include "lab/experiments/experiment_figures.hpp"
#include "proto/json/json.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

std::string bytes_mean_text(const PolicySummary& summary) {
  return summary.bytes_mean ? fmt::format("{:.3f}", *summary.bytes_mean) : "-";
}

std::string gigabytes(double bytes) { return fmt::format("{:.2f}", bytes / 1e9); }

std::string settings(const PolicyExperimentOptions& options) {
  return fmt::format("{} points, {} runs with noise each, seeds {} to {}", options.points.size(), options.repeat,
                     options.seed, options.seed + static_cast<std::uint64_t>(options.repeat) - 1);
}

Json to_json(const PolicyFigure& figure) {
  return {{"policy", figure.policy}, {"seconds", figure.seconds}, {"bytes", figure.bytes}};
}

Json to_json(const PolicyComparison& comparison) {
  Json rivals = Json::array();
  for (const PolicyFigure& rival : comparison.rivals) rivals.push_back(to_json(rival));
  const PolicyPoint& point = comparison.point;
  return {{"platform", point.machine},
          {"app", to_string(point.application)},
          {"precision", point.precision == Precision::single_precision ? "float" : "double"},
          {"n", point.n},
          {"tile", point.tile},
          {"gpus", point.gpus},
          {"own", to_json(comparison.measured)},
          {"rivals", std::move(rivals)},
          {"fastest", comparison.fastest.policy},
          {"thriftiest", comparison.thriftiest.policy},
          {"makespan_ratio", comparison.makespan_ratio()},
          {"bytes_ratio", comparison.bytes_ratio()}};
}

}  // namespace

std::string policy_text(const std::vector<PolicyVariant>& variants) {
  traces::Table table(
      {"policy", "points", ">number", ">time / best", ">worst", "at", ">bytes / thriftiest, 4 and 8 GPUs"});
  for (const PolicyVariant& variant : variants) {
    const PolicySummary& summary = variant.summary;
    table.add_row({variant.options.policy, variant.title, std::to_string(variant.comparisons.size()),
                   fmt::format("{:.3f}", summary.makespan_mean), fmt::format("{:.3f}", summary.makespan_worst),
                   summary.worst_point, bytes_mean_text(summary)});
  }
  return "Geometric means over the points; rivals: the best of all others at each point, the thriftiest of those that "
         "take at most 1.25 times the best's time\n\n" +
         table.text();
}

Json policy_json(const std::vector<PolicyVariant>& variants) {
  Json all = Json::array();
  for (const PolicyVariant& variant : variants) {
    Json points = Json::array();
    for (const PolicyComparison& comparison : variant.comparisons) points.push_back(to_json(comparison));
    Json json{{"point_set", variant.name},
              {"policy", variant.options.policy},
              {"repeat", variant.options.repeat},
              {"seed", variant.options.seed},
              {"kernel_error", variant.options.kernel_error},
              {"bandwidth_error", variant.options.bandwidth_error},
              {"makespan_ratio_mean", variant.summary.makespan_mean},
              {"makespan_ratio_worst", variant.summary.makespan_worst},
              {"worst_point", variant.summary.worst_point},
              {"comparisons", std::move(points)}};
    if (variant.summary.bytes_mean) json["bytes_ratio_mean"] = *variant.summary.bytes_mean;
    all.push_back(std::move(json));
  }
  return {{"experiment", "policies"}, {"virtual", true}, {"variants", std::move(all)}};
}

std::string policy_markdown(const std::vector<PolicyVariant>& variants) {
  std::string text = "# One policy against all others\n";
  for (const PolicyVariant& variant : variants) {
    const PolicySummary& summary = variant.summary;
    text += fmt::format(
        "\n## {}: {}\n\n{}. Makespan over that of the best rival at each point: geometric mean {:.3f}, worst {:.3f} "
        "({}). Bytes over those of the thriftiest rival within 1.25 times the best makespan, at 4 and 8 GPUs: "
        "geometric mean {}.\n\n| point (n/tile, GPUs) | ms | best rival | ms | ratio | GB | thriftiest | GB | ratio |\n"
        "|---|---|---|---|---|---|---|---|---|\n",
        variant.options.policy, variant.title, settings(variant.options), summary.makespan_mean, summary.makespan_worst,
        summary.worst_point, bytes_mean_text(summary));
    for (const PolicyComparison& comparison : variant.comparisons) {
      text +=
          fmt::format("| {} | {:.1f} | {} | {:.1f} | {:.3f} | {} | {} | {} | {:.3f} |\n", comparison.point.name(),
                      comparison.measured.seconds * 1e3, comparison.fastest.policy, comparison.fastest.seconds * 1e3,
                      comparison.makespan_ratio(), gigabytes(comparison.measured.bytes), comparison.thriftiest.policy,
                      gigabytes(comparison.thriftiest.bytes), comparison.bytes_ratio());
    }
  }
  return text;
}

std::string policy_csv(const std::vector<PolicyVariant>& variants) {
  std::string text = "points,platform,app,n,tile,gpus,policy,seconds,bytes\n";
  for (const PolicyVariant& variant : variants) {
    for (const PolicyComparison& comparison : variant.comparisons) {
      const PolicyPoint& point = comparison.point;
      const auto add = [&](const PolicyFigure& figure) {
        text += fmt::format("{},{},{},{},{},{},\"{}\",{:.9g},{:.0f}\n", variant.name, point.machine,
                            to_string(point.application), point.n, point.tile, point.gpus, figure.policy,
                            figure.seconds, figure.bytes);
      };
      add(comparison.measured);
      for (const PolicyFigure& rival : comparison.rivals) add(rival);
    }
  }
  return text;
}

Result<void> write_policy_report(const std::string& folder, const std::vector<PolicyVariant>& variants) {
  return write_report(folder, {},
                      {{"policies.csv", policy_csv(variants)},
                       {"report.md", policy_markdown(variants)},
                       {"report.json", as_text(policy_json(variants)) + '\n'}});
}

}  // namespace troupe::apps
