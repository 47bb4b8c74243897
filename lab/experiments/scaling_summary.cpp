#include "lab/experiments/scaling_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/run/run_summary.hpp"
#include "lab/experiments/experiment_figures.hpp"
#include "lab/experiments/interval_json.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"
#include "traces/text/transfer_summary.hpp"

namespace troupe::apps {

namespace {

template <class Get>
MedianInterval interval_of(const std::vector<FactorizationOutcome>& outcomes, const Get& get) {
  std::vector<double> values;
  for (const FactorizationOutcome& outcome : outcomes) values.push_back(static_cast<double>(get(outcome)));
  return median_interval(values);
}

std::optional<double> prediction_error(const std::vector<FactorizationOutcome>& outcomes) {
  PredictionErrors sum;
  for (const FactorizationOutcome& outcome : outcomes) {
    for (const PredictionReport& of : outcome.report.predictions) sum += of.errors;
  }
  return sum.tasks > 0 ? std::optional(sum.mean_relative()) : std::nullopt;
}

/// Returns a text such as "812 [798, 820]"; for a single run, only the median.
std::string with_interval(const MedianInterval& value, bool several) {
  return several ? fmt::format("{:.4g} [{:.4g}, {:.4g}]", value.median, value.low, value.high)
                 : fmt::format("{:.4g}", value.median);
}

std::string gigabytes(const MedianInterval& bytes) { return fmt::format("{:.3f}", bytes.median / 1e9); }

MedianInterval scaled(const MedianInterval& value, double factor) {
  return {value.median * factor, value.low * factor, value.high * factor};
}

Json point_json(const ScalingPoint& point, const ScalingRuns& runs) {
  const bool several = runs.outcomes.size() > 1;
  Json json{{"policy", point.policy},
            {"policy_options", policy_options_json(point.policy)},
            {"gpus", point.gpus},
            {"cores", traces::count_cores(runs.outcomes.back().report)},
            {"tasks", point.tasks}};
  add_interval(json, "seconds", point.seconds, several);
  add_interval(json, "gflops", point.gflops, several);
  add_interval(json, "bytes", point.bytes, several);
  add_interval(json, "bytes_host_to_device", point.bytes_host_to_device, several);
  add_interval(json, "bytes_device_to_host", point.bytes_device_to_host, several);
  add_interval(json, "bytes_device_to_device", point.bytes_device_to_device, several);
  add_interval(json, "evictions", point.evictions, several);
  if (point.prediction_error) json["prediction_error"] = *point.prediction_error;
  if (point.residual) json["residual"] = *point.residual;
  for (const FactorizationOutcome& outcome : runs.outcomes) {
    Json run{{"seconds", outcome.seconds}, {"gflops", outcome.gflops}};
    traces::add_bytes_json(outcome.report.transfers, run);
    json["runs"].push_back(std::move(run));
  }
  return json;
}

}  // namespace

ScalingPoint scaling_point(const ScalingRuns& runs) {
  const auto of = [&runs](const auto& get) { return interval_of(runs.outcomes, get); };
  const auto moved = [&of](const auto& get) {
    return of([&get](const FactorizationOutcome& outcome) { return get(outcome.report.transfers); });
  };
  ScalingPoint point;
  point.policy = runs.policy;
  point.gpus = runs.gpus;
  point.tasks = runs.outcomes.back().tasks;
  point.seconds = of([](const auto& outcome) { return outcome.seconds; });
  point.gflops = of([](const auto& outcome) { return outcome.gflops; });
  point.bytes = moved([](const TransferReport& transfers) { return transfers.total().count; });
  point.bytes_host_to_device = moved([](const TransferReport& transfers) { return transfers.host_to_device.count; });
  point.bytes_device_to_host = moved([](const TransferReport& transfers) { return transfers.device_to_host.count; });
  point.bytes_device_to_device =
      moved([](const TransferReport& transfers) { return transfers.device_to_device.count; });
  point.evictions = moved([](const TransferReport& transfers) { return transfers.manager.evictions; });
  point.prediction_error = prediction_error(runs.outcomes);
  for (const linalg::Residual& residual : runs.residuals) {
    // NaN is worse than any number.
    if (!point.residual || !(residual.value <= *point.residual)) point.residual = residual.value;
  }
  return point;
}

std::string scaling_title(const ScalingArguments& arguments) {
  const std::string where = arguments.devices == ScalingDevices::modelled   ? arguments.platform + ", virtual time"
                            : arguments.devices == ScalingDevices::emulated ? "emulated accelerators"
                                                                            : "CUDA GPUs";
  return fmt::format("{}, n = {}, tile {}, {} precision, {}", to_string(arguments.application), arguments.n,
                     arguments.tile, arguments.precision, where);
}

std::string scaling_text(const ScalingArguments& arguments, const std::vector<ScalingPoint>& points) {
  const bool several = arguments.repeat > 1;
  const bool checked = std::any_of(points.begin(), points.end(), [](const auto& point) { return point.residual; });
  std::vector<std::string> columns{">GPUs",    "policy",      ">GFlop/s",   ">time, ms",      ">to GPUs, GB",
                                   ">to host", ">GPU to GPU", ">evictions", ">prediction off"};
  if (checked) columns.emplace_back(">residual");
  traces::Table table(std::move(columns));
  for (const ScalingPoint& point : points) {
    std::vector<std::string> row{std::to_string(point.gpus),
                                 point.policy,
                                 with_interval(point.gflops, several),
                                 with_interval(scaled(point.seconds, 1e3), several),
                                 gigabytes(point.bytes_host_to_device),
                                 gigabytes(point.bytes_device_to_host),
                                 gigabytes(point.bytes_device_to_device),
                                 human_count(static_cast<std::uint64_t>(point.evictions.median)),
                                 point.prediction_error ? fmt::format("{:.1f} %", 100 * *point.prediction_error) : "-"};
    if (checked) row.push_back(point.residual ? fmt::format("{:.3g}", *point.residual) : "-");
    table.add_row(std::move(row));
  }
  std::string text = scaling_title(arguments);
  if (several) text += fmt::format(", {} runs each (median, and where it lies)", arguments.repeat);
  text += '\n';
  if (arguments.devices == ScalingDevices::emulated) {
    text += "  emulated: the bytes are what real accelerators would move, the times prove nothing about speed\n";
  }
  return text + '\n' + table.text();
}

Json scaling_json(const ScalingArguments& arguments, const std::vector<ScalingRuns>& runs,
                  const std::vector<ScalingPoint>& points) {
  Json json{{"app", to_string(arguments.application)},
            {"n", arguments.n},
            {"tile", arguments.tile},
            {"precision", arguments.precision},
            {"devices", to_string(arguments.devices)},
            {"virtual", arguments.devices == ScalingDevices::modelled},
            {"seed", arguments.runtime.seed},
            {"repeat", arguments.repeat},
            {"lookahead", arguments.runtime.accelerators.ahead.gpu},
            {"issue_ahead", arguments.runtime.accelerators.ahead.issue},
            {"results", Json::array()}};
  if (arguments.devices == ScalingDevices::modelled) json["platform"] = arguments.platform;
  if (arguments.devices == ScalingDevices::emulated) json["emulation"] = arguments.emulation;
  for (std::size_t i = 0; i < points.size(); ++i) json["results"].push_back(point_json(points[i], runs[i]));
  return json;
}

ScalingChart scaling_chart(const ScalingArguments& arguments, const std::vector<ScalingPoint>& points) {
  ScalingChart chart{scaling_title(arguments), {ChartRow{}}};
  for (const std::string& policy : arguments.policies) {
    ChartSeries series{policy, {}};
    for (const ScalingPoint& point : points) {
      if (point.policy != policy) continue;
      series.points.push_back(chart_point(static_cast<double>(point.gpus), point.gflops, point.bytes));
    }
    std::sort(series.points.begin(), series.points.end(),
              [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    chart.rows.front().series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace troupe::apps
