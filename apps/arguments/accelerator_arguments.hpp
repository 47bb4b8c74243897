/// Checks of the options for GPUs and emulated accelerators, for commands that start a runtime on this machine.
#pragma once

#include <string>

#include "linalg/factorization.hpp"
#include "troupe/runtime_options.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace troupe::apps {

/// Refuses options about accelerators if the runtime uses no accelerators.
void refuse_ignored_accelerator_options(const CLI::App& command, const RuntimeOptions& options);

/// Returns true if tasks may run on other devices than cores, with the environment's settings taken into account.
[[nodiscard]] bool uses_accelerators(const RuntimeOptions& options);

/// Returns the default tile for a matrix with `n` columns. The tile suits the CUDA GPUs that a runtime with these
/// options has, with the environment's settings taken into account. On a service it suits cores, because the service's
/// devices are not known here. GPUs that do not exist are no error here: `check_accelerators` refuses them.
[[nodiscard]] std::int64_t chosen_tile(const RuntimeOptions& options, bool on_service, linalg::Application application,
                                       std::int64_t n, std::size_t element_bytes);

/// Chooses square tiles if there are accelerators: tall tiles give accelerators too few tasks, and `troupe model
/// calibrate` does not measure the times of tasks on tall tiles.
void choose_tile_rows(const RuntimeOptions& runtime, linalg::FactorizationOptions& factorization);

/// Throws if the machine has fewer GPUs than the options ask for. Throws `bad_input` if the data of the factorization's
/// largest task do not fit into an accelerator. `n` is the order of the matrix.
void check_accelerators(const RuntimeOptions& runtime, const linalg::FactorizationOptions& factorization,
                        std::int64_t n, std::size_t element_bytes);

}  // namespace troupe::apps
