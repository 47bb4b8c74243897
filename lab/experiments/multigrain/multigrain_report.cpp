#include "lab/experiments/multigrain/multigrain_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "apps/run/run_summary.hpp"
#include "lab/experiments/interval_json.hpp"
#include "lab/experiments/multigrain/multigrain_figures.hpp"
#include "proto/json/json.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

constexpr const char* kLost =
    "The paper's figures are lost; its text has the numbers that the claims name, and no others. Kernel times are "
    "assumed (docs/platforms.md), and what 'a third is empty' means, and how fast the GPU is with many products in one "
    "call, is assumed in several ways, one column each. 'No cache' is a GPU memory that holds the data of one task: "
    "the "
    "paper copies all of a task's data each time, here what two tasks in a row share stays. Step 3 has no panels: what "
    "the products before have left in the GPU's memory need not be fetched again. Tasks wait for their data alone, not "
    "for the end of a step. Lines without a policy's name are the paper's: no priorities, its cache goes by row + "
    "column.";

std::string multigrain_setting(const MultigrainReport& report) {
  const MultigrainOptions& options = report.options;
  return fmt::format(
      "blocks of 192, super-blocks of 5 x 5, single precision, {} structures for each point, seeds {} to {}",
      options.repeat, options.seed, options.seed + static_cast<std::uint64_t>(options.repeat) - 1);
}

std::vector<VerdictColumn> multigrain_columns(const MultigrainReport& report) {
  std::vector<VerdictColumn> columns;
  for (const MultigrainVariant& variant : report.variants) {
    columns.push_back({variant.assumptions.name(), &variant.judgements});
  }
  return columns;
}

/// Returns a table for one machine and these steps, with one row for each line of the figures and one column for each
/// place.
std::vector<std::vector<std::string>> speed_table(const MultigrainReport& report, const std::string& machine,
                                                  linalg::BlockSteps steps) {
  const MultigrainResults& results = report.variants.front().results;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> titles{"GFlop/s (GB moved)"};
  std::vector<MultigrainPlace> places = results.places();
  std::erase_if(places, [&](const MultigrainPlace& place) { return place.machine != machine || place.steps != steps; });
  for (const MultigrainPlace& place : places) titles.push_back(std::to_string(place.blocks));
  rows.push_back(std::move(titles));
  for (const MultigrainSeries& series : multigrain_series(report.options)) {
    std::vector<std::string> cells{series.name};
    for (const MultigrainPlace& place : places) {
      const MultigrainPoint* point = results.point(place, series.name);
      cells.push_back(
          point == nullptr ? "" : fmt::format("{:.0f} ({:.2f})", point->gflops.median, point->bytes.median / 1e9));
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

std::vector<std::string> multigrain_policies(const MultigrainReport& report) {
  std::vector<std::string> all{report.options.policy};
  all.insert(all.end(), report.options.others.begin(), report.options.others.end());
  return all;
}

std::vector<ExperimentFigure> figures_of(const MultigrainReport& report) {
  const MultigrainVariant& first = report.variants.front();
  return multigrain_figures(first.results, multigrain_policies(report), first.assumptions.name());
}

std::string comparison_line(const MultigrainVariant& variant, const std::string& policy) {
  const MultigrainComparison compared = compare_with_affinity(variant.results, policy);
  return fmt::format("{}, {}: speed {:.3f} (geometric mean of {}), worst {:.3f} ({}), bytes {:.3f}", policy,
                     variant.assumptions.name(), compared.mean, compared.places, compared.worst, compared.worst_place,
                     compared.bytes);
}

std::string multigrain_markdown(const MultigrainReport& report) {
  std::string text = fmt::format("# Super-tasks in simulation\n\nSparse LU, {}.\n\n", multigrain_setting(report));
  text += fmt::format(
      "The claims are those of Vet, Carribault and Cohen. A claim comes to one or more comparisons of medians: it "
      "*holds* where all of them pass, *holds in part* where at least half do, and *does not hold* "
      "otherwise.\n\n{}\n\n",
      kLost);
  std::vector<std::string> measured;
  for (const Judgement& judgement : report.variants.front().judgements) measured.push_back(judgement.measured);
  text += claims_markdown(multigrain_claims(), multigrain_columns(report), measured, true);
  text += fmt::format("\n## Policies on cores and GPU over {}\n\n", kAffinityPolicy);
  for (const std::string& policy : multigrain_policies(report)) {
    for (const MultigrainVariant& variant : report.variants) text += "- " + comparison_line(variant, policy) + '\n';
  }
  for (const ExperimentFigure& figure : figures_of(report)) text += figure_markdown(figure.name, figure.title);
  for (const std::string& machine : report.options.machines) {
    for (const linalg::BlockSteps steps : report.options.steps) {
      text += fmt::format("\n## {}, by blocks on a side\n\n", title_of(machine, steps));
      bool first = true;
      for (const auto& row : speed_table(report, machine, steps)) {
        text += fmt::format("| {} |\n", fmt::join(row, " | "));
        if (first) text += fmt::format("|{}\n", fmt::join(std::vector<std::string>(row.size(), "---|"), ""));
        first = false;
      }
    }
  }
  return text;
}

std::string multigrain_csv(const MultigrainReport& report) {
  std::string text =
      "structure,streamed_fraction,machine,steps,blocks,series,gflops,gflops_low,gflops_high,bytes,stored_bytes\n";
  for (const MultigrainVariant& variant : report.variants) {
    for (const auto& [key, point] : variant.results.points()) {
      const auto& [place, series] = key;
      fmt::format_to(std::back_inserter(text), "{},{:g},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.12g},{:.12g}\n",
                     to_string(variant.assumptions.structure), variant.assumptions.streamed_fraction, place.machine,
                     to_string(place.steps), place.blocks, quoted_csv(series), point.gflops.median, point.gflops.low,
                     point.gflops.high, point.bytes.median, point.stored_bytes);
    }
  }
  return text;
}

}  // namespace

std::string multigrain_text(const MultigrainReport& report) {
  std::string text = fmt::format("sparse LU, {}; assumed {}\n", multigrain_setting(report),
                                 report.variants.front().assumptions.name());
  for (const std::string& machine : report.options.machines) {
    for (const linalg::BlockSteps steps : report.options.steps) {
      auto rows = speed_table(report, machine, steps);
      for (std::size_t i = 1; i < rows.front().size(); ++i) rows.front()[i].insert(0, ">");
      traces::Table table(rows.front());
      for (auto row = std::next(rows.begin()); row != rows.end(); ++row) table.add_row(*row);
      text += fmt::format("\n{}, by blocks on a side\n\n{}", title_of(machine, steps), table.text());
    }
  }
  text += fmt::format("\nClaims of the paper, and aims for {}:\n\n{}\nBoth together, over {}\n", report.options.policy,
                      claims_text(multigrain_claims(), multigrain_columns(report)), kAffinityPolicy);
  for (const std::string& policy : multigrain_policies(report)) {
    for (const MultigrainVariant& variant : report.variants) text += "  " + comparison_line(variant, policy) + '\n';
  }
  return text + '\n' + kLost + '\n';
}

Json multigrain_json(const MultigrainReport& report) {
  Json json{{"virtual", true},
            {"experiment", "multigrain"},
            {"platforms", report.options.machines},
            {"precision", "float"},
            {"repeat", report.options.repeat},
            {"seed", report.options.seed},
            {"policy", report.options.policy},
            {"cannot_be_told", kLost}};
  json["claims"] = claims_json(multigrain_claims(), multigrain_columns(report));
  for (const MultigrainVariant& variant : report.variants) {
    Json of{{"structure", to_string(variant.assumptions.structure)},
            {"streamed_fraction", variant.assumptions.streamed_fraction}};
    for (const std::string& policy : multigrain_policies(report)) {
      const MultigrainComparison compared = compare_with_affinity(variant.results, policy);
      of["policies"].push_back({{"policy", policy},
                                {"speed_ratio_mean", compared.mean},
                                {"speed_ratio_worst", compared.worst},
                                {"worst_point", compared.worst_place},
                                {"bytes_ratio", compared.bytes},
                                {"places", compared.places}});
    }
    for (const auto& [key, point] : variant.results.points()) {
      const auto& [place, series] = key;
      Json one{{"platform", place.machine},
               {"steps", to_string(place.steps)},
               {"blocks", place.blocks},
               {"series", series},
               {"stored_bytes", point.stored_bytes}};
      add_interval(one, "gflops", point.gflops);
      add_interval(one, "bytes", point.bytes);
      of["points"].push_back(std::move(one));
    }
    json["variants"].push_back(std::move(of));
  }
  return json;
}

Result<void> write_multigrain_report(const std::string& folder, const MultigrainReport& report) {
  return write_report(folder, figures_of(report),
                      {{"multigrain.csv", multigrain_csv(report)},
                       {"claims.csv", claims_csv(multigrain_claims(), multigrain_columns(report))},
                       {"report.md", multigrain_markdown(report)},
                       {"report.json", as_text(multigrain_json(report)) + '\n'}});
}

}  // namespace troupe::apps
