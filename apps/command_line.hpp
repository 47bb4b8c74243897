/// The command line `troupe`.
#pragma once

#include <functional>
#include <string>

#include "proto/errors.hpp"

namespace CLI {
class App;
}

namespace troupe::apps {

/// Exit codes, for scripts.
inline constexpr int kSuccess = 0;
/// A failure while running.
inline constexpr int kFailure = 1;
/// Arguments or input that cannot be used.
inline constexpr int kUnusable = 2;

/// Parses the arguments and runs the command; returns the exit code. Results go to standard output, messages to
/// standard error. Never throws.
int run_command_line(int argc, const char* const* argv);

/// The exit code for an error.
[[nodiscard]] int exit_code(ErrorCode code);

/// Adds a command to the application. `chosen` is set to what runs it if it is the one that the user asks for.
using Command = std::function<int()>;
void add_run_command(CLI::App& application, Command& chosen);
void add_solve_command(CLI::App& application, Command& chosen);
void add_info_command(CLI::App& application, Command& chosen);
void add_simulate_command(CLI::App& application, Command& chosen);
void add_experiment_command(CLI::App& application, Command& chosen);
/// Below `experiment`.
void add_scaling_command(CLI::App& experiment, Command& chosen);
void add_model_command(CLI::App& application, Command& chosen);
void add_bench_command(CLI::App& application, Command& chosen);
// Of the node-local service, in builds that have it.
void add_serve_command(CLI::App& application, Command& chosen);
void add_submit_command(CLI::App& application, Command& chosen);
void add_status_command(CLI::App& application, Command& chosen);
void add_jobs_command(CLI::App& application, Command& chosen);
void add_cancel_command(CLI::App& application, Command& chosen);
void add_why_command(CLI::App& application, Command& chosen);
void add_top_command(CLI::App& application, Command& chosen);
void add_metrics_command(CLI::App& application, Command& chosen);

}  // namespace troupe::apps
