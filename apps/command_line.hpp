/// The functions that the command line `troupe` and the programs that it starts have in common.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/errors.hpp"

namespace CLI {
class App;
}

namespace troupe::apps {

/// The exit code of success. Scripts may rely on the exit codes.
inline constexpr int kSuccess = 0;
/// The command failed while it ran.
inline constexpr int kFailure = 1;
/// The arguments or the input cannot be used.
inline constexpr int kUnusable = 2;

/// Returns the exit code for an error.
[[nodiscard]] int exit_code(ErrorCode code);

/// The work of a command; returns the exit code.
using Command = std::function<int()>;

/// Returns the application `troupe` with all of its commands, for the program itself and for programs that read its
/// options. Parsing sets `chosen` to the command that the user requests. `chosen` must outlive the application.
[[nodiscard]] std::unique_ptr<CLI::App> make_application(Command& chosen);

/// Parses the arguments and runs `command`, which the application's callbacks set to the command that the user
/// requests; returns the exit code. Results go to standard output, messages to standard error. Never throws.
int run_command_line(CLI::App& application, const Command& command, int argc, const char* const* argv);
/// A function like `make_application`.
using MakeApplication = std::unique_ptr<CLI::App> (*)(Command& chosen);
/// Makes an application and does what `run_command_line` does, as the whole work of a process. Ends the process even if
/// destructors of libraries would never return.
int run_program(MakeApplication make, int argc, const char* const* argv);

/// This function and the following functions each add a command. If the user requests the command, parsing sets
/// `chosen` to the code that runs it.
void add_run_command(CLI::App& application, Command& chosen);
void add_solve_command(CLI::App& application, Command& chosen);
void add_info_command(CLI::App& application, Command& chosen);
void add_simulate_command(CLI::App& application, Command& chosen);
void add_experiment_command(CLI::App& application, Command& chosen);
void add_model_command(CLI::App& application, Command& chosen);
void add_bench_command(CLI::App& application, Command& chosen);
void add_help_command(CLI::App& application, Command& chosen);
/// Returns true if a command is a separate program, which gets all words that follow: `bench`, `experiment` or `serve`.
[[nodiscard]] bool is_other_program(std::string_view command);
/// Replaces this process by the separate program of a command, whose exit code becomes the command's. Throws `Error` if
/// the program is missing.
int run_other_program(std::string_view command, std::vector<std::string> arguments);
// The following commands belong to the node-local service, and are only in builds that include it.
void add_serve_command(CLI::App& application, Command& chosen);
void add_submit_command(CLI::App& application, Command& chosen);
void add_status_command(CLI::App& application, Command& chosen);
void add_jobs_command(CLI::App& application, Command& chosen);
void add_cancel_command(CLI::App& application, Command& chosen);
void add_why_command(CLI::App& application, Command& chosen);
void add_top_command(CLI::App& application, Command& chosen);
void add_metrics_command(CLI::App& application, Command& chosen);

}  // namespace troupe::apps
