/// What several commands ask for and check in the same way.
#pragma once

#include <cstdint>

#include "actors/runtime_options.hpp"

namespace CLI {
class App;
}

namespace troupe::apps {

/// BLAS takes sizes of 32 bits.
inline constexpr std::int64_t kLargestOrder = 2147483647;

/// Adds `--policy`, `--cores`, `--window`, `--seed`.
void add_runtime_options(CLI::App& command, RuntimeOptions& options);

/// Throws `bad_input` where `copies` dense matrices of this size do not fit into the memory that is left.
void require_memory(std::int64_t rows, std::int64_t cols, std::size_t element_bytes, int copies);

}  // namespace troupe::apps
