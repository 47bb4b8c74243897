/// The command `troupe experiment scaling`: runs a factorization on several numbers of accelerators.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "actors/scheduler/policy.hpp"
#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "apps/arguments/runtime_arguments.hpp"
#include "apps/run/run_summary.hpp"
#include "lab/experiments/experiment_commands.hpp"
#include "lab/experiments/scaling_summary.hpp"
#include "platform/accelerators/emulation_arguments.hpp"
#include "proto/json/json.hpp"
#include "traces/picture/gnuplot.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

namespace {

/// The largest number of runs. With more runs, medians hardly change, and the computation of their exact intervals
/// takes long.
constexpr int kMostRuns = 1000;

struct ScalingCommand {
  ScalingArguments scaling;
  bool real = false;
  std::string plot;
  bool json = false;
};

/// Throws an error if a residual is not below the bound.
void require_accuracy(const std::vector<ScalingPoint>& points) {
  for (const ScalingPoint& point : points) {
    if (!point.residual || *point.residual < linalg::kResidualBound) continue;
    throw Error(ErrorCode::kernel_failed,
                fmt::format("the check failed: with policy {} on {} accelerators a scaled residual, {:.3g}, is not "
                            "below {}",
                            point.policy, point.gpus, *point.residual, linalg::kResidualBound));
  }
}

int scale(const ScalingCommand& arguments) {
  const ScalingArguments& scaling = arguments.scaling;
  if (!arguments.plot.empty()) usable(traces::check_drawing_path(arguments.plot, "plot"));
  const std::vector<ScalingRuns> runs =
      run_scaling(scaling, {.enabled = !arguments.json, .label = to_string(scaling.application)});
  std::vector<ScalingPoint> points;
  for (const ScalingRuns& of : runs) points.push_back(scaling_point(of));
  // The measurements are printed even if the plot could not be written.
  Result<void> drawn;
  if (!arguments.plot.empty()) drawn = draw_chart(arguments.plot, scaling_chart(scaling, points));
  const bool plotted = drawn && !arguments.plot.empty();
  if (arguments.json) {
    Json json = scaling_json(scaling, runs, points);
    if (plotted) json["plot"] = arguments.plot;
    fmt::print("{}\n", as_text(json));
  } else {
    fmt::print("{}", scaling_text(scaling, points));
    if (plotted) fmt::print("\nPlot: {}\n", arguments.plot);
  }
  require_accuracy(points);
  std::move(drawn).value_or_throw();
  return kSuccess;
}

void add_what(CLI::App& command, ScalingArguments& arguments) {
  add_application(command, arguments.application);
  add_size(command, "--n", arguments.n, "Order of the matrix")->capture_default_str();
  add_size(command, "--tile", arguments.tile, "Edge of a tile")->capture_default_str();
  add_size(command, "--inner", arguments.inner, "QR: columns of an inner block")->capture_default_str();
  add_precision(command, arguments.precision);
  add_policies(command, arguments.policies, "Policies, one after the other: lws,heft")->required();
}

/// Adds the options that choose the devices. The user must give exactly one of them.
void add_where(CLI::App& command, ScalingCommand& arguments) {
  ScalingArguments& scaling = arguments.scaling;
  CLI::Option_group* group = command.add_option_group("devices", "On what it runs; one of these");
  group->add_flag_function(
      "--real", [&scaling](std::int64_t) { scaling.devices = ScalingDevices::real; }, "CUDA GPUs of this machine");
  group
      ->add_option_function<std::string>(
          "--emulated",
          [&scaling](const std::string& text) {
            scaling.devices = ScalingDevices::emulated;
            scaling.emulation = text;
          },
          "Emulated accelerators, each like this: memory=256MiB,bandwidth=8GB/s (docs/accelerators.md)")
      ->check([](const std::string& text) {
        const auto parsed = platform::parse_emulated_gpus("1:" + text);
        return parsed ? std::string() : parsed.failure().message;
      })
      ->type_name("OPTIONS");
  group
      ->add_option_function<std::string>(
          "--platform",
          [&scaling](const std::string& name) {
            scaling.devices = ScalingDevices::modelled;
            scaling.platform = name;
          },
          fmt::format("A described machine, in virtual time: one of {}, or the path of a file",
                      fmt::join(platform::known_machines(), ", ")))
      ->type_name("NAME|FILE");
  group->require_option(1);
  add_text_list(command, "--gpus", scaling.gpus, ',', "How many: 4, 1-8 or 0,2,4")->default_str(scaling.gpus);
  add_cores(command, scaling.runtime.cores, "Cores that run tasks; default: all that are left");
  for (const char* option : {"gpu_memory", "lookahead", "issue_ahead"}) {
    add_runtime_option(command, option, scaling.runtime);
  }
}

}  // namespace

void add_scaling_command(CLI::App& experiment, Command& chosen) {
  auto arguments = std::make_shared<ScalingCommand>();
  CLI::App* command = experiment.add_subcommand(
      "scaling", "A factorization over the number of accelerators: real, emulated or modelled");
  ScalingArguments& scaling = arguments->scaling;
  add_what(*command, scaling);
  add_where(*command, *arguments);
  add_model_options(*command, scaling.runtime);
  add_number(*command, "--repeat", scaling.repeat, 1, kMostRuns, "Runs that count of each point; medians are reported");
  add_seed(*command, scaling.runtime.seed, "Seed of the matrix and whatever else is drawn");
  command->add_flag("--check", scaling.check, "Compute scaled residuals of each point's last run");
  command
      ->add_option("--plot", arguments->plot,
                   "Draw speed and bytes over the number of accelerators: PATH.svg or PATH.png")
      ->check(check_file_name);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([command, arguments, &chosen] {
    const bool is_virtual = arguments->scaling.devices == ScalingDevices::modelled;
    refuse_ignored(*command, "--models", !is_virtual || arguments->scaling.runtime.placement.models.empty(),
                   "--real and --emulated: a described machine has its times");
    refuse_ignored(*command, "--gpu-memory", arguments->scaling.devices != ScalingDevices::emulated,
                   "--real and --platform: --emulated memory=SIZE says it of emulated ones");
    refuse_ignored(*command, "--inner", arguments->scaling.application == linalg::Application::qr, "qr");
    chosen = [arguments] { return scale(*arguments); };
  });
}

}  // namespace troupe::apps
