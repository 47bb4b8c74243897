#include "apps/simulate/simulation_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "apps/run/run_summary.hpp"
#include "apps/simulate/modelled_super_blocks.hpp"
#include "proto/json/json.hpp"
#include "traces/text/human.hpp"
#include "traces/text/table.hpp"
#include "traces/text/transfer_summary.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

namespace {

const char* name_of(Precision precision) { return precision == Precision::single_precision ? "float" : "double"; }

const char* name_of(SimulationOptions::Model model) {
  return model == SimulationOptions::Model::exact ? "exact" : "learned";
}

double microseconds(Duration duration) { return seconds(duration) * 1e6; }

bool has_margins(const SimulationSummary& summary) { return summary.request.repeat() > 1; }

std::string gigabytes(double bytes) { return fmt::format("{:.3f}", bytes / 1e9); }

std::string percent(std::optional<double> fraction) {
  return fraction ? fmt::format("{:.1f} %", 100 * *fraction) : std::string("-");
}

/// Formats the mean with at least four digits, and the margin if `margin` is true.
std::string with_margin(const Estimate& value, bool margin) {
  const int digits = value.mean >= 100 ? 1 : value.mean >= 10 ? 2 : 3;
  return margin ? fmt::format("{:.{}f} +- {:.{}f}", value.mean, digits, value.margin, digits)
                : fmt::format("{:.{}f}", value.mean, digits);
}

std::string table_text(const SimulationSummary& summary) {
  traces::Table table({">n", ">GPUs", "policy", ">GFlop/s", ">time, ms", ">of bound", ">cores busy", ">GPUs busy",
                       ">to GPUs, GB", ">to host", ">GPU to GPU", ">at least"});
  const bool margins = has_margins(summary);
  for (const SimulationPoint& point : summary.points) {
    Estimate milliseconds{point.seconds.mean * 1e3, point.seconds.margin * 1e3};
    table.add_row({std::to_string(point.place.n), std::to_string(point.place.gpus.size()), point.place.policy,
                   with_margin(point.gflops, margins), with_margin(milliseconds, margins),
                   percent(point.fraction_of_bound()), percent(point.utilization(false)),
                   percent(point.utilization(true)), gigabytes(point.bytes_host_to_device.mean),
                   gigabytes(point.bytes_device_to_host.mean), gigabytes(point.bytes_device_to_device.mean),
                   point.bound_bytes ? gigabytes(static_cast<double>(point.bound_bytes->count)) : "-"});
  }
  return table.text();
}

/// Returns lines with the clusters that a search found, compared with other clusters; empty without a search.
std::string choices_text(const SimulationSummary& summary) {
  const std::vector<ClusterChoice>& choices = summary.request.choices();
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const SimulationPlace& place = summary.points[i].place;
    text += fmt::format("  clusters{}: {}\n",
                        choices.size() == 1 ? ""
                                            : fmt::format(" (n = {}, {}, {})", place.n,
                                                          counted(place.gpus.size(), "GPU"), place.policy),
                        clusters_text(choices[i]));
    if (summary.tried) text += clusters_table(choices[i]);
  }
  return text;
}

/// Returns the assumptions of the simulation that differ from the defaults.
std::string assumptions_text(const SimulationOptions& options) {
  const SimulatedAccelerators& gpus = options.accelerators;
  std::vector<std::string> said;
  if (gpus.memory_fraction < 1) said.push_back(fmt::format("{:g} of each GPU's memory", gpus.memory_fraction));
  if (gpus.gpu_memory) said.push_back(fmt::format("{} of memory on each GPU", traces::human_bytes(*gpus.gpu_memory)));
  if (gpus.ahead.gpu != 2) said.push_back(fmt::format("lookahead {}", gpus.ahead.gpu));
  if (gpus.kernel_overhead > Duration{}) {
    said.push_back(fmt::format("{:g} us per kernel launch", microseconds(gpus.kernel_overhead)));
  }
  if (gpus.launch) said.push_back(fmt::format("{:g} us to launch a kernel", microseconds(*gpus.launch)));
  if (gpus.notice) said.push_back(fmt::format("{:g} us to notice its end", microseconds(*gpus.notice)));
  if (gpus.ahead.issue != 8) said.push_back(fmt::format("{} tasks issued ahead", gpus.ahead.issue));
  if (options.copies.overhead > Duration{}) {
    said.push_back(fmt::format("{:g} us per copy", microseconds(options.copies.overhead)));
  }
  if (!options.copies.peer) said.emplace_back("copies between GPUs go through host memory");
  if (options.copies.write_back_finished) said.emplace_back("finished tiles written back early");
  if (options.copies.streams) said.emplace_back("copies as in streams");
  if (!options.knowledge.priorities) said.emplace_back("no priorities");
  if (options.knowledge.model == SimulationOptions::Model::learned) said.emplace_back("policies learn the times");
  if (options.knowledge.kernel_error > 1)
    said.push_back(fmt::format("kernel times believed within 1/{0:g} to {0:g}", options.knowledge.kernel_error));
  if (options.knowledge.bandwidth_error > 1) {
    said.push_back(fmt::format("bandwidths believed within 1/{0:g} to {0:g}", options.knowledge.bandwidth_error));
  }
  std::string text;
  for (const std::string& part : said) text += (text.empty() ? "" : "; ") + part;
  return text;
}

Json estimate_json(Json json, const std::string& key, const Estimate& value, bool margin) {
  json[key] = value.mean;
  if (margin) json[key + "_margin"] = value.margin;
  return json;
}

Json point_json(const SimulationPoint& point, bool margins) {
  Json json{{"n", point.place.n},
            {"gpus", point.place.gpus.size()},
            {"gpu_numbers", point.place.gpus},
            {"cores", point.cores()},
            {"policy", point.place.policy},
            {"policy_options", policy_options_json(point.place.policy)},
            {"tasks", point.tasks}};
  const auto add = [&](const char* key, const Estimate& value) {
    json = estimate_json(std::move(json), key, value, margins);
  };
  add("seconds", point.seconds);
  add("gflops", point.gflops);
  add("bytes", point.bytes);
  add("bytes_host_to_device", point.bytes_host_to_device);
  add("bytes_device_to_host", point.bytes_device_to_host);
  add("bytes_device_to_device", point.bytes_device_to_device);
  json["evictions"] = point.evictions.mean;
  json["write_backs"] = point.write_backs.mean;
  if (const auto fraction = point.fraction_of_bound()) {
    json["bound_seconds"] = *point.bound_seconds();
    json["fraction_of_bound"] = *fraction;
  }
  if (point.bound_bytes) json["bound_bytes"] = point.bound_bytes->count;
  if (const auto fraction = point.bytes_fraction_of_bound()) json["bytes_fraction_of_bound"] = *fraction;
  if (const auto part = point.utilization(false)) json["utilization_of_cores"] = *part;
  if (const auto part = point.utilization(true)) json["utilization_of_gpus"] = *part;
  json["links"] = Json::array();
  for (const LinkUse& link : point.links) {
    json["links"].push_back({{"name", link.name},
                             {"bandwidth_mb_per_s", link.bandwidth_mb_per_s},
                             {"bytes", link.bytes.mean},
                             {"busy_fraction", link.busy.mean}});
  }
  for (const WorkerUse& worker : point.workers) {
    json["workers"].push_back({{"device", worker.device},
                               {"tasks", worker.tasks.mean},
                               {"busy_seconds", worker.busy_seconds.mean},
                               {"utilization", worker.utilization.mean}});
  }
  return json;
}

Json run_json(const FactorizationOutcome& outcome, std::uint64_t seed) {
  Json json{{"seed", seed}, {"seconds", outcome.seconds}, {"gflops", outcome.gflops}};
  traces::add_bytes_json(outcome.report.transfers, json);
  return json;
}

Json options_json(const SimulationOptions& options) {
  const SimulatedAccelerators& gpus = options.accelerators;
  Json json{{"memory_fraction", gpus.memory_fraction},
            {"lookahead", gpus.ahead.gpu},
            {"kernel_overhead_us", microseconds(gpus.kernel_overhead)},
            {"issue_ahead", gpus.ahead.issue},
            {"copy_overhead_us", microseconds(options.copies.overhead)},
            {"write_back", options.copies.write_back_finished},
            {"copy_streams", options.copies.streams},
            {"priorities", options.knowledge.priorities},
            {"peer_copies", options.copies.peer},
            {"model", name_of(options.knowledge.model)},
            {"kernel_error", options.knowledge.kernel_error},
            {"bandwidth_error", options.knowledge.bandwidth_error},
            {"noise", options.noise}};
  if (gpus.launch) json["launch_us"] = microseconds(*gpus.launch);
  if (gpus.notice) json["notice_us"] = microseconds(*gpus.notice);
  if (!options.clusters.empty()) json["clusters"] = options.clusters;
  if (gpus.gpu_memory) json["gpu_memory_bytes"] = gpus.gpu_memory->count;
  return json;
}

std::string sparse_title(const SimulatedRun& run) {
  const SimulatedSparseLu& sparse = *run.sparse;
  const linalg::BlockCut& cut = sparse.problem->cut;
  return fmt::format("sparse-lu ({}{}) on {}, {} precision, blocks of {}{}, grain {}", sparse.problem->name,
                     sparse.steps == linalg::BlockSteps::products ? ", products alone" : "",
                     run.simulation.machine.name, name_of(run.precision), cut.block,
                     cut.side > 1 ? fmt::format(", super-blocks of {0} x {0}", cut.side) : "", to_string(sparse.grain));
}

/// Adds the members that only sparse factorizations have.
void add_sparse_json(const SimulatedSparseLu& sparse, Json& json) {
  const linalg::BlockCut& cut = sparse.problem->cut;
  json["app"] = "sparse-lu";
  json["structure"] = sparse.problem->name;
  json["block"] = cut.block;
  json["super"] = cut.side;
  json["grain"] = to_string(sparse.grain);
  json["steps"] = to_string(sparse.steps);
  json["reuse"] = to_string(sparse.reuse);
  json.erase("tile");
  if (sparse.problem->file) json["ordering"] = to_string(sparse.problem->file->analysis.ordering);
}

/// Returns remarks that do not fit into the table.
std::string sparse_remarks(const SimulationSummary& summary) {
  std::string text = "\nat least: no bound on bytes is known for sparse matrices";
  const auto bounded = [](const SimulationPoint& point) { return !point.run_bounds_s.empty(); };
  if (summary.request.common().sparse->grain == SparseGrain::multi) {
    text += "; of bound: of the sum of all work alone, as several cores share a task";
  } else if (!std::ranges::all_of(summary.points, bounded)) {
    text += "; of bound: not worked out for more than a million tasks";
  }
  return text + '\n';
}

void add_sparse_point_json(const SimulatedRun& run, Json& json) {
  const SparseProblem& problem = *run.sparse->problem;
  const std::size_t element = run.precision == Precision::single_precision ? sizeof(float) : sizeof(double);
  json["blocks"] = problem.pattern.blocks();
  json["stored_blocks"] = problem.pattern.count();
  json["blocks_before_fill_in"] = problem.blocks_before;
  json["stored_bytes"] =
      static_cast<std::uint64_t>(problem.pattern.count() * problem.cut.block * problem.cut.block) * element;
  json["flops"] = run.sparse->flops;
}

}  // namespace

std::string title_of(const SimulationRequest& request) {
  const SimulatedRun& run = request.common();
  if (run.sparse) return sparse_title(run);
  const bool pivots = run.pivoting != linalg::Pivoting::none;
  const std::string& clusters = run.simulation.clusters;
  return fmt::format("{}{} on {}, {} precision, tile {}{}", to_string(run.application),
                     pivots ? fmt::format(" (pivoting: {})", to_string(run.pivoting)) : "", run.simulation.machine.name,
                     name_of(run.precision), run.tile, clusters.empty() ? "" : ", clusters " + clusters);
}

std::string simulation_text(const SimulationSummary& summary) {
  const SimulatedRun& run = summary.request.common();
  std::string text = title_of(summary.request) + ", virtual time";
  if (summary.request.repeat() > 1) {
    text += fmt::format(", {} runs each (mean +- 95 % confidence)", summary.request.repeat());
  }
  text += '\n';
  const std::string assumptions = assumptions_text(run.simulation);
  if (!assumptions.empty()) text += fmt::format("  assumed: {}\n", assumptions);
  const std::string derived =
      run.sparse ? text_of_super_blocks(summary.request.derived()) : text_of(summary.request.derived());
  if (!derived.empty()) {
    text += fmt::format("  not in the machine's description: {}\n", derived);
  }
  text += choices_text(summary);
  text += '\n' + table_text(summary);
  if (run.sparse) text += sparse_remarks(summary);
  if (!summary.plot.empty()) text += fmt::format("\nPlot: {}\n", summary.plot);
  if (!summary.trace.empty()) text += fmt::format("\nTrace: {}\n", summary.trace);
  return text;
}

Json simulation_json(const SimulationSummary& summary) {
  const SimulationRequest& request = summary.request;
  const SimulatedRun& run = request.common();
  Json json{{"virtual", true},
            {"eviction", run.eviction},
            {"app", to_string(run.application)},
            {"precision", name_of(run.precision)},
            {"platform", run.simulation.machine.name},
            {"tile", run.tile},
            {"seed", run.simulation.seed},
            {"repeat", request.repeat()},
            {"options", options_json(run.simulation)},
            {"results", Json::array()}};
  if (linalg::eliminates_pairs(run.application, run.pivoting)) json["inner"] = run.inner;
  if (run.sparse) {
    add_sparse_json(*run.sparse, json);
  } else if (run.application == linalg::Application::lu) {
    json["pivoting"] = to_string(run.pivoting);
  }
  for (const DerivedKernel& derived : request.derived()) {
    json["derived_kernels"].push_back({{"kernel", derived.kernel}, {"from", derived.from}});
    if (!run.sparse) json["derived_kernels"].back()["factor"] = derived.factor;
  }
  const auto repeat = static_cast<std::size_t>(request.repeat());
  for (std::size_t i = 0; i < summary.points.size(); ++i) {
    Json point = point_json(summary.points[i], has_margins(summary));
    if (run.sparse) add_sparse_point_json(request.run(summary.points[i].place, run.simulation.seed), point);
    if (!request.choices().empty()) point["clusters"] = clusters_json(request.choices()[i]);
    for (std::size_t k = 0; k < repeat; ++k) {
      point["runs"].push_back(run_json(summary.outcomes[i * repeat + k], run.simulation.seed + k));
      const auto& bounds = summary.points[i].run_bounds_s;
      if (!bounds.empty()) point["runs"].back()["bound_seconds"] = bounds[k];
    }
    json["results"].push_back(std::move(point));
  }
  if (!summary.plot.empty()) json["plot"] = summary.plot;
  if (!summary.trace.empty()) json["trace"] = summary.trace;
  return json;
}

ScalingChart simulation_chart(const SimulationSummary& summary) {
  ScalingChart chart{title_of(summary.request), {ChartRow{}}};
  const std::vector<SimulationPlace>& places = summary.request.places();
  const bool sizes =
      std::any_of(places.begin(), places.end(), [&](const auto& place) { return place.n != places.front().n; });
  if (!sizes) chart.title += fmt::format(", n = {}", places.front().n);
  std::vector<ChartSeries>& all = chart.rows.front().series;
  for (const SimulationPoint& point : summary.points) {
    const std::string name = sizes ? fmt::format("{}, n = {}", point.place.policy, point.place.n) : point.place.policy;
    auto series = std::find_if(all.begin(), all.end(), [&](const ChartSeries& other) { return other.name == name; });
    if (series == all.end()) series = all.insert(all.end(), {name, {}});
    series->points.push_back({static_cast<double>(point.place.gpus.size()), point.gflops,
                              Estimate{point.bytes.mean / 1e9, point.bytes.margin / 1e9}});
  }
  for (ChartSeries& series : all) {
    std::sort(series.points.begin(), series.points.end(),
              [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  }
  return chart;
}

}  // namespace troupe::apps
