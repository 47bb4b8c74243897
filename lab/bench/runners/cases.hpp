/// The cases that a runner may have. Each runner defines those that its runtime can do, in files named
/// CASE_RUNTIME.cpp, and lists them in RUNTIME.cpp.
#pragma once

#include "lab/bench/runner.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

/// Time per empty task, from submission to completion of all. See bench/shapes.hpp.
[[nodiscard]] Json overhead(Parameters& parameters);
/// METG(50%). See bench/sweep.hpp.
[[nodiscard]] Json granularity(Parameters& parameters);
/// Time from the program's submission to the start on an idle core. See bench/start_latency.hpp.
[[nodiscard]] Json start(Parameters& parameters);
/// Time to steal a task from a worker that is inside a kernel.
[[nodiscard]] Json steal(Parameters& parameters);
/// Tasks of pieces: their cost, and the time until other cores take part in them.
[[nodiscard]] Json pieces(Parameters& parameters);
/// Speed of a kernel on a team of cores, compared with the same cores on their own.
[[nodiscard]] Json team(Parameters& parameters);
/// Time until cores work together, or apart again.
[[nodiscard]] Json regroup(Parameters& parameters);
/// Idle time of an accelerator between the kernels of a chain.
[[nodiscard]] Json device(Parameters& parameters);
/// Memory per task in flight. See bench/memory_use.hpp.
[[nodiscard]] Json memory(Parameters& parameters);
/// The most memory that a long stream of tasks takes.
[[nodiscard]] Json stream(Parameters& parameters);
/// GFlop/s of a factorization. See bench/factorization_case.hpp.
[[nodiscard]] Json linalg(Parameters& parameters);
/// Seconds to solve a sparse system. See bench/sparse/sparse_case.hpp.
[[nodiscard]] Json sparse(Parameters& parameters);
/// GFlop/s of a factorization of a sparse matrix of blocks. See bench/sparse/block_lu_case.hpp.
[[nodiscard]] Json sparse_lu(Parameters& parameters);

}  // namespace troupe::bench
