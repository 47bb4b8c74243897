/// The command line beside the environment: `--gpu-memory` is what `TROUPE_GPU_MEMORY` is for programs.
#pragma once

namespace CLI {
class App;
}

namespace troupe::apps {

/// Options of the command that have a variable take their value from it where they are not given. For commands that run
/// something on this machine. Values that cannot be used are left to the runtime, which names the variable.
void take_environment(CLI::App& command);

/// What was given on the command line, or taken from the environment by `take_environment`, is settled: runtimes do not
/// look at its variables any more. Call it when the arguments have been parsed, before any thread is started.
void settle_environment(const CLI::App& application);

}  // namespace troupe::apps
