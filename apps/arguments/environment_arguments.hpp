/// The command line beside the environment: `--gpu-memory` is what `TROUPE_GPU_MEMORY` is for programs.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace troupe::apps {

/// Options of the command that have a variable take their default from it, so that they do not count as given: what has
/// no effect is refused where it was given only. For commands that run something on this machine. Values that cannot be
/// used are left to the runtime, which names the variable. What is taken is settled: runtimes do not see it any more.
void take_environment(CLI::App& command);

/// " (the environment has TROUPE_CORES=4)": what `take_environment` took for the command that was parsed, but for what
/// was given besides. Empty where that is nothing.
[[nodiscard]] std::string environment_note(const CLI::App& application);

/// What was given on the command line is settled: runtimes do not look at its variables any more. Call it when the
/// arguments have been parsed, before any thread is started.
void settle_environment(const CLI::App& application);

}  // namespace troupe::apps
