#include "lab/experiments/opencl/opencl_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "apps/run/run_summary.hpp"
#include "lab/experiments/interval_json.hpp"
#include "lab/experiments/opencl/opencl_figures.hpp"
#include "proto/json/json.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

constexpr const char* kMeasuredTitle = "this machine";

using Rows = std::vector<std::vector<std::string>>;

std::vector<VerdictColumn> virtual_columns(const OpenClReport& report) {
  std::vector<VerdictColumn> columns;
  for (const OpenClVariant& variant : report.variants) {
    columns.push_back({variant.assumptions.name(), &variant.judgements});
  }
  return columns;
}

std::vector<VerdictColumn> measured_columns(const OpenClReport& report) {
  return {{kMeasuredTitle, &report.measured_judgements}};
}

std::vector<std::string> said(const std::vector<Judgement>& judgements) {
  std::vector<std::string> all;
  for (const Judgement& judgement : judgements) all.push_back(judgement.measured);
  return all;
}

std::string program_title(OpenClProgram program) {
  switch (program) {
    case OpenClProgram::black_scholes: return "Black-Scholes on hannibal";
    case OpenClProgram::reuse: return "25 million options ten times, on averell";
    case OpenClProgram::tone_mapping: return "Tone mapping on hannibal";
  }
  return "";
}

constexpr std::array kPrograms{OpenClProgram::black_scholes, OpenClProgram::reuse, OpenClProgram::tone_mapping};

/// Returns a table for one program, with one row for each line of its figure and one column for each place. A cell has
/// the seconds, and the copied bytes divided by the necessary bytes.
Rows virtual_table(const OpenClVirtualResults& results, OpenClProgram program) {
  const std::vector<OpenClPlace> places = results.places(program);
  std::set<std::string> names;
  for (const auto& [key, point] : results.points()) {
    if (key.first.program == program) names.insert(key.second);
  }
  Rows rows{{"ms (bytes copied over the least)"}};
  for (const OpenClPlace& place : places) rows.front().push_back(place.name());
  for (const std::string& name : names) {
    std::vector<std::string> cells{name};
    for (const OpenClPlace& place : places) {
      const OpenClPoint* point = results.point(place, name);
      cells.push_back(point == nullptr ? ""
                                       : fmt::format("{:.1f} ({:.2f})", 1e3 * point->seconds.median,
                                                     point->bytes.median / place.compulsory_bytes()));
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

/// Returns a table with one row for each program that was run and one column for each way to run it.
Rows measured_table(const OpenClMeasured& measured) {
  using namespace opencl_ways;
  std::vector<const char*> ways;
  for (const char* way : {kDirect, kOne, kAll, kAllHeft, kAllEager, kSocl}) {
    const auto used = [&](const auto& entry) { return entry.first.second == way; };
    if (std::ranges::any_of(measured.points, used)) ways.push_back(way);
  }
  Rows rows{{"ms (low to high; bytes copied over the least)"}};
  for (const char* way : ways) rows.front().emplace_back(way);
  for (const OpenClWork& work : measured.works) {
    std::vector<std::string> cells{work.name};
    for (const char* way : ways) {
      const OpenClMeasurement* point = measured.point(work, way);
      std::string& cell = cells.emplace_back();
      if (point == nullptr) continue;
      const MedianInterval& seconds = point->seconds;
      cell = fmt::format("{:.1f} ({:.1f} to {:.1f}", 1e3 * seconds.median, 1e3 * seconds.low, 1e3 * seconds.high);
      if (point->bytes && work.compulsory_bytes)
        cell += fmt::format("; {:.2f}", *point->bytes / *work.compulsory_bytes);
      cell += ")";
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

std::string terminal_table(Rows rows) {
  for (std::size_t i = 1; i < rows.front().size(); ++i) rows.front()[i].insert(0, ">");
  traces::Table table(rows.front());
  for (auto row = std::next(rows.begin()); row != rows.end(); ++row) table.add_row(*row);
  return table.text();
}

std::string markdown_table(const Rows& rows) {
  std::string text = fmt::format("| {} |\n|{}\n", fmt::join(rows.front(), " | "),
                                 fmt::join(std::vector<std::string>(rows.front().size(), "---|"), ""));
  for (auto row = std::next(rows.begin()); row != rows.end(); ++row)
    text += fmt::format("| {} |\n", fmt::join(*row, " | "));
  return text;
}

std::string virtual_setting(const OpenClReport& report) {
  return fmt::format("{} runs of each point, seeds {} to {}", report.options.repeat, report.options.seed,
                     report.options.seed + static_cast<std::uint64_t>(report.options.repeat) - 1);
}

/// Returns the conditions of the measurement, or the reason why nothing was measured.
std::string measured_setting(const OpenClReport& report) {
  const OpenClMeasured& measured = *report.measured;
  if (!measured.why_not.empty()) return fmt::format("not measured: {}", measured.why_not);
  std::string text = fmt::format(
      "{} of the paper's sizes, {} rounds in turns, medians; {} device(s): {}. Direct is the first of them by its own "
      "driver. Bytes are of a run of its own, in which kernel times are not known yet.",
      report.measuring.scale, report.measuring.rounds, measured.devices.size(), fmt::join(measured.devices, "; "));
  for (const std::string& remark : measured.remarks) text += ' ' + remark;
  return text;
}

std::vector<ExperimentFigure> figures_of(const OpenClReport& report) {
  if (report.variants.empty()) return {};
  const OpenClVariant& first = report.variants.front();
  return opencl_figures(first.results, report.policy, first.assumptions.name());
}

void add_virtual_markdown(std::string& text, const OpenClReport& report) {
  const OpenClVariant& first = report.variants.front();
  text += fmt::format("\n## In virtual time\n\n{}.\n\n{}\n\n", virtual_setting(report), machines_text());
  text += fmt::format("The policy of the aims is `{}`.\n\n", report.policy);
  text += claims_markdown(opencl_virtual_claims(), virtual_columns(report), said(first.judgements), true);
  for (const ExperimentFigure& figure : figures_of(report)) text += figure_markdown(figure.name, figure.title);
  for (const OpenClProgram program : kPrograms) {
    text += fmt::format("\n## {}\n\n{}", program_title(program), markdown_table(virtual_table(first.results, program)));
  }
  for (const OpenClVariant& variant : report.variants) {
    for (const std::string& failure : variant.results.failures()) {
      text += fmt::format("\nFailed, {}: {}\n", variant.assumptions.name(), failure);
    }
  }
}

void add_measured_markdown(std::string& text, const OpenClReport& report) {
  const OpenClMeasured& measured = *report.measured;
  text += fmt::format("\n## On this machine\n\n{}\n\n", measured_setting(report));
  text += claims_markdown(opencl_measured_claims(), measured_columns(report), said(report.measured_judgements), true);
  if (!measured.points.empty()) text += '\n' + markdown_table(measured_table(measured));
  for (const std::string& failure : measured.failures) text += fmt::format("\nFailed: {}\n", failure);
}

std::string opencl_markdown(const OpenClReport& report) {
  std::string text =
      "# OpenCL on all devices\n\nThe claims are those of Henry, Denis, Barthou, Counilh and Namyst, Toward OpenCL "
      "Automatic Multi-Device Support (2014). A claim comes to one or more comparisons of medians: it *holds* where "
      "all "
      "of them pass, *holds in part* where at least half do, and *does not hold* otherwise. The figures of the paper "
      "have no "
      "numbers: what is compared is what its text says. LuxRender was not run.\n";
  if (!report.variants.empty()) add_virtual_markdown(text, report);
  if (report.measured) add_measured_markdown(text, report);
  return text;
}

std::string opencl_csv(const OpenClReport& report) {
  std::string text = "assumptions,program,size,blocks,line,seconds,seconds_low,seconds_high,bytes,compulsory_bytes\n";
  const auto out = std::back_inserter(text);
  for (const OpenClVariant& variant : report.variants) {
    for (const auto& [key, point] : variant.results.points()) {
      const auto& [place, line] = key;
      fmt::format_to(out, "{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.12g},{:.12g}\n",
                     quoted_csv(variant.assumptions.name()), quoted_csv(program_title(place.program)), place.size,
                     place.blocks, quoted_csv(line), point.seconds.median, point.seconds.low, point.seconds.high,
                     point.bytes.median, place.compulsory_bytes());
    }
  }
  if (!report.measured) return text;
  for (const OpenClWork& work : report.measured->works) {
    for (const auto& [key, point] : report.measured->points) {
      if (key.first != work.name) continue;
      fmt::format_to(out, "{},{},,,{},{:.9g},{:.9g},{:.9g},{},{}\n", kMeasuredTitle, quoted_csv(work.name),
                     quoted_csv(key.second), point.seconds.median, point.seconds.low, point.seconds.high,
                     point.bytes ? fmt::format("{:.12g}", *point.bytes) : "",
                     work.compulsory_bytes ? fmt::format("{:.12g}", *work.compulsory_bytes) : "");
    }
  }
  return text;
}

Json measured_json(const OpenClReport& report) {
  const OpenClMeasured& measured = *report.measured;
  Json json{{"device_names", measured.devices}, {"scale", report.measuring.scale}, {"rounds", report.measuring.rounds},
            {"remarks", measured.remarks},      {"failures", measured.failures},   {"points", Json::array()}};
  if (!measured.why_not.empty()) json["not_measured"] = measured.why_not;
  for (const OpenClWork& work : measured.works) {
    for (const auto& [key, point] : measured.points) {
      if (key.first != work.name) continue;
      Json one{{"program", work.name}, {"way", key.second}};
      add_interval(one, "seconds", point.seconds);
      if (point.bytes) one["bytes"] = *point.bytes;
      if (work.compulsory_bytes) one["compulsory_bytes"] = *work.compulsory_bytes;
      json["points"].push_back(std::move(one));
    }
  }
  return json;
}

}  // namespace

std::string opencl_text(const OpenClReport& report) {
  std::string text;
  if (!report.variants.empty()) {
    const OpenClVariant& first = report.variants.front();
    text += fmt::format("In virtual time, {}; assumed {}\n", virtual_setting(report), first.assumptions.name());
    for (const OpenClProgram program : kPrograms) {
      text += fmt::format("\n{}\n\n{}", program_title(program), terminal_table(virtual_table(first.results, program)));
    }
    text += fmt::format("\nClaims of the paper, and aims for {}:\n\n{}", report.policy,
                        claims_text(opencl_virtual_claims(), virtual_columns(report)));
  }
  if (report.measured) {
    text += fmt::format("{}On this machine: {}\n\n", text.empty() ? "" : "\n", measured_setting(report));
    if (!report.measured->points.empty()) text += terminal_table(measured_table(*report.measured)) + '\n';
    text += claims_text(opencl_measured_claims(), measured_columns(report));
    for (const std::string& failure : report.measured->failures) text += "failed: " + failure + '\n';
  }
  return text;
}

Json opencl_json(const OpenClReport& report) {
  Json json{{"experiment", "opencl"},
            {"repeat", report.options.repeat},
            {"seed", report.options.seed},
            {"policy", report.policy},
            {"claims", Json::array()}};
  if (!report.variants.empty()) json["claims"] = claims_json(opencl_virtual_claims(), virtual_columns(report));
  if (report.measured) {
    for (Json& claim : claims_json(opencl_measured_claims(), measured_columns(report))) json["claims"].push_back(claim);
  }
  for (const OpenClVariant& variant : report.variants) {
    Json of{{"processors", variant.assumptions.processors},
            {"assumed_links", variant.assumptions.links},
            {"tone_mapping", variant.assumptions.tone_mapping}};
    for (const auto& [key, point] : variant.results.points()) {
      const auto& [place, line] = key;
      Json one{{"program", program_title(place.program)},
               {"size", place.size},
               {"blocks", place.blocks},
               {"line", line},
               {"compulsory_bytes", place.compulsory_bytes()}};
      add_interval(one, "seconds", point.seconds);
      add_interval(one, "bytes", point.bytes);
      of["points"].push_back(std::move(one));
    }
    json["variants"].push_back(std::move(of));
  }
  if (report.measured) json["on_this_machine"] = measured_json(report);
  return json;
}

Result<void> write_opencl_report(const std::string& folder, const OpenClReport& report) {
  std::string claims;
  if (!report.variants.empty()) claims = claims_csv(opencl_virtual_claims(), virtual_columns(report));
  if (report.measured) {
    const std::string measured = claims_csv(opencl_measured_claims(), measured_columns(report));
    // The file needs only one line of titles.
    claims += claims.empty() ? measured : measured.substr(measured.find('\n') + 1);
  }
  return write_report(folder, figures_of(report),
                      {{"opencl.csv", opencl_csv(report)},
                       {"claims.csv", claims},
                       {"report.md", opencl_markdown(report)},
                       {"report.json", as_text(opencl_json(report)) + '\n'}});
}

}  // namespace troupe::apps
