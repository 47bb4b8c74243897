/// `troupe submit`: submits a factorization or a solution as a job of the service.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/option_values.hpp"
#include "apps/command_line.hpp"
#include "apps/run/run_job.hpp"
#include "apps/run/solve_job.hpp"
#include "apps/service/service_arguments.hpp"
#include "apps/service/submit_cancel.hpp"
#include "troupe/runtime.hpp"

namespace troupe::apps {

namespace {

constexpr std::array kApplications{linalg::Application::cholesky, linalg::Application::lu, linalg::Application::qr};
constexpr const char* kSolve = "solve";

/// Returns the application with this name. The name must be valid.
linalg::Application application_named(const std::string& name) {
  return *std::ranges::find_if(kApplications, [&](linalg::Application one) { return to_string(one) == name; });
}

struct SubmitArguments {
  /// The options of a factorization, which is submitted if there is no matrix. They include the options that
  /// factorizations and solutions share.
  RunArguments run;
  /// The name of a factorization such as "cholesky", or "solve" for a method that suits the matrix.
  std::string work;
  std::string matrix;
  std::string right_hand_side;
  std::string output;
  std::string folder;
  std::string name;
};

/// Returns a function that connects to the service. A job uses none of the options for a runtime in this process,
/// except the seed of problems.
StartRuntime on_service(const SubmitArguments& arguments, CancelOnSignal& signals) {
  ConnectOptions options{.folder = arguments.folder, .name = arguments.name};
  if (options.name.empty()) options.name = "troupe submit " + arguments.work;
  return [options, &signals] {
    const std::shared_ptr<Runtime> runtime(new Runtime(Runtime::connect(options)));
    signals.watch(runtime);
    return runtime;
  };
}

SolveArguments solve_arguments(const SubmitArguments& arguments) {
  SolveArguments solve;
  solve.matrix = arguments.matrix;
  solve.right_hand_side = arguments.right_hand_side;
  solve.output = arguments.output;
  solve.method = arguments.work == kSolve ? "auto" : arguments.work;
  solve.precision = arguments.run.precision;
  solve.tile = arguments.run.tile;
  solve.runtime.seed = arguments.run.runtime.seed;
  solve.json = arguments.run.json;
  return solve;
}

int submit(const SubmitArguments& arguments) {
  CancelOnSignal signals;
  try {
    if (!arguments.matrix.empty()) {
      SolveArguments job = solve_arguments(arguments);
      job.start = on_service(arguments, signals);
      return solve(job);
    }
    RunArguments job = arguments.run;
    job.application = application_named(arguments.work);
    job.start = on_service(arguments, signals);
    return run(job);
  } catch (const Error& error) {
    if (!signals.cancelled() || error.code() != ErrorCode::cancelled) throw;
    throw Error(ErrorCode::cancelled, "the job was cancelled by a signal");
  }
}

}  // namespace

void add_submit_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<SubmitArguments>();
  CLI::App* command = application.add_subcommand("submit", "Factorize or solve on the service of this node");
  command
      ->add_option("application", arguments->work,
                   "cholesky, lu or qr of a matrix; or solve: A x = b by the method that suits A")
      ->check(one_of({"cholesky", "lu", "qr", kSolve}))
      ->required();
  CLI::Option* matrix = command->add_option(
      "--matrix,matrix", arguments->matrix,
      "Solve A x = b with the matrix of this Matrix Market file; the option's name may be left out");
  matrix->check(check_file_name);
  command->add_option("--rhs", arguments->right_hand_side, "Matrix Market file of b; default: A times ones")
      ->check(check_file_name)
      ->needs(matrix);
  command->add_option("--output", arguments->output, "Write x to this file, as a Matrix Market array")
      ->check(check_file_name)
      ->needs(matrix);
  add_size(*command, "--n", arguments->run.n, "Order of a matrix that is made for the purpose")
      ->capture_default_str()
      ->excludes(matrix);
  add_size(*command, "--tile", arguments->run.tile, "Columns of a tile; default: by size");
  add_precision(*command, arguments->run.precision);
  add_number(*command, "--repeat", arguments->run.repeat, 1, 1000000, "Runs; medians are reported")->excludes(matrix);
  command
      ->add_flag("--check", arguments->run.check, "Compute scaled residuals of the last run, and fail above the bound")
      ->excludes(matrix);
  add_seed(*command, arguments->run.runtime.seed, "Seed of the matrix that is made")->excludes(matrix);
  command->add_option("--name", arguments->name, "What the job is called in `troupe jobs`");
  add_socket_folder(*command, arguments->folder);
  command->add_flag("--json", arguments->run.json, "Print one JSON object");
  command->callback([arguments, &chosen] {
    if (arguments->work == kSolve && arguments->matrix.empty()) {
      throw CLI::ValidationError("application", "solve wants a matrix: troupe submit solve MATRIX.mtx [--rhs B.mtx]");
    }
    chosen = [arguments] { return submit(*arguments); };
  });
}

}  // namespace troupe::apps
