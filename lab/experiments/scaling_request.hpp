/// The arguments of `troupe experiment scaling`, and its runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/run/factorization_outcome.hpp"
#include "apps/terminal/progress.hpp"
#include "linalg/factorization.hpp"
#include "linalg/residuals.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::apps {

/// The kinds of devices on which the experiment can run.
enum class ScalingDevices {
  /// CUDA GPUs of this machine.
  real,
  /// Emulated accelerators. They run on threads of this machine, so their times say nothing about the speed of real
  /// ones.
  emulated,
  /// The GPUs of a described machine, in virtual time.
  modelled,
};

/// Returns "real", "emulated" or "modelled".
[[nodiscard]] const char* to_string(ScalingDevices devices);

struct ScalingArguments {
  linalg::Application application = linalg::Application::cholesky;
  std::int64_t n = 8192;
  std::int64_t tile = 512;
  std::int64_t inner = 128;
  /// "float" or "double".
  std::string precision = "double";
  std::vector<std::string> policies;
  /// The numbers of accelerators, such as "1-8".
  std::string gpus = "1-8";
  ScalingDevices devices = ScalingDevices::real;
  /// The options of each emulated accelerator, such as "memory=256MiB,bandwidth=8GB/s"; may be empty.
  std::string emulation;
  /// The name or file of the described machine.
  std::string platform;
  int repeat = 3;
  bool check = false;
  /// The options of the runtime: cores, GPU memory, lookahead, models and seed.
  RuntimeOptions runtime;
};

/// The runs with one policy and one number of accelerators.
struct ScalingRuns {
  std::string policy;
  int gpus = 0;
  std::vector<FactorizationOutcome> outcomes;
  /// The residuals of the last run, if the user requested the check.
  std::vector<linalg::Residual> residuals;
};

/// Runs the factorization on each number of accelerators with each policy, after a check of all arguments. The results
/// are ordered by the number of accelerators, then by policy. On this machine the runs come one after the other. For
/// each number and policy, the first run does not count: in it, memory is touched for the first time and kernels with
/// unknown times are tried. LU does not pivot, because pivoting works on whole block columns, which only cores can do.
/// Throws `invalid_argument`, `bad_input` or `platform`; the message describes the mistake and its remedy.
[[nodiscard]] std::vector<ScalingRuns> run_scaling(const ScalingArguments& arguments, ProgressOptions progress);

}  // namespace troupe::apps
