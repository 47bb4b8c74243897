/// What the command line `troupe` is made of, and the programs that it starts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

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

/// The exit code for an error.
[[nodiscard]] int exit_code(ErrorCode code);

/// What a command does; returns the exit code.
using Command = std::function<int()>;

/// The application `troupe` with all of its commands, for the program and for who reads its options. Parsing sets
/// `chosen`, which outlives it, to what the user asks for.
[[nodiscard]] std::unique_ptr<CLI::App> make_application(Command& chosen);

/// Parses the arguments and runs `command`, which the application's callbacks set to what the user asks for; returns
/// the exit code. Results go to standard output, messages to standard error. Never throws.
int run_command_line(CLI::App& application, const Command& command, int argc, const char* const* argv);

/// Adds a command to the application. `chosen` is set to what runs it if it is the one that the user asks for.
void add_run_command(CLI::App& application, Command& chosen);
void add_solve_command(CLI::App& application, Command& chosen);
void add_info_command(CLI::App& application, Command& chosen);
void add_simulate_command(CLI::App& application, Command& chosen);
void add_experiment_command(CLI::App& application, Command& chosen);
void add_model_command(CLI::App& application, Command& chosen);
void add_bench_command(CLI::App& application, Command& chosen);
/// Whether a command is a program of its own, which all that follows is for: `bench` and `experiment`.
[[nodiscard]] bool is_other_program(std::string_view command);
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
