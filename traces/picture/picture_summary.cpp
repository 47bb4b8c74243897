#include "traces/picture/picture_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>

namespace troupe::traces {
namespace {

constexpr std::size_t kMostWorkers = 2000;

Result<void> check(const Picture& picture) {
  const auto refuse = [](std::string message) { return Failure{ErrorCode::invalid_argument, std::move(message)}; };
  if (picture.workers.empty()) return refuse("a picture needs at least one worker");
  if (picture.workers.size() > kMostWorkers) {
    return refuse(fmt::format("{} workers are too many for a picture; at most {} can be drawn", picture.workers.size(),
                              kMostWorkers));
  }
  if (!picture.cores.empty() &&
      (picture.cores.size() != picture.workers.size() || std::ranges::min(picture.cores) < 1)) {
    return refuse("a picture has one number of cores for each worker, which is at least 1");
  }
  for (const auto& span : picture.spans) {
    if (!(span.used >= 0) || span.used > 1) {
      return refuse(fmt::format("a task of '{}' in the picture used {} of its worker", span.codelet, span.used));
    }
    if (span.worker >= picture.workers.size()) {
      return refuse(fmt::format("a task in the picture ran on worker {}, but there are only {}", span.worker,
                                picture.workers.size()));
    }
    if (!std::isfinite(span.end_s) || !(span.start_s >= 0) || span.end_s < span.start_s) {
      return refuse(
          fmt::format("a task of '{}' in the picture runs from {} s to {} s", span.codelet, span.start_s, span.end_s));
    }
  }
  return {};
}

/// Fills `summary.legend` and `summary.legend_index`.
void add_legend(const Picture& picture, PictureSummary& summary) {
  std::map<std::string_view, LegendEntry> by_name;
  for (const auto& span : picture.spans) {
    auto& entry = by_name[span.codelet];
    entry.name = span.codelet;
    entry.tasks += span.first ? 1 : 0;
    entry.busy_s += span.end_s - span.start_s;
  }
  for (const auto& [name, entry] : by_name) summary.legend.push_back(entry);
  std::stable_sort(summary.legend.begin(), summary.legend.end(),
                   [](const LegendEntry& a, const LegendEntry& b) { return a.busy_s > b.busy_s; });
  std::map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < summary.legend.size(); ++i) {
    index[by_name.find(summary.legend[i].name)->first] = std::min(i, kMostCodelets - 1);
  }
  for (const auto& span : picture.spans) summary.legend_index.push_back(index[span.codelet]);
}

/// Joins the codelets that have no colour of their own into one last entry.
void fold_legend(std::vector<LegendEntry>& legend) {
  if (legend.size() <= kMostCodelets) return;
  LegendEntry others;
  others.name = fmt::format("{} others", legend.size() - kMostCodelets + 1);
  for (std::size_t i = kMostCodelets - 1; i < legend.size(); ++i) {
    others.tasks += legend[i].tasks;
    others.busy_s += legend[i].busy_s;
  }
  legend.resize(kMostCodelets - 1);
  legend.push_back(std::move(others));
}

void add_workers(const Picture& picture, PictureSummary& summary) {
  std::vector<std::size_t> by_start(picture.spans.size());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](std::size_t a, std::size_t b) { return picture.spans[a].start_s < picture.spans[b].start_s; });
  summary.workers.resize(picture.workers.size());
  std::vector<double> busy_until(picture.workers.size(), 0.0);
  for (const auto i : by_start) {
    const auto& span = picture.spans[i];
    auto& worker = summary.workers[span.worker];
    auto& until = busy_until[span.worker];
    worker.tasks += span.first ? 1 : 0;
    worker.busy_s += std::max(0.0, span.end_s - std::max(span.start_s, until));
    until = std::max(until, span.end_s);
    summary.end_s = std::max(summary.end_s, span.end_s);
  }
}

}  // namespace

Result<PictureSummary> summarize(const Picture& picture) {
  if (auto checked = check(picture); !checked) return checked.failure();
  PictureSummary summary;
  add_legend(picture, summary);
  fold_legend(summary.legend);
  add_workers(picture, summary);
  return summary;
}

}  // namespace troupe::traces
