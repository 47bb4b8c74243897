/// The options for GPUs and emulated accelerators of commands that start a runtime on this machine.
#pragma once

#include <string>

#include "linalg/factorization.hpp"
#include "troupe/runtime_options.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace troupe::apps {

/// Adds `--gpus`, `--gpu-memory`, `--emulated-gpus`, `--lookahead`, `--eviction` and `--reuse-profile`.
void add_accelerator_options(CLI::App& command, RuntimeOptions& options);

/// Adds `--gpu-memory` alone, for commands that choose the number of GPUs themselves.
void add_gpu_memory_option(CLI::App& command, RuntimeOptions& options);
/// Adds `--lookahead` and `--issue-ahead`.
void add_lookahead_option(CLI::App& command, RuntimeOptions& options);

/// Adds `--eviction`. `eviction` outlives the parsing.
void add_eviction_option(CLI::App& command, std::string& eviction);

/// Checks an amount of memory for CLI11: returns what is wrong, or an empty text.
[[nodiscard]] std::string check_bytes(const std::string& text);

/// Refuses the options that say how accelerators are used, if there are no accelerators.
void refuse_ignored_accelerator_options(const CLI::App& command, const RuntimeOptions& options);

/// Returns whether tasks may run on anything but cores, with the environment's settings taken into account.
[[nodiscard]] bool uses_accelerators(const RuntimeOptions& options);

/// Chooses square tiles if there are accelerators: tall tiles leave them too few tasks, and the times of tasks on tall
/// tiles are not measured beforehand.
void choose_tile_rows(const RuntimeOptions& runtime, linalg::FactorizationOptions& factorization);

/// Throws if the machine has fewer GPUs than asked for. Throws `bad_input` if the data of the factorization's largest
/// task do not fit into an accelerator. `n`: order of the matrix.
void check_accelerators(const RuntimeOptions& runtime, const linalg::FactorizationOptions& factorization,
                        std::int64_t n, std::size_t element_bytes);

}  // namespace troupe::apps
