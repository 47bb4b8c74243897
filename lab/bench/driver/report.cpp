#include "lab/bench/driver/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proto/json/json.hpp"
#include "traces/text/table.hpp"

namespace troupe::bench {
namespace {

/// Formats a number with at least three digits.
std::string number(double value) {
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e7)) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}

std::string interval(const Estimate& estimate) {
  return fmt::format("[{}, {}]", number(estimate.low), number(estimate.high));
}

/// Adds a note unless the list already has it.
void add_note(std::vector<std::string>& notes, std::string note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

void add_measured(std::vector<std::string>& line, const Plan& plan, const RowResult& row, const Series& series) {
  for (const std::string& key : row.row.keys) {
    const Estimate figure = estimate(series.samples.at(key));
    line.push_back(number(figure.median));
    line.push_back(interval(figure));
  }
  const auto ratio = ratio_to_troupe(plan, row, series);
  line.push_back(ratio ? number(ratio->estimate.median) : "");
  line.push_back(ratio ? interval(ratio->estimate) : "");
}

void add_rows(ReportCells& cells, const Plan& plan, const RowResult& row) {
  for (const Series& series : row.series) {
    const std::string label = series.contestant.label();
    if (!series.measured()) {
      if (series.skipped == "not installed") continue;  // A note on the whole benchmark names these runners.
      const std::string where = series.failed ? fmt::format(" ({})", fmt::join(row.row.labels, ", ")) : "";
      add_note(cells.notes,
               fmt::format("{}{} {}: {}", label, where, series.failed ? "failed" : "skipped", series.skipped));
      continue;
    }
    std::vector<std::string> line = row.row.labels;
    line.push_back(label);
    add_measured(line, plan, row, series);
    cells.lines.push_back(std::move(line));
  }
}

/// Adds a line for each peer with the mean of its ratios.
void add_means(ReportCells& cells, const Results& results) {
  for (const MeanRatio& mean : mean_ratios(results)) {
    std::vector<std::string> line(cells.titles.size());
    line[0] = fmt::format("geometric mean of {}", mean.rows);
    line[cells.words - 1] = mean.peer;
    line[line.size() - 2] = number(mean.ratio);
    cells.lines.push_back(std::move(line));
  }
}

/// Returns the title of the ratios.
const char* ratio_title(const Plan& plan) { return plan.peers_over_troupe ? "peer / Troupe" : "Troupe / peer"; }

/// Adds a note if the reference varied, since other programs must then have used the cores.
void add_note_on_references(std::vector<std::string>& notes, const std::vector<double>& references) {
  if (references.empty()) return;
  constexpr double kQuiet = 1.1;
  const auto [least, most] = std::minmax_element(references.begin(), references.end());
  if (*most <= kQuiet * *least) return;
  notes.push_back(
      fmt::format("the machine was not quiet: the reference varied between {} and {}", number(*least), number(*most)));
}

/// Describes how the intervals are computed.
std::string method(const Plan& plan) {
  const double coverage = estimate(std::vector<double>(static_cast<std::size_t>(plan.rounds))).coverage;
  return fmt::format(
      "{} cores; medians of {} interleaved rounds; [intervals of the median, {:.0f} %]; {}: {} is better", plan.cores,
      plan.rounds, 100 * coverage, ratio_title(plan), plan.more_is_better != plan.peers_over_troupe ? "more" : "less");
}

Json to_json(const Estimate& estimate) {
  return {{"median", estimate.median}, {"low", estimate.low}, {"high", estimate.high}, {"coverage", estimate.coverage}};
}

Json to_json(const Plan& plan, const RowResult& row, const Series& series) {
  Json json{{"runtime", series.contestant.label()}};
  if (!series.measured()) {
    json[series.failed ? "failed" : "skipped"] = series.skipped;
    return json;
  }
  for (const auto& [key, samples] : series.samples) {
    json["figures"][key] = to_json(estimate(samples));
    json["figures"][key]["samples"] = samples;
  }
  json["outputs"] = series.outputs;
  if (const auto ratio = ratio_to_troupe(plan, row, series)) {
    json["ratio"] = to_json(ratio->estimate);
    json["ratio"]["of"] = ratio->of;
  }
  return json;
}

}  // namespace

ReportCells report_cells(const Results& results) {
  ReportCells cells;
  cells.titles = results.plan.label_titles;
  cells.titles.emplace_back("runtime");
  cells.words = cells.titles.size();
  for (const std::string& title : results.plan.figure_titles) {
    cells.titles.push_back(title);
    cells.titles.emplace_back("interval");
  }
  cells.titles.emplace_back(ratio_title(results.plan));
  cells.titles.emplace_back("interval");
  for (const std::string& name : results.missing) {
    cells.notes.push_back(name + " skipped: it was not found when this was built");
  }
  add_note_on_references(cells.notes, results.references);
  for (const RowResult& row : results.rows) add_rows(cells, results.plan, row);
  if (results.plan.peers_over_troupe) add_means(cells, results);
  return cells;
}

std::string as_terminal_text(const Results& results) {
  const ReportCells cells = report_cells(results);
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < cells.titles.size(); ++i) {
    columns.push_back((i < cells.words ? "" : ">") + cells.titles[i]);
  }
  traces::Table table(columns);
  for (const auto& line : cells.lines) table.add_row(line);
  std::string text = fmt::format("{}\n{}\n\n{}", results.plan.title, method(results.plan), table.text());
  if (!cells.notes.empty()) text += '\n';
  for (const std::string& note : cells.notes) text += note + '\n';
  return text;
}

std::string as_markdown(const Results& results) {
  const ReportCells cells = report_cells(results);
  std::string text = fmt::format("{}. {}.\n\n|", results.plan.title, method(results.plan));
  for (const std::string& title : cells.titles) text += fmt::format(" {} |", title);
  text += "\n|";
  for (std::size_t i = 0; i < cells.titles.size(); ++i) text += i < cells.words ? "---|" : "---:|";
  text += '\n';
  for (const auto& line : cells.lines) text += fmt::format("| {} |\n", fmt::join(line, " | "));
  if (!cells.notes.empty()) text += '\n';
  for (const std::string& note : cells.notes) text += fmt::format("- {}\n", note);
  return text;
}

Json as_json(const Results& results) {
  const Plan& plan = results.plan;
  Json json{{"benchmark", plan.benchmark},
            {"title", plan.title},
            {"rounds", plan.rounds},
            {"cores", plan.cores},
            {"more_is_better", plan.more_is_better},
            {"missing", results.missing}};
  if (!results.references.empty()) json["reference"] = to_json(estimate(results.references));
  json["rows"] = Json::array();
  for (const RowResult& row : results.rows) {
    Json entry;
    for (std::size_t i = 0; i < plan.label_titles.size(); ++i) entry[plan.label_titles[i]] = row.row.labels[i];
    for (const Series& series : row.series) entry["runtimes"].push_back(to_json(plan, row, series));
    json["rows"].push_back(std::move(entry));
  }
  if (plan.peers_over_troupe) {
    json["peers_over_troupe"] = true;
    for (const MeanRatio& mean : mean_ratios(results)) {
      json["geometric_means"].push_back({{"runtime", mean.peer}, {"ratio", mean.ratio}, {"rows", mean.rows}});
    }
  }
  return json;
}

}  // namespace troupe::bench
