/// `troupe model`: the known kernel times and links of this machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "actors/running/kept_history.hpp"
#include "actors/scheduler/models/history_file.hpp"
#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "apps/arguments/runtime_arguments.hpp"
#include "apps/command_line.hpp"
#include "apps/models/calibration.hpp"
#include "apps/models/link_calibration.hpp"
#include "apps/models/model_chart.hpp"
#include "apps/models/model_report.hpp"
#include "apps/run/run_summary.hpp"
#include "platform/machine/topology.hpp"
#include "proto/json/json.hpp"
#include "proto/tokens.hpp"
#include "traces/picture/gnuplot.hpp"
#include "traces/text/human.hpp"

namespace troupe::apps {

namespace {

constexpr std::int64_t kLargestMeasuredTile = 16384;

struct ModelArguments {
  RuntimeOptions runtime;
  std::vector<std::int64_t> tiles;
  std::vector<std::string> precisions{"double", "float"};
  std::uint64_t samples = CalibrationOptions{}.samples;
  std::vector<std::string> kernels;
  std::string picture;
  bool json = false;
};

/// Returns the folder with the kernel times. Throws if there is none.
const std::string& folder_of(const ModelArguments& arguments) {
  if (!arguments.runtime.placement.models.empty()) return arguments.runtime.placement.models;
  if (!default_model_folder().empty()) {
    throw Error(ErrorCode::invalid_argument, "--models none: this command needs a folder, so name one");
  }
  throw Error(ErrorCode::invalid_argument,
              "there is no folder for models: neither XDG_CACHE_HOME nor HOME names one; give one with --models");
}

std::string this_machine() { return scheduler::machine_key(platform::Topology::discover({}).value_or_throw().machine); }

KeptModels kept(const ModelArguments& arguments) {
  KeptModels models = read_models(folder_of(arguments), this_machine());
  for (const std::string& warning : models.warnings) arguments.runtime.observation.on_warning(warning);
  for (const std::string& kernel : arguments.kernels) {
    if (knows(models, kernel)) continue;
    throw Error(ErrorCode::bad_input, fmt::format("--kernel {}: no times of a kernel of that name are known in {}: "
                                                  "`troupe model show` lists those that are",
                                                  troupe::quoted(kernel), models.times_path));
  }
  return models;
}

/// Returns the default tile sizes. GPUs need larger tiles than cores to be fully used.
std::vector<std::int64_t> default_tiles(const RuntimeOptions& runtime) {
  std::vector<std::int64_t> tiles{128, 256, 384, 512};
  if (runtime.gpus > 0) tiles.insert(tiles.end(), {1024, 2048});
  return tiles;
}

/// Checks that there is memory for the largest matrix and its copies, and for the largest task on every device.
void check_room(const CalibrationOptions& options) {
  const std::int64_t tile = *std::max_element(options.tiles.begin(), options.tiles.end());
  MemoryNeed need;
  need.rows = need.cols = 4 * tile;
  need.factorization = {.application = linalg::Application::qr, .tile = tile, .tile_rows = tile};
  require_memory(need);
  check_accelerators(options.runtime, need.factorization, need.rows, need.element_bytes);
}

int model_calibrate(const ModelArguments& arguments) {
  CalibrationOptions options;
  options.runtime = arguments.runtime;
  options.runtime.placement.models = folder_of(arguments);
  options.tiles = arguments.tiles.empty() ? default_tiles(arguments.runtime) : arguments.tiles;
  options.precisions = arguments.precisions;
  options.samples = arguments.samples;
  options.clusters = {arguments.runtime.clusters};
  if (arguments.runtime.clusters == kAutomaticClusters) options.clusters = telling_clusters(arguments.runtime);
  check_room(options);
  const std::vector<MeasuredLink> links = calibrate_links(options.runtime);
  // Print the measurements even if they could not be stored.
  bool lost = !keep_links(links, options.runtime);
  options.runtime.observation.on_warning = [&lost, &arguments](const std::string& message) {
    lost = lost || message.ends_with(actors::kTimesLost);
    arguments.runtime.observation.on_warning(message);
  };
  const CalibrationResult result =
      calibrate(options, {.enabled = !arguments.json, .label = "calibrate", .unit = "tile sizes"});
  for (const std::string& what : result.incomplete) {
    arguments.runtime.observation.on_warning(
        fmt::format("{}: some kernels were measured fewer than {} times on some devices", what, options.samples));
  }
  const KeptModels models = kept(arguments);
  if (arguments.json) {
    Json json = models_as_json(models, {});
    json["tasks"] = result.tasks;
    json["seconds"] = result.seconds;
    json["tiles"] = options.tiles;
    json["samples"] = options.samples;
    json["measured_links"] = measured_links_json(links);
    fmt::print("{}\n", as_text(json));
  } else {
    fmt::print(
        "Measured {} tasks in {}: tiles of {}, {}, each kernel run at least {} times on each kind of device\n\n{}{}",
        human_count(result.tasks), traces::human_seconds(result.seconds), fmt::join(options.tiles, ", "),
        fmt::join(options.precisions, " and "), options.samples, models_table(models, {}),
        links.empty() ? "" : "\n" + measured_links_text(links));
  }
  return lost ? kFailure : kSuccess;
}

int model_show(const ModelArguments& arguments) {
  const KeptModels models = kept(arguments);
  fmt::print("{}", arguments.json ? as_text(models_as_json(models, arguments.kernels)) + '\n'
                                  : models_table(models, arguments.kernels));
  return kSuccess;
}

int model_plot(const ModelArguments& arguments) {
  usable(traces::check_drawing_path(arguments.picture, "picture"));
  draw_models(arguments.picture, kept(arguments).history, arguments.kernels).value_or_throw();
  if (arguments.json) {
    fmt::print("{}\n", as_text({{"plot", arguments.picture}}));
  } else {
    fmt::print("Plot: {}\n", arguments.picture);
  }
  return kSuccess;
}

void add_kernels(CLI::App& command, ModelArguments& arguments) {
  command.add_option("--kernel", arguments.kernels, "Only these kernels, such as gemm,potrf")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_calibrate(CLI::App& model, const std::shared_ptr<ModelArguments>& arguments, Command& chosen) {
  CLI::App* command = model.add_subcommand(
      "calibrate", "Measure the tile kernels on every kind of device, and keep the times for later runs");
  command->add_option("--tile", arguments->tiles, "Edges of tiles; default: 128,256,384,512, and 1024,2048 with GPUs")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(number_within(std::int64_t{8}, kLargestMeasuredTile));
  command->add_option("--precision", arguments->precisions, "float, double or both; default: both")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(precision_name());
  add_number(*command, "--samples", arguments->samples, 3, 1000,
             "Tasks of each kernel and size on each kind of device");
  add_runtime_option(*command, "cores", arguments->runtime);
  add_clusters(*command, arguments->runtime.clusters)
      ->description(
          "Measure on clusters of cores: 2x10, 1x16+4x1, socket, numa or l3; or auto: on single cores, then on "
          "clusters whose times say enough of all for --clusters auto of run and solve");
  add_runtime_options(*command, OptionGroup::accelerators, arguments->runtime);
  add_model_options(*command, arguments->runtime);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([command, arguments, &chosen] {
    refuse_ignored_accelerator_options(*command, arguments->runtime);
    chosen = [arguments] { return model_calibrate(*arguments); };
  });
}

void add_show(CLI::App& model, const std::shared_ptr<ModelArguments>& arguments, Command& chosen) {
  CLI::App* command = model.add_subcommand("show", "Print what is known: means, deviations, power laws, links");
  add_kernels(*command, *arguments);
  add_model_options(*command, arguments->runtime);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments, &chosen] { chosen = [arguments] { return model_show(*arguments); }; });
}

void add_plot(CLI::App& model, const std::shared_ptr<ModelArguments>& arguments, Command& chosen) {
  CLI::App* command = model.add_subcommand("plot", "Draw the times of each kernel over its sizes");
  command->add_option("picture", arguments->picture, "PATH.svg or PATH.png")->required()->check(check_file_name);
  add_kernels(*command, *arguments);
  add_model_options(*command, arguments->runtime);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments, &chosen] { chosen = [arguments] { return model_plot(*arguments); }; });
}

}  // namespace

void add_model_command(CLI::App& application, Command& chosen) {
  CLI::App* model =
      application.add_subcommand("model", "Measure, print or draw how long kernels and copies take on this machine");
  model->require_subcommand(1);
  // Each command gets its own object of arguments, because options of two commands must not write to the same place.
  add_calibrate(*model, std::make_shared<ModelArguments>(), chosen);
  add_show(*model, std::make_shared<ModelArguments>(), chosen);
  add_plot(*model, std::make_shared<ModelArguments>(), chosen);
}

}  // namespace troupe::apps
