/// The options for GPUs and emulated accelerators of commands that start a runtime on this machine.
#pragma once

#include <string>

#include "actors/running/runtime_options.hpp"
#include "linalg/factorization.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace troupe::apps {

/// Adds `--gpus`, `--gpu-memory`, `--emulated-gpus`, `--lookahead`, `--eviction` and `--reuse-profile`.
void add_accelerator_options(CLI::App& command, RuntimeOptions& options);

/// The same without the number of GPUs, for commands that choose it.
void add_gpu_memory_option(CLI::App& command, RuntimeOptions& options);
/// `--lookahead` and `--issue-ahead`.
void add_lookahead_option(CLI::App& command, RuntimeOptions& options);

/// `--eviction`. `eviction` outlives the parsing.
void add_eviction_option(CLI::App& command, std::string& eviction);

/// For CLI11's checks of amounts of memory: what is wrong, or nothing.
[[nodiscard]] std::string check_bytes(const std::string& text);

/// Refuses those of these options that say how accelerators are used where there are none.
void refuse_ignored_accelerator_options(const CLI::App& command, const RuntimeOptions& options);

/// Whether tasks may run on anything but cores, with what the environment adds.
[[nodiscard]] bool uses_accelerators(const RuntimeOptions& options);

/// Square tiles on accelerators: tall ones leave them too few tasks, and their times are not measured beforehand.
void choose_tile_rows(const RuntimeOptions& runtime, linalg::FactorizationOptions& factorization);

/// Throws what is wrong where there are not so many GPUs, and `bad_input` where the data of the factorization's largest
/// task do not fit into an accelerator. `n`: order of the matrix.
void check_accelerators(const RuntimeOptions& runtime, const linalg::FactorizationOptions& factorization,
                        std::int64_t n, std::size_t element_bytes);

}  // namespace troupe::apps
