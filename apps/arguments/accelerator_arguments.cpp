#include "apps/arguments/accelerator_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "actors/memory/eviction/eviction_policies.hpp"
#include "actors/running/option_values.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "client/environment/environment.hpp"
#include "graph/codelets/type_names.hpp"
#include "platform/accelerators/emulation_arguments.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "proto/byte_amounts.hpp"
#include "proto/tokens.hpp"
#include "traces/text/human.hpp"

namespace troupe::apps {

namespace {

/// Far more than any machine has; the runtime says how many there are.
constexpr int kMostGpus = 1024;

void require_room(Bytes memory, Bytes need, const std::string& whose, const std::string& option) {
  if (memory >= need) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("{}: the data of one task, up to {}, do not fit into the {} of {}: use smaller tiles "
                          "(--tile) or more memory",
                          option, traces::human_bytes(need), traces::human_bytes(memory), whose));
}

/// Checks the GPUs before anything is made, so that the message names the option.
void require_gpus(int gpus) {
  if (gpus == 0) return;
  const auto there = platform::list_cuda_devices();
  if (!there) throw Error(there.failure().code, fmt::format("--gpus {}: {}", gpus, there.failure().message));
  if (static_cast<std::size_t>(gpus) <= there.value().size()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--gpus: {} are asked for, but this process may use {} (`troupe info` lists them)", gpus,
                          there.value().size()));
}

}  // namespace

std::string check_bytes(const std::string& text) {
  const auto bytes = parse_bytes(text);
  if (bytes && bytes->count > 0) return {};
  return troupe::quoted(text) + " is no amount of memory: give a positive number and a unit, such as 512MiB or 8GiB";
}

void add_gpu_memory_option(CLI::App& command, RuntimeOptions& options) {
  command
      .add_option_function<std::string>(
          "--gpu-memory", [&options](const std::string& text) { options.gpu_memory = parse_bytes(text); },
          "Most memory that data may take on each CUDA GPU, such as 8GiB; default: nine tenths of what is free")
      ->check(check_bytes)
      ->type_name("SIZE");
}

void add_lookahead_option(CLI::App& command, RuntimeOptions& options) {
  add_number(command, "--lookahead", options.gpu_lookahead, 0, kMostLookahead,
             "Tasks whose data an accelerator fetches while its kernels run");
  add_number(command, "--issue-ahead", options.issue_ahead, 0, kMostIssuedAhead,
             "Tasks that an accelerator is given while it is busy, as far as they are short");
}

void add_eviction_option(CLI::App& command, std::string& eviction) {
  std::vector<std::string> names;
  for (const std::string_view name : memory::eviction_policy_names()) names.emplace_back(name);
  command
      .add_option("--eviction", eviction, fmt::format("What leaves a full memory first: {}", fmt::join(names, ", ")))
      ->check(one_of(names))
      ->capture_default_str();
}

namespace {

void add_eviction_options(CLI::App& command, RuntimeOptions& options) {
  add_eviction_option(command, options.eviction);
  command
      .add_option("--reuse-profile", options.reuse_profile,
                  "File with how often data are used, for --eviction reuse; a run without one leaves it behind")
      ->check(check_file_name)
      ->type_name("FILE");
}

}  // namespace

void add_accelerator_options(CLI::App& command, RuntimeOptions& options) {
  add_number(command, "--gpus", options.gpus, 0, kMostGpus, "CUDA GPUs to use, the first of those that there are");
  add_gpu_memory_option(command, options);
  command
      .add_option_function<std::string>(
          "--emulated-gpus",
          [&options](const std::string& text) {
            options.emulated_gpus = platform::parse_emulated_gpus(text).value_or_throw();
          },
          "Emulated accelerators, with their memory and links: 2:memory=256MiB,bandwidth=8GB/s "
          "(docs/accelerators.md)")
      ->check([](const std::string& text) {
        const auto parsed = platform::parse_emulated_gpus(text);
        return parsed ? std::string() : parsed.failure().message;
      })
      ->type_name("K[:OPTIONS]");
  add_lookahead_option(command, options);
  add_eviction_options(command, options);
}

bool uses_accelerators(const RuntimeOptions& options) {
  // OpenCL devices have no option here. A variable with an unusable value is reported when a runtime starts.
  const auto merged = client::with_environment(options);
  const RuntimeOptions& all = merged ? merged.value().settings.options : options;
  return all.gpus > 0 || !all.emulated_gpus.empty() || !all.opencl.empty();
}

void refuse_ignored_accelerator_options(const CLI::App& command, const RuntimeOptions& options) {
  for (const char* option : {"--lookahead", "--issue-ahead", "--eviction"}) {
    refuse_ignored(command, option, uses_accelerators(options),
                   "accelerators: say which with --gpus or --emulated-gpus");
  }
  refuse_ignored(command, "--gpu-memory", options.gpus > 0, "CUDA GPUs: say how many with --gpus");
  refuse_ignored(command, "--reuse-profile", options.eviction == "reuse", "--eviction reuse");
}

void choose_tile_rows(const RuntimeOptions& runtime, linalg::FactorizationOptions& factorization) {
  if (uses_accelerators(runtime) && factorization.tile_rows == 0) factorization.tile_rows = factorization.tile;
}

void check_accelerators(const RuntimeOptions& runtime, const linalg::FactorizationOptions& factorization,
                        std::int64_t n, std::size_t element_bytes) {
  if (!uses_accelerators(runtime)) return;
  require_gpus(runtime.gpus);
  const Bytes need = linalg::largest_task_data(factorization, n, element_bytes);
  for (std::size_t i = 0; i < runtime.emulated_gpus.size(); ++i) {
    require_room(runtime.emulated_gpus[i].memory, need, fmt::format("emulated GPU {}", i), "--emulated-gpus");
  }
  if (runtime.gpus > 0 && runtime.gpu_memory) require_room(*runtime.gpu_memory, need, "each GPU", "--gpu-memory");
}

}  // namespace troupe::apps
