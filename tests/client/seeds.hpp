/// The seeds of random programs in a test.
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

/// Returns the seeds from the command line, or those of the first `count` tries.
inline Seeds seeds(std::uint64_t count) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  if (suite.argc > 1) {
    return {std::strtoull(suite.argv[1], nullptr, 10),
            suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : std::uint64_t{1}};
  }
  return {1, tries(count)};
}

}  // namespace troupe::tests
