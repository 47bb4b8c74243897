/// The request of `troupe experiment scaling`, and its runs.
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

/// The devices on which the experiment runs.
enum class ScalingDevices {
  /// CUDA GPUs of this machine.
  real,
  /// Emulated accelerators: they run on real threads, and their times prove nothing about speed.
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
  /// The cores, GPU memory, lookahead, models and seed.
  RuntimeOptions runtime;
};

/// The runs of one policy on one number of accelerators.
struct ScalingRuns {
  std::string policy;
  int gpus = 0;
  std::vector<FactorizationOutcome> outcomes;
  /// The residuals of the last run, if asked for.
  std::vector<linalg::Residual> residuals;
};

/// Checks everything before anything runs. Runs come in the order of the numbers, and for each number in the order of
/// the policies. On this machine the runs come one after the other. For each number and policy, a first run does not
/// count: in it, memories are touched for the first time and unknown kernels are tried. LU does not pivot, as
/// pivoting works on whole block columns, which only cores do. Throws `invalid_argument`, `bad_input` or `platform`
/// with what is wrong and what to do.
[[nodiscard]] std::vector<ScalingRuns> run_scaling(const ScalingArguments& arguments, ProgressOptions progress);

}  // namespace troupe::apps
