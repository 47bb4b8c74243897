#include "lab/experiments/dada_report.hpp"

#include <fmt/format.h>

#include <iterator>

#include "apps/run/run_summary.hpp"
#include "lab/experiments/experiment_figures.hpp"
#include "proto/json/json.hpp"

namespace troupe::apps {

namespace {

std::string variant_name(const DadaVariant& variant) {
  return fmt::format("x {:.3g}{}", variant.assumptions, variant.peer_copies ? "" : ", no peer copies");
}

std::string setting(const DadaReport& report) {
  const DadaExperimentOptions& options = report.options;
  return fmt::format(
      "{}, n = {}, tile {}, double precision, 1 to {} GPUs (one for each switch first), {} runs with "
      "noise of each point, seeds {} to {}",
      report.machine, options.n, options.tile, kDadaGpus, options.repeat, options.seed,
      options.seed + static_cast<std::uint64_t>(options.repeat) - 1);
}

/// Returns the numbers of the first variant. If the last variant has no peer copies, adds the numbers of that variant.
std::string measured_text(const DadaReport& report, std::size_t claim) {
  std::string text = report.variants.front().judgements[claim].measured;
  const DadaVariant& last = report.variants.back();
  if (!last.peer_copies) text += ". Without peer copies: " + last.judgements[claim].measured;
  return text;
}

std::vector<VerdictColumn> columns(const DadaReport& report) {
  std::vector<VerdictColumn> columns;
  for (const DadaVariant& variant : report.variants) columns.push_back({variant_name(variant), &variant.judgements});
  return columns;
}

std::string table(const DadaReport& report, bool rules) {
  std::vector<std::string> measured;
  for (std::size_t i = 0; i < dada_claims().size(); ++i) measured.push_back(measured_text(report, i));
  return claims_markdown(dada_claims(), columns(report), measured, rules);
}

void add_figures(const DadaReport& report, std::string& text) {
  for (const DadaFigure& figure : dada_figures()) {
    text += figure_markdown(figure.name, figure.title);
    for (const DadaFigure::Row& row : figure.rows) {
      text += fmt::format("\n{}GFlop/s (GB moved) over the number of GPUs:\n\n| policy |",
                          row.title.empty() ? "" : row.title + "; ");
      for (int gpus = 1; gpus <= kDadaGpus; ++gpus) text += fmt::format(" {} |", gpus);
      text += "\n|---|";
      for (int gpus = 1; gpus <= kDadaGpus; ++gpus) text += "---|";
      text += '\n';
      for (const std::string& policy : row.policies) {
        text += fmt::format("| {} |", policy);
        for (int gpus = 1; gpus <= kDadaGpus; ++gpus) {
          const SimulationPoint& point = report.variants.front().results.at(row.graph, policy, gpus);
          text += fmt::format(" {:.0f} ({:.2f}) |", point.gflops.mean, point.bytes.mean / 1e9);
        }
        text += '\n';
      }
    }
  }
}

Json points_json(const DadaVariant& variant) {
  Json json = Json::array();
  for (const DadaFigure& figure : dada_figures()) {
    for (const DadaFigure::Row& row : figure.rows) {
      for (const std::string& policy : row.policies) {
        for (int gpus = 1; gpus <= kDadaGpus; ++gpus) {
          const SimulationPoint& point = variant.results.at(row.graph, policy, gpus);
          json.push_back({{"figure", figure.name},
                          {"app", to_string(application_of(row.graph))},
                          {"pivoting", to_string(pivoting_of(row.graph))},
                          {"policy", policy},
                          {"gpus", gpus},
                          {"gflops", point.gflops.mean},
                          {"gflops_margin", point.gflops.margin},
                          {"seconds", point.seconds.mean},
                          {"seconds_margin", point.seconds.margin},
                          {"bytes", point.bytes.mean},
                          {"bytes_margin", point.bytes.margin}});
        }
      }
    }
  }
  return json;
}

}  // namespace

std::string dada_text(const DadaReport& report) {
  std::vector<VerdictColumn> titled = columns(report);
  for (VerdictColumn& column : titled) {
    column.title = titled.size() > 1 ? "assumptions " + column.title : "verdict";
  }
  return setting(report) + "\n\n" + claims_text(dada_claims(), titled);
}

Json dada_json(const DadaReport& report) {
  Json json{{"virtual", true},
            {"experiment", "dada"},
            {"platform", report.machine},
            {"precision", "double"},
            {"n", report.options.n},
            {"tile", report.options.tile},
            {"repeat", report.options.repeat},
            {"seed", report.options.seed},
            {"not_described", report.derived}};
  Json& claims = json["claims"] = claims_json(dada_claims(), columns(report));
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (std::size_t j = 0; j < report.variants.size(); ++j) {
      Json& verdict = claims[i]["verdicts"][j];
      verdict["assumptions"] = report.variants[j].assumptions;
      verdict["peer_copies"] = report.variants[j].peer_copies;
    }
  }
  for (const DadaVariant& variant : report.variants) {
    json["variants"].push_back(
        {{"assumptions", variant.assumptions}, {"peer_copies", variant.peer_copies}, {"points", points_json(variant)}});
  }
  return json;
}

std::string dada_markdown(const DadaReport& report) {
  std::string text = "# HEFT and DADA in simulation\n\n" + setting(report) + ".\n";
  text +=
      "\nThe claims are those of Bleuse, Gautier, Lima, Mounie and Trystram (Euro-Par 2014). Each comes to one or more "
      "comparisons of means: it *holds* where all of them pass, *holds in part* where at least half do, and *does not "
      "hold* otherwise. *Similar*: they differ by at most 10 % of the larger. *More* and *less*: by at least 2 %, "
      "and the 95 % confidence intervals do not overlap. *At least*: not more than 2 % below.\n";
  if (report.variants.size() > 1) {
    text +=
        "\nOne column for each factor on the speed of GPUs on those kernels whose times the machine's description "
        "assumes, and for copies between GPUs that go through host memory (no peer copies). Measured numbers are of "
        "the "
        "first, and of the last where that has no peer copies; figures are of the first.\n";
  }
  if (!report.derived.empty()) text += fmt::format("\nNot in the machine's description: {}.\n", report.derived);
  text += '\n' + table(report, true);
  add_figures(report, text);
  return text;
}

std::string dada_table(const DadaReport& report) { return table(report, false); }

std::string figure_csv(const DadaFigure& figure, const DadaReport& report) {
  std::string text =
      "assumptions,peer_copies,app,policy,gpus,runs,gflops,gflops_margin,seconds,seconds_margin,bytes,bytes_margin,"
      "bytes_host_to_device,bytes_device_to_host,bytes_device_to_device\n";
  for (const DadaVariant& variant : report.variants) {
    for (const DadaFigure::Row& row : figure.rows) {
      for (const std::string& policy : row.policies) {
        for (int gpus = 1; gpus <= kDadaGpus; ++gpus) {
          const SimulationPoint& point = variant.results.at(row.graph, policy, gpus);
          fmt::format_to(std::back_inserter(text),
                         "{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.12g},{:.9g},{:.12g},{:.12g},{:.12g}\n",
                         variant.assumptions, variant.peer_copies, quoted_csv(to_string(row.graph)), quoted_csv(policy),
                         gpus, report.options.repeat, point.gflops.mean, point.gflops.margin, point.seconds.mean,
                         point.seconds.margin, point.bytes.mean, point.bytes.margin, point.bytes_host_to_device.mean,
                         point.bytes_device_to_host.mean, point.bytes_device_to_device.mean);
        }
      }
    }
  }
  return text;
}

std::string claims_csv(const DadaReport& report) {
  std::string text = "name,section,claim,rule,assumptions,peer_copies,verdict,passed,checks,measured\n";
  const std::vector<Claim>& claims = dada_claims();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    for (const DadaVariant& variant : report.variants) {
      const Judgement& judgement = variant.judgements[i];
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", claims[i].name, claims[i].section,
                          quoted_csv(claims[i].statement), quoted_csv(claims[i].rule), variant.assumptions,
                          variant.peer_copies, to_string(judgement.verdict()), judgement.passed, judgement.checks,
                          quoted_csv(judgement.measured));
    }
  }
  return text;
}

Result<void> write_dada_report(const std::string& folder, const DadaReport& report) {
  const std::string drawn_setting = fmt::format("{}, n = {}", report.machine, report.options.n);
  std::vector<ExperimentFigure> figures;
  std::vector<std::pair<std::string, std::string>> files{{"table.md", dada_table(report)},
                                                         {"claims.csv", claims_csv(report)},
                                                         {"report.md", dada_markdown(report)},
                                                         {"report.json", as_text(dada_json(report)) + '\n'}};
  for (const DadaFigure& figure : dada_figures()) {
    figures.push_back({figure.name, figure.title, chart_of(figure, report.variants.front().results, drawn_setting)});
    files.emplace_back(figure.name + ".csv", figure_csv(figure, report));
  }
  return write_report(folder, figures, files);
}

}  // namespace troupe::apps
