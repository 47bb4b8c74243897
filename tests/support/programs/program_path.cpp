#include "tests/support/programs/program_path.hpp"

#include <built_paths.hpp>  // written by the build

namespace troupe::tests {

std::string program_path() { return TROUPE_EXECUTABLE; }

}  // namespace troupe::tests
