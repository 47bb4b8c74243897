#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "apps/reference/reference_documents.hpp"
#include "service/views/prometheus_text.hpp"
#include "service/views/service_view.hpp"

namespace troupe::apps {

namespace {

/// Returns a view with one element in every list, so that every metric has a line.
service::ServiceView one_of_everything() {
  service::ServiceView view;
  view.runtime.workers.emplace_back();
  view.runtime.memories.emplace_back();
  view.runtime.mailboxes.mailboxes.emplace_back();
  view.runtime.transfers.pairs.emplace_back();
  view.runtime.transfers.links.emplace_back();
  view.runtime.predictions.emplace_back();
  view.sessions.emplace_back();
  return view;
}

struct MetricRow {
  std::string name;
  std::string type;
  std::string help;
  std::vector<std::string> labels;
};

/// Adds to `row` the labels of a line such as "name{a=\"\",b=\"\"} 1" that `row` does not have yet.
void add_labels(const std::string& line, MetricRow& row) {
  const std::size_t begin = line.find('{');
  if (begin == std::string::npos) return;
  for (std::size_t at = begin; at != std::string::npos && line[at] != '}';) {
    const std::size_t equals = line.find('=', at);
    const std::string label = line.substr(at + 1, equals - at - 1);
    if (std::ranges::find(row.labels, label) == row.labels.end()) row.labels.push_back(label);
    at = line.find('"', equals + 2) + 1;  // The position after the value.
  }
}

std::vector<MetricRow> metric_rows(const std::string& exposition) {
  std::vector<MetricRow> rows;
  std::istringstream lines(exposition);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mark;
    std::string kind;
    std::string name;
    words >> mark >> kind >> name;
    if (mark != "#") {
      add_labels(line, rows.back());
    } else if (kind == "HELP") {
      std::string help;
      std::getline(words >> std::ws, help);
      rows.push_back({name, {}, help, {}});
    } else {
      words >> rows.back().type;
    }
  }
  return rows;
}

}  // namespace

ReferenceDocument metrics_document() {
  std::string text =
      "# Every metric of the service\n" + written_by() +
      "\n`troupe metrics` prints them, and the service's page has them at `/metrics`, in Prometheus' text "
      "format. How to watch a service: [service.md](../service.md#watching).\n\n"
      "| metric | type | labels | meaning |\n|---|---|---|---|\n";
  for (const MetricRow& row : metric_rows(service::prometheus_text(one_of_everything()))) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.type,
                        row.labels.empty() ? "" : fmt::format("`{}`", fmt::join(row.labels, "` `")), cell(row.help));
  }
  return {"metrics.md", std::move(text)};
}

}  // namespace troupe::apps
