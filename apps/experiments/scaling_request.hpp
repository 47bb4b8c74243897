/// What `troupe experiment scaling` is asked for, and running it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/running/runtime_options.hpp"
#include "apps/run/factorization_outcome.hpp"
#include "apps/terminal/progress.hpp"
#include "linalg/factorization.hpp"
#include "linalg/residuals.hpp"

namespace troupe::apps {

/// On what the experiment runs.
enum class ScalingDevices {
  /// CUDA GPUs of this machine.
  real,
  /// Emulated accelerators: on real threads, with times that prove nothing about speed.
  emulated,
  /// The GPUs of a described machine, in virtual time.
  modelled,
};

/// "real", "emulated", "modelled".
[[nodiscard]] const char* to_string(ScalingDevices devices);

struct ScalingArguments {
  linalg::Application application = linalg::Application::cholesky;
  std::int64_t n = 8192;
  std::int64_t tile = 512;
  std::int64_t inner = 128;
  /// "float" or "double".
  std::string precision = "double";
  std::vector<std::string> policies;
  /// "1-8": how many accelerators.
  std::string gpus = "1-8";
  ScalingDevices devices = ScalingDevices::real;
  /// Of each emulated accelerator: "memory=256MiB,bandwidth=8GB/s"; may be empty.
  std::string emulation;
  /// Name or file of the described machine.
  std::string platform;
  int repeat = 3;
  bool check = false;
  /// Cores, GPU memory, lookahead, models, seed.
  RuntimeOptions runtime;
};

/// The runs of one policy on one number of accelerators.
struct ScalingRuns {
  std::string policy;
  int gpus = 0;
  std::vector<FactorizationOutcome> outcomes;
  /// Of the last run, where they were asked for.
  std::vector<linalg::Residual> residuals;
};

/// Checks all of it before anything runs; then runs in the order of the numbers, and of the policies within each. On
/// this machine the runs come one after the other, each place's after one that does not count, in which memories are
/// touched for the first time and unknown kernels are tried. LU does not pivot, as pivoting works on whole block
/// columns, which cores do. Throws `invalid_argument`, `bad_input` or `platform` with what is wrong and what to do.
[[nodiscard]] std::vector<ScalingRuns> run_scaling(const ScalingArguments& arguments, ProgressOptions progress);

}  // namespace troupe::apps
