#include "apps/arguments/accelerator_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "actors/options/option_table.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "client/environment/environment.hpp"
#include "linalg/gpu_rate.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "traces/text/human.hpp"

namespace troupe::apps {

namespace {

void require_room(Bytes memory, Bytes need, const std::string& whose, const std::string& option) {
  if (memory >= need) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: the data of one task, up to {}, do not fit into the {} of {}: use smaller tiles "
                          "(--tile) or more memory",
                          option, traces::human_bytes(need), traces::human_bytes(memory), whose));
}

/// Checks the number of GPUs before any work begins, so that the error message can name the option.
void require_gpus(int gpus) {
  if (gpus == 0) return;
  const auto there = platform::list_cuda_devices();
  if (!there) throw Error(there.failure().code, fmt::format("--gpus {}: {}", gpus, there.failure().message));
  if (static_cast<std::size_t>(gpus) <= there.value().size()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--gpus: {} are asked for, but this process may use {} (`troupe info` lists them)", gpus,
                          there.value().size()));
}

/// Returns the options combined with the settings of environment variables. A variable with an unusable value has no
/// effect here; the runtime reports it when it starts.
RuntimeOptions settled_options(const RuntimeOptions& options) {
  const auto merged = client::with_environment(options);
  return merged ? merged.value().settings.options : options;
}

}  // namespace

bool uses_accelerators(const RuntimeOptions& options) {
  // Only the environment can choose OpenCL devices, because this command line has no option for them.
  const RuntimeOptions all = settled_options(options);
  return std::ranges::any_of(runtime_options(), [&all](const RuntimeOption& option) {
    return option.chooses_devices && !option.is_default(all);
  });
}

void refuse_ignored_accelerator_options(const CLI::App& command, const RuntimeOptions& options) {
  refuse_ignored(command, "--gpu-memory", options.gpus > 0, "CUDA GPUs: say how many with --gpus");
  refuse_ignored(command, "--reuse-profile", options.accelerators.eviction == "reuse", "--eviction reuse");
  std::vector<std::string> choosing;
  std::vector<std::string> others;
  for (const RuntimeOption& option : runtime_options()) {
    if (option.group != OptionGroup::accelerators || !option.has(OptionDoor::command)) continue;
    (option.chooses_devices ? choosing : others).push_back(option.flag());
  }
  const std::string needed = fmt::format("accelerators: say which with {}", fmt::join(choosing, " or "));
  for (const std::string& flag : others) refuse_ignored(command, flag, uses_accelerators(options), needed);
}

std::int64_t chosen_tile(const RuntimeOptions& options, bool on_service, linalg::Application application,
                         std::int64_t n, std::size_t element_bytes) {
  const RuntimeOptions all = settled_options(options);
  if (on_service || all.gpus <= 0) return linalg::default_tile(application, n);
  std::optional<Bytes> memory = all.accelerators.gpu_memory;
  for (const auto& emulated : all.accelerators.emulated_gpus) {
    memory = std::min(memory.value_or(emulated.memory), emulated.memory);
  }
  const auto gpus = linalg::rate_of_gpus(static_cast<std::size_t>(all.gpus), memory, element_bytes);
  return linalg::default_tile(application, n, gpus);
}

void choose_tile_rows(const RuntimeOptions& runtime, linalg::FactorizationOptions& factorization) {
  if (uses_accelerators(runtime) && factorization.tile_rows == 0) factorization.tile_rows = factorization.tile;
}

void check_accelerators(const RuntimeOptions& runtime, const linalg::FactorizationOptions& factorization,
                        std::int64_t n, std::size_t element_bytes) {
  if (!uses_accelerators(runtime)) return;
  require_gpus(runtime.gpus);
  const Bytes need = linalg::largest_task_data(factorization, n, element_bytes);
  for (std::size_t i = 0; i < runtime.accelerators.emulated_gpus.size(); ++i) {
    require_room(runtime.accelerators.emulated_gpus[i].memory, need, fmt::format("emulated GPU {}", i),
                 "--emulated-gpus");
  }
  if (runtime.gpus > 0 && runtime.accelerators.gpu_memory)
    require_room(*runtime.accelerators.gpu_memory, need, "each GPU", "--gpu-memory");
}

}  // namespace troupe::apps
