/// The meanings of the commands' exit codes, as texts for the manual.
#pragma once

#include <array>

#include "apps/command_line.hpp"

namespace troupe::apps {

struct ExitCode {
  int code;
  const char* meaning;
};

inline constexpr std::array kExitCodes{
    ExitCode{kSuccess, "The command has done what it was asked for."},
    ExitCode{kFailure,
             "A failure while running: a result beyond its bound, a kernel that failed, a service that does not "
             "answer, a file that could not be written."},
    ExitCode{kUnusable, "Arguments or input that cannot be used; the message names what is wrong."},
};

}  // namespace troupe::apps
