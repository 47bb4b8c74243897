/// The cases that a runner may have. Each runner defines the cases that its runtime supports, in files named
/// CASE_RUNTIME.cpp, and lists them in RUNTIME.cpp.
#pragma once

#include "lab/bench/runner.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

/// Measures the time per empty task, from the first submission to the completion of all tasks. See
/// lab/bench/shapes.hpp.
[[nodiscard]] Json overhead(Parameters& parameters);
/// Measures METG(50%), the smallest efficient task. See lab/bench/sweep.hpp.
[[nodiscard]] Json granularity(Parameters& parameters);
/// Measures the time from the program's submission to the task's start on an idle core. See
/// lab/bench/start_latency.hpp.
[[nodiscard]] Json start(Parameters& parameters);
/// Measures the time to steal a task from a worker that is running a kernel.
[[nodiscard]] Json steal(Parameters& parameters);
/// Measures tasks that are divided into pieces: their cost, and the time until other cores take some of the pieces.
[[nodiscard]] Json pieces(Parameters& parameters);
/// Measures the speed of a kernel on a team of cores, compared with the same cores as separate workers.
[[nodiscard]] Json team(Parameters& parameters);
/// Measures the time until cores work as one cluster, or as single cores again.
[[nodiscard]] Json regroup(Parameters& parameters);
/// Measures the idle time of an accelerator between the kernels of a chain of tasks.
[[nodiscard]] Json device(Parameters& parameters);
/// Measures the memory per task in flight. See lab/bench/memory_use.hpp.
[[nodiscard]] Json memory(Parameters& parameters);
/// Measures the largest amount of memory that a long stream of tasks takes.
[[nodiscard]] Json stream(Parameters& parameters);
/// Measures the time of tasks on data that are made for them, as a multiple of the time on data that are kept.
[[nodiscard]] Json temporaries(Parameters& parameters);
/// Measures the GFlop/s of a factorization. See lab/bench/factorization_case.hpp.
[[nodiscard]] Json linalg(Parameters& parameters);
/// Measures the seconds to solve a sparse system. See lab/bench/sparse/sparse_case.hpp.
[[nodiscard]] Json sparse(Parameters& parameters);
/// Measures the GFlop/s of the factorization of a sparse matrix of blocks. See lab/bench/sparse/block_lu_case.hpp.
[[nodiscard]] Json sparse_lu(Parameters& parameters);
/// Measures the time of a construct of a program. See lab/bench/constructs.hpp.
[[nodiscard]] Json constructs(Parameters& parameters);
/// Measures the time of a program of divide and conquer. See lab/bench/recursion/recursion_case.hpp.
[[nodiscard]] Json recursion(Parameters& parameters);

}  // namespace troupe::bench
