/// The command line and the environment: `--gpu-memory` of a command corresponds to `TROUPE_GPU_MEMORY` of a program.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace troupe::apps {

/// For each option of the command that has an environment variable, makes the variable's value the default. Such an
/// option does not count as given, so it is not refused if it has no effect. Call this function for commands that run
/// tasks on this machine. Unusable values are left to the runtime, which names the variable in its error. Variables
/// whose values were taken are unset, so that runtimes do not see them.
void take_environment(CLI::App& command);

/// Returns the values that `take_environment` took for the command that was parsed, as " (the environment has
/// TROUPE_CORES=4)". Options that were also given on the command line are left out. Empty if there are no such values.
[[nodiscard]] std::string environment_note(const CLI::App& application);

/// Unsets the variables of all options that were given on the command line, so that runtimes do not read them. Call
/// this function after the arguments have been parsed, before any thread is started.
void settle_environment(const CLI::App& application);

}  // namespace troupe::apps
