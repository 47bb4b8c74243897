/// The path of the program `troupe` in the build.
#pragma once

#include <string>

namespace troupe::tests {

[[nodiscard]] std::string program_path();

}  // namespace troupe::tests
