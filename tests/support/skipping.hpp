/// Skips tests that need something that this machine lacks.
#pragma once

#include <boost/test/unit_test.hpp>
#include <iostream>
#include <string>

namespace troupe::tests {

/// Says that the running test case has not tested what it is for. The test case must then return. `scripts/test` counts
/// the lines that begin with "skipped: " and subtracts them from the cases that passed. So call this once in a case, in
/// any thread that may check.
inline void skip(const std::string& why) {
  std::cout << "skipped: " << boost::unit_test::framework::current_test_case().full_name() << ": " << why << std::endl;
}

}  // namespace troupe::tests
