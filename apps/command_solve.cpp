/// `troupe solve`: a system from a Matrix Market file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/atomic_file.hpp"
#include "apps/command_line.hpp"
#include "apps/common_arguments.hpp"
#include "apps/factorization.hpp"
#include "apps/human.hpp"
#include "apps/matrix_market.hpp"
#include "apps/matrix_market_writer.hpp"
#include "apps/problem.hpp"
#include "apps/progress.hpp"

namespace troupe::apps {

namespace {

struct SolveArguments {
  std::string matrix;
  std::string right_hand_side;
  std::string output;
  std::string method = "auto";
  std::string precision = "double";
  std::int64_t tile = 0;
  RuntimeOptions runtime;
  bool json = false;
};

struct Solved {
  Application method = Application::lu;
  /// Why it was not the method that was tried first; empty where it was.
  std::string remark;
  double seconds = 0;
  Residual residual;
};

MatrixMarketHeader usable_header(const SolveArguments& arguments) {
  const MatrixMarketHeader header = read_header(arguments.matrix).value_or_throw();
  if (!header.square()) {
    throw Error(ErrorCode::bad_input, fmt::format("{}: the matrix is {} x {}, but a system of equations needs as many "
                                                  "equations as unknowns: give a square matrix",
                                                  arguments.matrix, header.rows, header.cols));
  }
  if (arguments.method == "cholesky" && header.symmetry != MatrixSymmetry::symmetric) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: the file does not say that the matrix is symmetric, which --method cholesky needs: "
                            "use --method lu, or auto",
                            arguments.matrix));
  }
  const std::size_t element = arguments.precision == "float" ? sizeof(float) : sizeof(double);
  // As read, the copy that is factorized, its tiles.
  require_memory(header.rows, header.cols, element, 3);
  return header;
}

template <class T>
DenseMatrix<T> right_hand_side(const SolveArguments& arguments, const DenseMatrix<T>& a) {
  if (!arguments.right_hand_side.empty()) {
    const MatrixMarketHeader header = read_header(arguments.right_hand_side).value_or_throw();
    if (header.rows != a.rows) {
      throw Error(ErrorCode::bad_input, fmt::format("{}: the right-hand side has {} rows, the matrix {}",
                                                    arguments.right_hand_side, header.rows, a.rows));
    }
    require_memory(header.rows, header.cols, sizeof(T), 2);
    return read_dense<T>(arguments.right_hand_side, header).value_or_throw();
  }
  // The solution is then all ones.
  DenseMatrix<T> b(a.rows, 1);
  for (std::int64_t j = 0; j < a.cols; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) b(i, 0) += a(i, j);
  }
  return b;
}

/// The methods to try, in order.
std::vector<Application> candidates(const SolveArguments& arguments, const MatrixMarketHeader& header) {
  if (arguments.method == "cholesky") return {Application::cholesky};
  if (arguments.method == "qr") return {Application::qr};
  if (arguments.method == "lu" || header.symmetry != MatrixSymmetry::symmetric) return {Application::lu};
  return {Application::cholesky, Application::lu};
}

template <class T>
Solved solve_by(Runtime& runtime, const SolveArguments& arguments, Application method, const DenseMatrix<T>& a,
                DenseMatrix<T>& x) {
  FactorizationOptions options;
  options.application = method;
  options.tile = arguments.tile > 0 ? arguments.tile : default_tile(method, a.rows);
  DenseMatrix<T> factors = a;
  Factorization<T> factorization(runtime, factors, options);
  factorization.solve(x);
  return {method, "", factorization.seconds(), {}};
}

template <class T>
Solved solve_system(const SolveArguments& arguments, const MatrixMarketHeader& header) {
  const DenseMatrix<T> a = read_dense<T>(arguments.matrix, header).value_or_throw();
  const DenseMatrix<T> b = right_hand_side(arguments, a);
  Runtime runtime(arguments.runtime);
  DenseMatrix<T> x;
  Solved solved;
  {
    const ProgressBar bar(
        [&runtime] {
          const troupe::Progress progress = runtime.progress();
          return Progress{progress.ended, progress.submitted};
        },
        {.enabled = !arguments.json, .label = "solve"});
    const std::vector<Application> methods = candidates(arguments, header);
    std::string remark;
    for (const Application method : methods) {
      x = b;
      try {
        solved = solve_by(runtime, arguments, method, a, x);
        break;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::numerical || method == methods.back()) throw;
        remark = "the matrix is symmetric, but not positive definite: LU with partial pivoting instead of Cholesky";
      }
    }
    solved.remark = remark;
  }
  solved.residual = solve_residual(a, x, b);
  if (!arguments.output.empty()) write_array(arguments.output, x).value_or_throw();
  return solved;
}

void print(const SolveArguments& arguments, const MatrixMarketHeader& header, const Solved& solved) {
  if (arguments.json) {
    nlohmann::json json{{"app", "solve"},
                        {"matrix", arguments.matrix},
                        {"n", header.rows},
                        {"method", to_string(solved.method)},
                        {"precision", arguments.precision},
                        {"policy", arguments.runtime.policy},
                        {"seconds", solved.seconds},
                        {"residual", solved.residual.value}};
    if (!solved.remark.empty()) json["remark"] = solved.remark;
    if (!arguments.output.empty()) json["output"] = arguments.output;
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{}: {} x {}, {}\n", arguments.matrix, header.rows, header.cols,
             header.symmetry == MatrixSymmetry::symmetric ? "symmetric" : "not symmetric");
  if (!solved.remark.empty()) fmt::print("  note      {}\n", solved.remark);
  fmt::print("  method    {}, {} precision\n", to_string(solved.method), arguments.precision);
  fmt::print("  time      {} (factorization)\n", human_seconds(solved.seconds));
  fmt::print("  residual  {} = {:.3g}  ({} the bound {})\n", solved.residual.formula, solved.residual.value,
             solved.residual.accepted() ? "below" : "NOT below", kResidualBound);
  if (arguments.right_hand_side.empty()) fmt::print("  rhs       none given: A times a vector of ones\n");
  if (!arguments.output.empty()) fmt::print("  solution  {}\n", arguments.output);
}

int solve(const SolveArguments& arguments) {
  const MatrixMarketHeader header = usable_header(arguments);
  const Solved solved = arguments.precision == "float" ? solve_system<float>(arguments, header)
                                                       : solve_system<double>(arguments, header);
  print(arguments, header, solved);
  if (solved.residual.accepted()) return kSuccess;
  throw Error(ErrorCode::kernel_failed, fmt::format("the solution is not accurate: the scaled residual is not below {}",
                                                    kResidualBound));
}

}  // namespace

void add_solve_command(CLI::App& application, Command& chosen) {
  auto arguments = std::make_shared<SolveArguments>();
  CLI::App* command = application.add_subcommand("solve", "Solve A x = b for a matrix in a Matrix Market file");
  command->add_option("matrix", arguments->matrix, "Matrix Market file: coordinate or array, real or integer")
      ->required();
  command->add_option("--rhs", arguments->right_hand_side, "Matrix Market file of b; default: A times ones");
  command->add_option("--output", arguments->output, "Write x to this file, as a Matrix Market array");
  command
      ->add_option("--method", arguments->method,
                   "auto (Cholesky where A is symmetric and turns out positive definite, else LU), cholesky, lu or qr")
      ->check(CLI::IsMember({"auto", "cholesky", "lu", "qr"}))
      ->capture_default_str();
  command->add_option("--precision", arguments->precision, "float or double")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
  command->add_option("--tile", arguments->tile, "Edge of a tile; default: chosen by method and size")
      ->check(CLI::Range(std::int64_t{1}, kLargestOrder));
  add_runtime_options(*command, arguments->runtime);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments, &chosen] { chosen = [arguments] { return solve(*arguments); }; });
}

}  // namespace troupe::apps
