/// The seeds of the random programs that a test runs.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstdlib>

#include "tests/support/tries.hpp"

namespace troupe::tests {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 0;
};

/// Returns the seeds that the command line gives. Without arguments, returns the seeds of the first `count` programs.
inline Seeds seeds(std::uint64_t count) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  if (suite.argc > 1) {
    return {std::strtoull(suite.argv[1], nullptr, 10),
            suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : std::uint64_t{1}};
  }
  return {1, tries(count)};
}

}  // namespace troupe::tests
